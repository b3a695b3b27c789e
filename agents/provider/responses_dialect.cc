#include <nlohmann/json.hpp>

#include "agents/prompt/reply_json.h"
#include "agents/prompt/structured.h"
#include "agents/provider/dialect.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

void ReadResponsesUsage(const json* usage, Reply& reply) {
  if (usage == nullptr || !usage->is_object()) return;
  ReadTokens(*usage, "input_tokens", "output_tokens", reply);
}

// An item of the output, whole or as it begins.  What was thought is kept where
// it can be given back.
void ReadItem(const json* item, std::int64_t index, Reply& reply) {
  const std::string type = TextOf(Member(item, "type"));
  if (type == "function_call") {
    ToolCall& call = CallAt(index, reply);
    call.id = TextOf(Member(item, "call_id"));
    call.name = TextOf(Member(item, "name"));
    const std::string arguments = TextOf(Member(item, "arguments"));
    if (!arguments.empty()) call.arguments = arguments;
  } else if (type == "reasoning" &&
             Member(item, "encrypted_content") != nullptr) {
    Keep(DumpBody(*item), reply);
  }
}

void ReadItems(const json& output, Reply& reply) {
  std::int64_t index = 0;
  for (const json& item : output) ReadItem(&item, index++, reply);
}

// The parts of all messages in `output`; reasoning and calls are others.
void ReadOutput(const json& output, Reply& reply) {
  for (const json& item : output) {
    if (TextOf(Member(&item, "type")) != "message") continue;
    for (const json& part : ListOf(Member(&item, "content"))) {
      reply.text += TextOf(Member(&part, "text"));
      reply.refusal += TextOf(Member(&part, "refusal"));
    }
  }
}

// A whole response.  The text of a stream has come already.
void ReadResponse(const json* response, Reply& reply) {
  ReadResponsesUsage(Member(response, "usage"), reply);
  const json& output = ListOf(Member(response, "output"));
  if (reply.text.empty() && reply.refusal.empty()) ReadOutput(output, reply);
  if (reply.calls.empty() && reply.kept.empty()) ReadItems(output, reply);
  const std::string status = TextOf(Member(response, "status"));
  reply.reason =
      TextOf(Member(Member(response, "incomplete_details"), "reason"));
  if (reply.reason.empty()) reply.reason = status;
  if (status == "completed") {
    reply.finish = reply.calls.empty() ? Finish::kWhole : Finish::kCalls;
  } else if (reply.reason == "max_output_tokens") {
    reply.finish = Finish::kCut;
  } else if (reply.reason == "content_filter") {
    reply.finish = Finish::kRefused;
  } else {
    reply.finish = Finish::kNoAnswer;
  }
  if (response != nullptr) {
    if (auto fault = FaultIn(*response)) reply.error = std::move(fault);
  }
}

void PutResponsesMessage(const Message& message, json& input) {
  switch (message.speaker) {
    case Speaker::kUser:
      input.push_back({{"role", "user"}, {"content", message.text}});
      return;
    case Speaker::kTool:
      input.push_back({{"type", "function_call_output"},
                       {"call_id", message.call_id},
                       {"output", message.text}});
      return;
    case Speaker::kModel:
      break;
  }
  for (json& item : KeptItems(message.kept)) input.push_back(std::move(item));
  if (!message.text.empty()) {
    input.push_back({{"role", "assistant"}, {"content", message.text}});
  }
  for (const ToolCall& call : message.calls) {
    input.push_back({{"type", "function_call"},
                     {"call_id", call.id},
                     {"name", call.name},
                     {"arguments", DumpBody(SoundArguments(call.arguments))}});
  }
}

