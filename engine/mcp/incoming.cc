#include "engine/mcp/incoming.h"

#include <nlohmann/json.hpp>

namespace coppice::mcp {
namespace {

using nlohmann::json;

constexpr int kDepth = 64;

// What is deeper is left out, and its document refused.
json Parse(std::string_view text, bool& is_too_deep) {
  const auto is_shallow = [&](int depth, json::parse_event_t, const json&) {
    if (depth > kDepth) is_too_deep = true;
    return depth <= kDepth;
  };
  return json::parse(text, is_shallow, false);
}

std::string TextOf(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Null: there is none of that name.
const json* Find(const json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// Empty: there is none, or it is no text.
std::string Word(const json& object, const char* name) {
  const json* found = Find(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>()
                                                : std::string();
}

bool IsId(const json& value) {
  return value.is_string() || value.is_number_integer();
}

// The id as JSON; empty: it is none.
std::string IdOf(const json& object, const char* name) {
  const json* found = Find(object, name);
  return found != nullptr && IsId(*found) ? TextOf(*found) : std::string();
}

void ReadMeta(const json& meta, Incoming& incoming) {
  const json* version = Find(meta, "io.modelcontextprotocol/protocolVersion");
  if (version != nullptr) {
    incoming.version =
        version->is_string() ? version->get<std::string>() : TextOf(*version);
  }
  const json* can = Find(meta, "io.modelcontextprotocol/clientCapabilities");
  incoming.has_capabilities = can != nullptr && can->is_object();
  if (const json* who = Find(meta, "io.modelcontextprotocol/clientInfo")) {
    incoming.client = Word(*who, "name");
  }
  incoming.progress_token = IdOf(meta, "progressToken");
}

// Reads `params`; returns what is wrong with it, or nothing.
std::string ReadParams(const json& params, Incoming& incoming) {
  if (const json* meta = Find(params, "_meta")) ReadMeta(*meta, incoming);
  incoming.name = Word(params, "name");
  incoming.uri = Word(params, "uri");
  incoming.cursor = Word(params, "cursor");
  incoming.cancelled = IdOf(params, "requestId");
  incoming.offered = Word(params, "protocolVersion");
  if (const json* who = Find(params, "clientInfo")) {
    incoming.client = Word(*who, "name");
  }
  const json* arguments = Find(params, "arguments");
  if (arguments == nullptr || arguments->is_null()) return "";
  if (!arguments->is_object()) return "params.arguments is no object";
  incoming.arguments = TextOf(*arguments);
  for (const auto& [name, value] : arguments->items()) {
    incoming.words[name] =
        value.is_string() ? value.get<std::string>() : TextOf(value);
  }
  return "";
}

}  // namespace

tl::expected<Incoming, Mistake> ReadMessage(std::string_view text) {
  if (text.size() > kMessageBytes) {
    return tl::unexpected(Mistake{
        kInvalidRequest, "a message of more than 1 MB: name a file instead"});
  }
  bool is_too_deep = false;
  const json message = Parse(text, is_too_deep);
  if (is_too_deep) {
    return tl::unexpected(
        Mistake{kInvalidRequest, "nested more than 64 levels deep"});
  }
  if (message.is_discarded()) {
    return tl::unexpected(Mistake{kParseError, "not JSON in UTF-8"});
  }
  if (message.is_array()) {
    return tl::unexpected(
        Mistake{kInvalidRequest, "a batch: send one message after the other"});
  }
  Incoming incoming;
  incoming.id = IdOf(message, "id");
  const auto wrong = [&](int code, std::string why) {
    return tl::unexpected(Mistake{code, std::move(why), incoming.id});
  };
  if (Word(message, "jsonrpc") != "2.0") {
    return wrong(kInvalidRequest, "not an object with \"jsonrpc\": \"2.0\"");
  }
  incoming.method = Word(message, "method");
  if (Find(message, "method") == nullptr &&
      (Find(message, "result") != nullptr ||
       Find(message, "error") != nullptr)) {
    return Incoming{};
  }
  if (incoming.method.empty()) return wrong(kInvalidRequest, "no method");
  if (Find(message, "id") != nullptr && incoming.id.empty()) {
    return wrong(kInvalidRequest, "an id is a string or an integer");
  }
  const json* params = Find(message, "params");
  if (params == nullptr) return incoming;
  if (!params->is_object()) {
    return wrong(kInvalidParams, "params is no object");
  }
  if (std::string why = ReadParams(*params, incoming); !why.empty()) {
    return wrong(kInvalidParams, std::move(why));
  }
  return incoming;
}

}  // namespace coppice::mcp
