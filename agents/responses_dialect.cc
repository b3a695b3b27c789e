#include <nlohmann/json.hpp>

#include "agents/dialect.h"
#include "agents/reply_json.h"
#include "agents/sent_sampling.h"
#include "agents/structured.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

void ReadResponsesUsage(const json* usage, Reply& reply) {
  if (usage == nullptr || !usage->is_object()) return;
  ReadTokens(*usage, "input_tokens", "output_tokens", reply);
}

// The parts of all messages in `output`; reasoning and calls are others.
void ReadOutput(const json* output, Reply& reply) {
  if (output == nullptr || !output->is_array()) return;
  for (const json& item : *output) {
    const json* parts = Member(&item, "content");
    if (TextOf(Member(&item, "type")) != "message" || parts == nullptr ||
        !parts->is_array()) {
      continue;
    }
    for (const json& part : *parts) {
      reply.text += TextOf(Member(&part, "text"));
      reply.refusal += TextOf(Member(&part, "refusal"));
    }
  }
}

// A whole response.  The text of a stream has come already.
void ReadResponse(const json* response, Reply& reply) {
  ReadResponsesUsage(Member(response, "usage"), reply);
  if (reply.text.empty() && reply.refusal.empty()) {
    ReadOutput(Member(response, "output"), reply);
  }
  const std::string status = TextOf(Member(response, "status"));
  reply.reason =
      TextOf(Member(Member(response, "incomplete_details"), "reason"));
  if (reply.reason.empty()) reply.reason = status;
  if (status == "completed") {
    reply.finish = Finish::kWhole;
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

class Responses final : public Dialect {
 public:
  std::string_view Path() const override { return "/responses"; }

  std::vector<std::string> Headers(std::string_view key) const override {
    return ChatDialect().Headers(key);
  }

  WireBody Body(const ModelRequest& request,
                const BodyOptions& options) const override {
    std::string prompt = request.user_prompt;
    if (options.structured) prompt += StructuredInstruction();
    const SentSampling sent = Sendable(request.sampling, options);
    json body = {{"model", options.model}, {"input", prompt}, {"store", false}};
    Put(body, "max_output_tokens", sent.max_output_tokens);
    Put(body, "temperature", sent.temperature);
    Put(body, "top_p", sent.top_p);
    if (sent.effort) body["reasoning"] = {{"effort", *sent.effort}};
    if (!request.system_prompt.empty()) {
      body["instructions"] = request.system_prompt;
    }
    if (options.structured) {
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
