#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "agents/prompt/reply_json.h"
#include "agents/provider/command_transport.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestQuote = 300;

Refusal Unavailable(const std::string& what) {
  return MayBeBilled({Errc::kUnavailable, what});
}

Delivery NotOfTheForm(std::string_view out, const char* form) {
  Delivery delivery;
  delivery.refusal =
      Unavailable(std::string("the output is no ") + form + ": " +
                  std::string(out.substr(0, kLongestQuote)));
  return delivery;
}

Delivery ReadText(std::string_view out) {
  Delivery delivery;
  delivery.answer.text = out;
  if (out.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    delivery.answer.fault = "the command printed nothing";
  }
  return delivery;
}

// As commands report it: parts may be more than their whole.
Usage Consistent(Usage usage) {
  usage.cached_input_tokens =
      std::min(usage.cached_input_tokens, usage.input_tokens);
  usage.cache_write_tokens = std::min(
      usage.cache_write_tokens, usage.input_tokens - usage.cached_input_tokens);
  usage.reasoning_tokens =
      std::min(usage.reasoning_tokens, usage.output_tokens);
  return usage;
}

// All models that took part, since it may ask a small one on the side.
Usage SumOfModels(const json* models) {
  Usage sum;
  if (models == nullptr || !models->is_object()) return sum;
  for (const auto& [name, usage] : models->items()) {
    Usage one;
    one.cached_input_tokens = CountOf(&usage, "cacheReadInputTokens");
    one.cache_write_tokens = CountOf(&usage, "cacheCreationInputTokens");
    one.input_tokens = CountOf(&usage, "inputTokens") +
                       one.cached_input_tokens + one.cache_write_tokens;
    one.output_tokens = CountOf(&usage, "outputTokens");
    AddUsage(one, sum);
  }
  return Consistent(sum);
}

Delivery ReadClaude(std::string_view out) {
  const json result = ParseReply(out);
  if (TextOf(Member(&result, "type")) != "result") {
    return NotOfTheForm(out, "result of claude");
  }
  Delivery delivery;
  delivery.answer.usage = SumOfModels(Member(&result, "modelUsage"));
  if (const auto cost = DollarsOf(&result, "total_cost_usd")) {
    delivery.answer.cost_usd = cost;
    delivery.answer.price_version = "provider";
  }
  delivery.answer.text = TextOf(Member(&result, "result"));
  // `subtype` says "success" of an error, too.
  const json* is_error = Member(&result, "is_error");
  if (is_error != nullptr && *is_error == true) {
    delivery.refusal = Unavailable(delivery.answer.text);
  } else if (TextOf(Member(&result, "stop_reason")) == "max_tokens") {
    delivery.answer.fault = "the answer was cut at the output limit";
  } else if (delivery.answer.text.empty()) {
    delivery.answer.fault = "the answer is empty";
  }
  return delivery;
}

Usage CodexUsage(const json* read) {
  return {.input_tokens = CountOf(read, "input_tokens"),
          .cached_input_tokens = CountOf(read, "cached_input_tokens"),
          .output_tokens = CountOf(read, "output_tokens"),
          .cache_write_tokens = CountOf(read, "cache_write_input_tokens"),
          .reasoning_tokens = CountOf(read, "reasoning_output_tokens")};
}

// The last agent message counts; what is no JSON, such as a warning, does not.
Delivery ReadCodex(std::string_view out) {
  Delivery delivery;
  bool completed = false;
  std::string failure;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = std::min(out.find('\n', at), out.size());
    const json event = ParseReply(out.substr(at, end - at));
    at = end + 1;
    const std::string type = TextOf(Member(&event, "type"));
    const json* item = Member(&event, "item");
    if (type == "item.completed" &&
        TextOf(Member(item, "type")) == "agent_message") {
      delivery.answer.text = TextOf(Member(item, "text"));
    } else if (type == "turn.completed") {
      completed = true;
      Usage& usage = delivery.answer.usage;
      AddUsage(CodexUsage(Member(&event, "usage")), usage);
      usage = Consistent(usage);
    } else if (type == "turn.failed") {
      failure = TextOf(Member(Member(&event, "error"), "message"));
    }
  }
  if (!failure.empty()) {
    delivery.refusal = Unavailable(failure);
  } else if (!completed) {
    Delivery none = NotOfTheForm(out, "whole turn of codex");
    none.answer = std::move(delivery.answer);
    return none;
  } else if (delivery.answer.text.empty()) {
    delivery.answer.fault = "the answer is empty";
  }
  return delivery;
}

}  // namespace

Delivery ReadCommandOutput(ExecAnswer form, std::string_view out) {
  switch (form) {
    case ExecAnswer::kClaude:
      return ReadClaude(out);
    case ExecAnswer::kCodex:
      return ReadCodex(out);
    case ExecAnswer::kText:
      break;
  }
  return ReadText(out);
}

}  // namespace coppice::agents
