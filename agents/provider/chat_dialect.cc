#include <nlohmann/json.hpp>

#include "agents/prompt/reply_json.h"
#include "agents/prompt/structured.h"
#include "agents/provider/dialect.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

// Text, or the text of a list of parts.
std::string ChatContent(const json* content) {
  if (content == nullptr || !content->is_array()) return TextOf(content);
  std::string text;
  for (const json& part : *content) text += TextOf(Member(&part, "text"));
  return text;
}

// The names that servers have given to it.
std::int64_t ReasoningCharacters(const json* message) {
  for (const char* name : {"reasoning_content", "reasoning"}) {
    const json* text = Member(message, name);
    if (text != nullptr && text->is_string()) {
      return static_cast<std::int64_t>(
          text->get_ref<const std::string&>().size());
    }
  }
  return 0;
}

void ReadChatUsage(const json* usage, Reply& reply) {
  if (usage == nullptr || !usage->is_object()) return;
  ReadTokens(*usage, "prompt_tokens", "completion_tokens", reply);
  if (const auto cost = DollarsOf(usage, "cost")) reply.cost_usd = cost;
}

void ReadChatFinish(const json* choice, Reply& reply) {
  const std::string reason = TextOf(Member(choice, "finish_reason"));
  if (reason.empty()) return;
  reply.reason = reason;
  if (reason == "length") {
    reply.finish = Finish::kCut;
  } else if (reason == "content_filter") {
    reply.finish = Finish::kRefused;
  } else if (reason == "tool_calls" || reason == "function_call") {
    reply.finish = Finish::kCalls;
  } else if (reason == "error") {
    reply.finish = Finish::kNoAnswer;
  } else {
    reply.finish = Finish::kWhole;  // "stop", or a word of the server's own.
  }
}

// Calls come in pieces, each with the index of its call.  Servers that give
// them at once may leave indexes and names of calls out.
void ReadChatCalls(const json* calls, Reply& reply) {
  std::int64_t position = 0;
  for (const json& piece : ListOf(calls)) {
    const bool has_index = Member(&piece, "index") != nullptr;
    const std::int64_t index = has_index ? CountOf(&piece, "index") : position;
    ++position;
    ToolCall& call = CallAt(index, reply);
    const json* function = Member(&piece, "function");
    const std::string id = TextOf(Member(&piece, "id"));
    if (!id.empty()) call.id = id;
    if (call.id.empty()) call.id = "call_" + std::to_string(index);
    const std::string name = TextOf(Member(function, "name"));
    if (!name.empty()) call.name = name;
    const json* arguments = Member(function, "arguments");
    // Ollama's own form is an object.
    call.arguments += arguments != nullptr && arguments->is_object()
                          ? DumpBody(*arguments)
                          : TextOf(arguments);
  }
}

// A message, or what a chunk adds to one.
void ReadChatMessage(const json* message, Reply& reply) {
  reply.text += ChatContent(Member(message, "content"));
  reply.refusal += TextOf(Member(message, "refusal"));
  reply.unseen_characters += ReasoningCharacters(message);
  ReadChatCalls(Member(message, "tool_calls"), reply);
}

const json* FirstChoice(const json& reply) {
  const json& choices = ListOf(Member(&reply, "choices"));
  return choices.empty() ? nullptr : &choices.front();
}

json ChatMessage(const Message& message) {
  switch (message.speaker) {
    case Speaker::kUser:
      return {{"role", "user"}, {"content", message.text}};
    case Speaker::kTool:
      return {{"role", "tool"},
              {"tool_call_id", message.call_id},
              {"content", message.text}};
    case Speaker::kModel:
      break;
  }
  json said = {{"role", "assistant"}, {"content", message.text}};
  for (const ToolCall& call : message.calls) {
    said["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function",
          {{"name", call.name},
           {"arguments", DumpBody(SoundArguments(call.arguments))}}}});
  }
  return said;
}