// Nothing is stored there, so that what a model thought comes encrypted, and
// goes back; models that do not think refuse to be asked for it.
void PutResponsesConversation(const Conversation& conversation, bool thinks,
                              json& body) {
  body["input"] = json::array();
  for (const Message& message : conversation.messages) {
    PutResponsesMessage(message, body["input"]);
  }
  if (!conversation.system.empty()) body["instructions"] = conversation.system;
  for (const Tool& tool : conversation.tools) {
    body["tools"].push_back({{"type", "function"},
                             {"name", tool.name},
                             {"description", tool.description},
                             {"strict", false},
                             {"parameters", ParseReply(tool.parameters)}});
  }
  if (thinks) body["include"] = {"reasoning.encrypted_content"};
}

class Responses final : public Dialect {
 public:
  std::string_view Path() const override { return "/responses"; }

  std::vector<std::string> Headers(std::string_view key) const override {
    return ChatDialect().Headers(key);
  }

  TransportBody Body(const ModelRequest& request,
                     const BodyOptions& options) const override {
    std::string prompt = request.user_prompt;
    const bool structured =
        options.structured && request.conversation == nullptr;
    if (structured) prompt += StructuredInstruction();
    const SentSampling sent = options.Sendable(request.sampling);
    json body = {{"model", options.model}, {"input", prompt}, {"store", false}};
    Put(body, "max_output_tokens", sent.max_output_tokens);
    Put(body, "temperature", sent.temperature);
    Put(body, "top_p", sent.top_p);
    if (sent.effort) body["reasoning"] = {{"effort", *sent.effort}};
    if (!request.system_prompt.empty()) {
      body["instructions"] = request.system_prompt;
    }
    if (request.conversation != nullptr) {
      PutResponsesConversation(*request.conversation,
                               !options.temperature || sent.effort.has_value(),
                               body);
    }
    if (structured) {
      body["text"] = {{"format",
                       {{"type", "json_schema"},
                        {"name", "answer"},
                        {"strict", true},
                        {"schema", json::parse(AnswerSchema(request.role))}}}};
    }
    if (options.stream) body["stream"] = true;
    return {DumpBody(body), sent};
  }

  void ReadEvent(const SseEvent& event, Reply& reply) const override {
    const json data = ParseEvent(event.data, reply);
    const std::string type = TextOf(Member(&data, "type"));
    ReadModel(Member(&data, "response"), reply);
    if (type == "response.output_text.delta") {
      reply.text += TextOf(Member(&data, "delta"));
    } else if (type == "response.refusal.delta") {
      reply.refusal += TextOf(Member(&data, "delta"));
    } else if (type.starts_with("response.reasoning") &&
               type.ends_with(".delta")) {
      reply.unseen_characters +=
          static_cast<std::int64_t>(TextOf(Member(&data, "delta")).size());
    } else if (type == "response.function_call_arguments.delta") {
      CallAt(CountOf(&data, "output_index"), reply).arguments +=
          TextOf(Member(&data, "delta"));
    } else if (type == "response.output_item.added" &&
               TextOf(Member(Member(&data, "item"), "type")) == "reasoning") {
      // It is not whole yet.
    } else if (type == "response.output_item.added" ||
               type == "response.output_item.done") {
      ReadItem(Member(&data, "item"), CountOf(&data, "output_index"), reply);
    } else if (type == "response.completed" || type == "response.incomplete" ||
               type == "response.failed") {
      ReadResponse(Member(&data, "response"), reply);
    } else if (type == "error") {
      // Its members are at the top, or in `error`.
      reply.error = FaultIn(data).value_or(WireFault{
          TextOf(Member(&data, "message")), TextOf(Member(&data, "code")),
          TextOf(Member(&data, "param"))});
    } else if (type.empty()) {
      if (auto fault = FaultIn(data)) reply.error = std::move(fault);
    }
  }

  bool ReadWhole(std::string_view body, Reply& reply) const override {
    const json whole = ParseReply(body);
    if (!whole.is_object()) return false;
    ReadModel(&whole, reply);
    ReadResponse(&whole, reply);
    return Member(&whole, "output") != nullptr || reply.error ||
           reply.has_usage;
  }
};

}  // namespace

const Dialect& ResponsesDialect() {
  static const Responses responses;
  return responses;
}

}  // namespace coppice::agents
