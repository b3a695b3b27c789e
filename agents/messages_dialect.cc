#include <algorithm>
#include <nlohmann/json.hpp>

#include "agents/dialect.h"
#include "agents/reply_json.h"
#include "agents/sent_sampling.h"
#include "agents/structured.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

// A block of text, at whose end the provider may cut its cached prefix.
json CachedBlock(std::string_view text) {
  return {{"type", "text"},
          {"text", text},
          {"cache_control", {{"type", "ephemeral"}}}};
}

json TextBlock(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

// The usage of a stream comes twice, the second time in part: what it does not
// name stays.  Input tokens are counted apart by Anthropic.
void ReadMessagesUsage(const json* usage, Reply& reply) {
  if (usage == nullptr || !usage->is_object()) return;
  Usage& read = reply.usage;
  std::int64_t fresh =
      read.input_tokens - read.cached_input_tokens - read.cache_write_tokens;
  const auto update = [usage](const char* name, std::int64_t& count) {
    if (Member(usage, name) != nullptr) count = CountOf(usage, name);
  };
  update("input_tokens", fresh);
  update("cache_read_input_tokens", read.cached_input_tokens);
  update("cache_creation_input_tokens", read.cache_write_tokens);
  update("output_tokens", read.output_tokens);
  read.input_tokens =
      fresh + read.cached_input_tokens + read.cache_write_tokens;
  if (const json* details = Member(usage, "output_tokens_details")) {
    read.reasoning_tokens = CountOf(details, "thinking_tokens");
  }
  read.reasoning_tokens = std::min(read.reasoning_tokens, read.output_tokens);
  reply.has_usage = read.input_tokens + read.output_tokens > 0;
}

// Of a message, or of a message_delta's delta.
void ReadStop(const json* message, Reply& reply) {
  const std::string reason = TextOf(Member(message, "stop_reason"));
  if (reason.empty()) return;
  reply.reason = reason;
  if (reason == "end_turn" || reason == "stop_sequence") {
    reply.finish = Finish::kWhole;
  } else if (reason == "max_tokens" ||
             reason == "model_context_window_exceeded") {
    reply.finish = Finish::kCut;
  } else if (reason == "refusal") {
    reply.finish = Finish::kRefused;
    const json* details = Member(message, "stop_details");
    const std::string category = TextOf(Member(details, "category"));
    const std::string why = TextOf(Member(details, "explanation"));
    if (!category.empty()) reply.reason += ": " + category;
    if (!why.empty()) reply.reason += ": " + why;
  } else {
    reply.finish = Finish::kNoAnswer;  // tool_use, pause_turn, ...
  }
}

class Messages final : public Dialect {
 public:
  std::string_view Path() const override { return "/v1/messages"; }

  std::vector<std::string> Headers(std::string_view key) const override {
    std::vector<std::string> headers = {"anthropic-version: 2023-06-01"};
    if (!key.empty()) headers.push_back("x-api-key: " + std::string(key));
    return headers;
  }

  WireBody Body(const ModelRequest& request,
                const BodyOptions& options) const override {
    SentSampling sent = Sendable(request.sampling, options);
    // Anthropic's scale ends at 1.
    if (sent.temperature) sent.temperature = std::min(*sent.temperature, 1.0);
    json body = {{"model", options.model}};
    Put(body, "max_tokens", sent.max_output_tokens);
    Put(body, "temperature", sent.temperature);
    Put(body, "top_p", sent.top_p);
    if (sent.effort) body["output_config"]["effort"] = *sent.effort;
    if (!request.system_prompt.empty()) {
      body["system"] = json::array({CachedBlock(request.system_prompt)});
    }
    const std::string_view prompt = request.user_prompt;
    const std::size_t stable =
        std::min(request.stable_prefix_bytes, prompt.size());
    json content = json::array();
    if (stable > 0) content.push_back(CachedBlock(prompt.substr(0, stable)));
    std::string rest(prompt.substr(stable));
    if (options.structured) rest += StructuredInstruction();
    if (!rest.empty()) content.push_back(TextBlock(rest));
    body["messages"] =
        json::array({{{"role", "user"}, {"content", std::move(content)}}});
    if (options.structured) {
      body["output_config"]["format"] = {
          {"type", "json_schema"},
          {"schema", json::parse(AnswerSchema(request.role))}};
    }
    if (options.stream) body["stream"] = true;
    return {DumpBody(body), sent};
  }

  void ReadEvent(const SseEvent& event, Reply& reply) const override {
    const json data = ParseEvent(event.data, reply);
    const std::string type = TextOf(Member(&data, "type"));
    if (type == "message_start") {
      const json* message = Member(&data, "message");
      ReadModel(message, reply);
      ReadMessagesUsage(Member(message, "usage"), reply);
    } else if (type == "content_block_delta") {
      const json* delta = Member(&data, "delta");
      const std::string kind = TextOf(Member(delta, "type"));
      if (kind == "text_delta") {
        reply.text += TextOf(Member(delta, "text"));
      } else if (kind == "thinking_delta") {
        reply.unseen_characters +=
            static_cast<std::int64_t>(TextOf(Member(delta, "thinking")).size());
      }
    } else if (type == "content_block_start") {
      reply.text += TextOf(Member(Member(&data, "content_block"), "text"));
    } else if (type == "message_delta") {
      ReadMessagesUsage(Member(&data, "usage"), reply);
      ReadStop(Member(&data, "delta"), reply);
    } else if (auto fault = FaultIn(data)) {  // "error".
      reply.error = std::move(fault);
    }
  }

  bool ReadWhole(std::string_view body, Reply& reply) const override {
    const json whole = ParseReply(body);
    if (!whole.is_object()) return false;
    reply.error = FaultIn(whole);
    ReadModel(&whole, reply);
    ReadMessagesUsage(Member(&whole, "usage"), reply);
    ReadStop(&whole, reply);
    const json* content = Member(&whole, "content");
    if (content != nullptr && content->is_array()) {
      for (const json& block : *content) {
        if (TextOf(Member(&block, "type")) == "text") {
          reply.text += TextOf(Member(&block, "text"));
        }
      }
    }
    if (reply.finish == Finish::kNotYet) reply.finish = Finish::kNoAnswer;
    return content != nullptr || reply.error || reply.has_usage;
  }
};

}  // namespace

const Dialect& MessagesDialect() {
  static const Messages messages;
  return messages;
}

}  // namespace coppice::agents