void PutChatConversation(const Conversation& conversation, json& body) {
  body["messages"].push_back(
      {{"role", "system"}, {"content", conversation.system}});
  for (const Message& message : conversation.messages) {
    body["messages"].push_back(ChatMessage(message));
  }
  for (const Tool& tool : conversation.tools) {
    body["tools"].push_back({{"type", "function"},
                             {"function",
                              {{"name", tool.name},
                               {"description", tool.description},
                               {"parameters", ParseReply(tool.parameters)}}}});
  }
}

void PutChatPrompts(const ModelRequest& request, bool structured, json& body) {
  if (!request.system_prompt.empty()) {
    body["messages"].push_back(
        {{"role", "system"}, {"content", request.system_prompt}});
  }
  std::string prompt = request.user_prompt;
  if (structured) prompt += StructuredInstruction();
  body["messages"].push_back({{"role", "user"}, {"content", prompt}});
}

class Chat final : public Dialect {
 public:
  std::string_view Path() const override { return "/chat/completions"; }

  std::vector<std::string> Headers(std::string_view key) const override {
    if (key.empty()) return {};
    return {"Authorization: Bearer " + std::string(key)};
  }

  TransportBody Body(const ModelRequest& request,
                     const BodyOptions& options) const override {
    json body = {{"model", options.model}, {"messages", json::array()}};
    const bool structured =
        options.structured && request.conversation == nullptr;
    if (request.conversation != nullptr) {
      PutChatConversation(*request.conversation, body);
    } else {
      PutChatPrompts(request, structured, body);
    }
    SentSampling sent = options.Sendable(request.sampling);
    if (options.output_limit.empty()) sent.max_output_tokens.reset();
    Put(body, "temperature", sent.temperature);
    Put(body, "top_p", sent.top_p);
    Put(body, options.output_limit.c_str(), sent.max_output_tokens);
    if (!options.nested_effort) {
      Put(body, "reasoning_effort", sent.effort);
    } else if (sent.effort) {
      body["reasoning"] = {{"effort", *sent.effort}};
    }
    if (structured) {
      body["response_format"] = {
          {"type", "json_schema"},
          {"json_schema",
           {{"name", "answer"},
            {"strict", true},
            {"schema", json::parse(AnswerSchema(request.role))}}}};
    }
    if (options.stream) body["stream"] = true;
    if (options.stream && options.stream_usage) {
      body["stream_options"] = {{"include_usage", true}};
    }
    return {DumpBody(body), sent};
  }

  void ReadEvent(const SseEvent& event, Reply& reply) const override {
    if (event.data == "[DONE]") {
      // Servers that name no reason end so.
      if (reply.finish == Finish::kNotYet) reply.finish = Finish::kWhole;
      return;
    }
    const json chunk = ParseEvent(event.data, reply);
    if (auto fault = FaultIn(chunk)) reply.error = std::move(fault);
    ReadModel(&chunk, reply);
    ReadChatUsage(Member(&chunk, "usage"), reply);
    const json* choice = FirstChoice(chunk);
    ReadChatMessage(Member(choice, "delta"), reply);
    ReadChatFinish(choice, reply);
  }

  bool ReadWhole(std::string_view body, Reply& reply) const override {
    const json whole = ParseReply(body);
    if (!whole.is_object()) return false;
    reply.error = FaultIn(whole);
    ReadModel(&whole, reply);
    ReadChatUsage(Member(&whole, "usage"), reply);
    const json* choice = FirstChoice(whole);
    const json* message = Member(choice, "message");
    ReadChatMessage(message, reply);
    ReadChatFinish(choice, reply);
    if (reply.finish == Finish::kNotYet) {
      reply.finish = message == nullptr ? Finish::kNoAnswer : Finish::kWhole;
    }
    return message != nullptr || reply.error || reply.has_usage;
  }
};

}  // namespace

const Dialect& ChatDialect() {
  static const Chat chat;
  return chat;
}

}  // namespace coppice::agents
