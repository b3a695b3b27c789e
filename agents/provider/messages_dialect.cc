#include <algorithm>
#include <nlohmann/json.hpp>

#include "agents/prompt/reply_json.h"
#include "agents/prompt/structured.h"
#include "agents/provider/dialect.h"

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

// Reads why it stopped from a message, or from a message_delta's delta.
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
  } else if (reason == "tool_use") {
    reply.finish = Finish::kCalls;
  } else {
    reply.finish = Finish::kNoAnswer;  // pause_turn, ...
  }
}

// What a model thought goes back unchanged, before its words and calls.
json ModelContent(const Message& message) {
  json content = KeptItems(message.kept);
  if (!message.text.empty()) content.push_back(TextBlock(message.text));
  for (const ToolCall& call : message.calls) {
    content.push_back({{"type", "tool_use"},
                       {"id", call.id},
                       {"name", call.name},
                       {"input", SoundArguments(call.arguments)}});
  }
  return content;
}

// Results of calls that were made together stand in one message of the user's.
json MessagesOf(const Conversation& conversation) {
  json messages = json::array();
  bool are_results = false;
  for (const Message& message : conversation.messages) {
    const bool is_result = message.speaker == Speaker::kTool;
    json block = is_result ? json{{"type", "tool_result"},
                                  {"tool_use_id", message.call_id},
                                  {"content", message.text}}
                           : TextBlock(message.text);
    if (is_result && are_results) {
      messages.back()["content"].push_back(std::move(block));
    } else if (message.speaker == Speaker::kModel) {
      messages.push_back(
          {{"role", "assistant"}, {"content", ModelContent(message)}});
    } else {
      messages.push_back(
          {{"role", "user"}, {"content", json::array({std::move(block)})}});
    }
    are_results = is_result;
  }
  if (!messages.empty() && !messages.back()["content"].empty()) {
    messages.back()["content"].back()["cache_control"] = {
        {"type", "ephemeral"}};
  }
  return messages;
}

json ToolsOf(const Conversation& conversation) {
  json tools = json::array();
  for (const Tool& tool : conversation.tools) {
    tools.push_back({{"name", tool.name},
                     {"description", tool.description},
                     {"input_schema", ParseReply(tool.parameters)}});
  }
  return tools;
}

json ContentOf(const ModelRequest& request, bool structured) {
  const std::string_view prompt = request.user_prompt;
  const std::size_t stable =
      std::min(request.stable_prefix_bytes, prompt.size());
  json content = json::array();
  if (stable > 0) content.push_back(CachedBlock(prompt.substr(0, stable)));
  std::string rest(prompt.substr(stable));
  if (structured) rest += StructuredInstruction();
  if (!rest.empty()) content.push_back(TextBlock(rest));
  return content;
}

// A block that begins: of text, of a thought, or a call.
void BeginBlock(const json& data, Reply& reply) {
  const json* block = Member(&data, "content_block");
  const std::string type = TextOf(Member(block, "type"));
  reply.text += TextOf(Member(block, "text"));
  if (type == "tool_use") {
    ToolCall& call = CallAt(CountOf(&data, "index"), reply);
    call.id = TextOf(Member(block, "id"));
    call.name = TextOf(Member(block, "name"));
    const json* input = Member(block, "input");
    // A stream's is empty here; its pieces follow.
    if (input != nullptr && !input->empty()) call.arguments = DumpBody(*input);
  } else if (type == "redacted_thinking") {
    Keep(DumpBody(*block), reply);
  } else if (type == "thinking") {
    reply.thought = TextOf(Member(block, "thinking"));
    reply.signature = TextOf(Member(block, "signature"));
  }
}

void AddToBlock(const json& data, Reply& reply) {
  const json* delta = Member(&data, "delta");
  const std::string kind = TextOf(Member(delta, "type"));
  if (kind == "text_delta") {
    reply.text += TextOf(Member(delta, "text"));
  } else if (kind == "input_json_delta") {
    CallAt(CountOf(&data, "index"), reply).arguments +=
        TextOf(Member(delta, "partial_json"));
  } else if (kind == "signature_delta") {
    reply.signature += TextOf(Member(delta, "signature"));
  } else if (kind == "thinking_delta") {
    const std::string thought = TextOf(Member(delta, "thinking"));
    reply.unseen_characters += std::ssize(thought);
    reply.thought += thought;
  }
}

void EndBlock(Reply& reply) {
  if (reply.signature.empty()) return;
  Keep(DumpBody({{"type", "thinking"},
                 {"thinking", reply.thought},
                 {"signature", reply.signature}}),
       reply);
  reply.thought.clear();
  reply.signature.clear();
}

class Messages final : public Dialect {
 public:
  std::string_view Path() const override { return "/v1/messages"; }

  std::vector<std::string> Headers(std::string_view key) const override {
    std::vector<std::string> headers = {"anthropic-version: 2023-06-01"};
    if (!key.empty()) headers.push_back("x-api-key: " + std::string(key));
    return headers;
  }

  TransportBody Body(const ModelRequest& request,
                     const BodyOptions& options) const override {
    SentSampling sent = options.Sendable(request.sampling);
    // Anthropic's scale ends at 1.
    if (sent.temperature) sent.temperature = std::min(*sent.temperature, 1.0);
    json body = {{"model", options.model}};
    Put(body, "max_tokens", sent.max_output_tokens);
    Put(body, "temperature", sent.temperature);
    Put(body, "top_p", sent.top_p);
    if (sent.effort) body["output_config"]["effort"] = *sent.effort;
    const Conversation* conversation = request.conversation;
    const std::string& system =
        conversation != nullptr ? conversation->system : request.system_prompt;
    if (!system.empty()) body["system"] = json::array({CachedBlock(system)});
    const bool structured = options.structured && conversation == nullptr;
    if (conversation != nullptr) {
      body["messages"] = MessagesOf(*conversation);
      body["tools"] = ToolsOf(*conversation);
    } else {
      body["messages"] = json::array(
          {{{"role", "user"}, {"content", ContentOf(request, structured)}}});
    }
    if (structured) {
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
      AddToBlock(data, reply);
    } else if (type == "content_block_start") {
      BeginBlock(data, reply);
    } else if (type == "content_block_stop") {
      EndBlock(reply);
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
    std::size_t index = 0;
    for (const json& block : ListOf(content)) {
      BeginBlock({{"index", index++}, {"content_block", block}}, reply);
      EndBlock(reply);
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
