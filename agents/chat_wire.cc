#include "agents/chat_wire.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace coppice::agents {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestBody = 300;  // Bytes of a body in an error.

// Without what nests deeper, which no reply needs and recursion would not
// survive.
json Parse(std::string_view body) {
  constexpr int kDepth = 32;
  return json::parse(
      body,
      [](int depth, json::parse_event_t, json&) { return depth < kDepth; },
      /*allow_exceptions=*/false);
}

// The member if it is there and of the type asked for, else null.
const json* Member(const json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string Text(const json* value) {
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  if (value->is_number_integer()) return value->dump();
  return "";
}

std::int64_t Count(const json* object, const char* name) {
  const json* value = object == nullptr ? nullptr : Member(*object, name);
  if (value == nullptr || !value->is_number()) return 0;
  // Beyond, counts are not exact, nor are they counts of tokens.
  constexpr double kMost = 0x1p53;
  const double count = value->get<double>();
  return count > 0 && count <= kMost ? static_cast<std::int64_t>(count) : 0;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return lower;
}

bool HoldsAny(std::string_view text, auto... words) {
  return ((text.find(words) != std::string_view::npos) || ...);
}

// Text, or the text of a list of parts.
std::string Content(const json* content) {
  if (content == nullptr || !content->is_array()) return Text(content);
  std::string text;
  for (const json& part : *content) text += Text(Member(part, "text"));
  return text;
}

Usage ReadUsage(const json* object) {
  Usage usage;
  usage.input_tokens = Count(object, "prompt_tokens");
  usage.output_tokens = Count(object, "completion_tokens");
  if (object != nullptr) {
    usage.cached_input_tokens = std::min(
        usage.input_tokens,
        Count(Member(*object, "prompt_tokens_details"), "cached_tokens"));
  }
  return usage;
}

double CostUsd(const Usage& usage, const Prices& prices, const json* object) {
  const json* reported = object == nullptr ? nullptr : Member(*object, "cost");
  if (reported != nullptr && reported->is_number() &&
      reported->get<double>() >= 0) {
    return reported->get<double>();
  }
  const auto fresh =
      static_cast<double>(usage.input_tokens - usage.cached_input_tokens);
  const auto cached = static_cast<double>(usage.cached_input_tokens);
  const auto output = static_cast<double>(usage.output_tokens);
  return 1e-6 * (fresh * prices.usd_per_million_input +
                 cached * prices.usd_per_million_cached_input +
                 output * prices.usd_per_million_output);
}

// A reply without a message: of a model that has worked, or of no model.
Result<ModelAnswer> WithoutMessage(const std::string& why, ModelAnswer answer) {
  if (answer.usage.input_tokens + answer.usage.output_tokens == 0) {
    return Fail(Errc::kCorrupt, why);
  }
  answer.fault = why;
  return answer;
}

// What keeps the text of an answer from being a whole one; empty: nothing.
std::string FaultOf(const std::string& text, const std::string& refusal,
                    const std::string& finish_reason) {
  if (!refusal.empty()) return "the model refused: " + refusal;
  if (finish_reason == "length") {
    return "the answer was cut at the output limit; raise max_output_tokens";
  }
  if (finish_reason == "content_filter" || finish_reason == "error" ||
      text.empty()) {
    return "the answer is empty or withheld, finish_reason \"" + finish_reason +
           "\"";
  }
  return "";
}

}  // namespace

std::string ChatRequestBody(std::string_view model, const ModelRequest& request,
                            const ChatParameters& parameters) {
  json body = {{"model", model}, {"messages", json::array()}};
  if (!request.system_prompt.empty()) {
    body["messages"].push_back(
        {{"role", "system"}, {"content", request.system_prompt}});
  }
  body["messages"].push_back(
      {{"role", "user"}, {"content", request.user_prompt}});
  const Sampling& sampling = request.sampling;
  if (parameters.temperature && sampling.temperature) {
    body["temperature"] = *sampling.temperature;
  }
  if (parameters.top_p && sampling.top_p) body["top_p"] = *sampling.top_p;
  if (!parameters.output_limit.empty()) {
    body[parameters.output_limit] = sampling.max_output_tokens;
  }
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<ModelAnswer> ReadChatReply(std::string_view body, const Prices& prices) {
  const json reply = Parse(body);
  if (reply.is_discarded()) {
    return Fail(Errc::kCorrupt, "the reply is not JSON: " +
                                    std::string(body.substr(0, kLongestBody)));
  }
  const json* usage = Member(reply, "usage");
  ModelAnswer answer;
  answer.usage = ReadUsage(usage);
  answer.cost_usd = CostUsd(answer.usage, prices, usage);
  const json* choices = Member(reply, "choices");
  if (choices == nullptr || !choices->is_array() || choices->empty()) {
    return WithoutMessage("the reply has no choices", std::move(answer));
  }
  const json& choice = choices->front();
  const json* message = Member(choice, "message");
  if (message == nullptr) {
    return WithoutMessage("the reply has no message", std::move(answer));
  }
  answer.text = Content(Member(*message, "content"));
  answer.fault = FaultOf(answer.text, Text(Member(*message, "refusal")),
                         Text(Member(choice, "finish_reason")));
  return answer;
}

std::optional<ChatFault> ReadChatFault(std::string_view body) {
  const json reply = Parse(body);
  const json* error = Member(reply, "error");
  // Older servers put the members at the top.
  if (error == nullptr && Text(Member(reply, "object")) == "error") {
    error = &reply;
  }
  if (error == nullptr) return std::nullopt;
  if (error->is_string()) return ChatFault{error->get<std::string>(), "", ""};
  ChatFault fault;
  fault.message = Text(Member(*error, "message"));
  fault.code = Text(Member(*error, "code"));
  if (fault.code.empty()) fault.code = Text(Member(*error, "type"));
  fault.parameter = Text(Member(*error, "param"));
  if (fault.message.empty()) {
    fault.message = error->dump(-1, ' ', false, json::error_handler_t::replace)
                        .substr(0, kLongestBody);
  }
  return fault;
}

std::optional<std::string> RejectedParameter(const ChatFault& fault) {
  const std::string text = Lower(fault.code + " " + fault.message);
  if (!HoldsAny(text, "unsupported", "not support", "unknown", "unrecognized",
                "not permitted", "not allowed", "deprecated",
                "cannot both be")) {
    return std::nullopt;
  }
  constexpr std::array<std::string_view, 4> kParameters = {
      "max_completion_tokens", "max_tokens", "temperature", "top_p"};
  if (std::ranges::find(kParameters, fault.parameter) != kParameters.end()) {
    return fault.parameter;
  }
  // The first that the message names: a second is what to use in its place.
  std::string_view first;
  std::size_t earliest = std::string::npos;
  for (const std::string_view name : kParameters) {
    const std::size_t at = text.find(name);
    if (at < earliest) {
      earliest = at;
      first = name;
    }
  }
  if (first.empty()) return std::nullopt;
  return std::string(first);
}

bool IsOutOfMoney(const ChatFault& fault) {
  return HoldsAny(Lower(fault.code + " " + fault.message), "insufficient_quota",
                  "credit_balance", "exceeded your current quota",
                  "spend limit", "spending limit", "billing");
}

}  // namespace coppice::agents
