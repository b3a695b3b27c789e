#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "agents/prompt/reply_json.h"
#include "agents/provider/command_transport.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestQuote = 300;

Refusal ExecRefusal(Errc code, const std::string& what) {
  return {{code, what}, Again::kNever, false, std::nullopt, true};
}

Delivery NotOfTheForm(std::string_view out, const char* form) {
  Delivery delivery;
  delivery.refusal = ExecRefusal(
      Errc::kUnavailable, std::string("the output is no ") + form + ": " +
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
    const std::int64_t cached = CountOf(&usage, "cacheReadInputTokens");
    const std::int64_t written = CountOf(&usage, "cacheCreationInputTokens");
    AddCount(cached, sum.cached_input_tokens);
    AddCount(written, sum.cache_write_tokens);
    AddCount(CountOf(&usage, "inputTokens") + cached + written,
             sum.input_tokens);
    AddCount(CountOf(&usage, "outputTokens"), sum.output_tokens);
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
  const json* cost = Member(&result, "total_cost_usd");
  if (cost != nullptr && cost->is_number() && cost->get<double>() >= 0) {
    delivery.answer.cost_usd = cost->get<double>();
    delivery.answer.price_version = "provider";
  }
  delivery.answer.text = TextOf(Member(&result, "result"));
  // `subtype` says "success" of an error, too.
  const json* is_error = Member(&result, "is_error");
  if (is_error != nullptr && *is_error == true) {
    delivery.refusal = ExecRefusal(Errc::kUnavailable, delivery.answer.text);
  } else if (TextOf(Member(&result, "stop_reason")) == "max_tokens") {
    delivery.answer.fault = "the answer was cut at the output limit";
  } else if (delivery.answer.text.empty()) {
    delivery.answer.fault = "the answer is empty";
  }
  return delivery;
}

void AddCodexUsage(const json* read, Usage& usage) {
  AddCount(CountOf(read, "input_tokens"), usage.input_tokens);
  AddCount(CountOf(read, "cached_input_tokens"), usage.cached_input_tokens);
  AddCount(CountOf(read, "cache_write_input_tokens"), usage.cache_write_tokens);
  AddCount(CountOf(read, "output_tokens"), usage.output_tokens);
  AddCount(CountOf(read, "reasoning_output_tokens"), usage.reasoning_tokens);
  usage = Consistent(usage);
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
      AddCodexUsage(Member(&event, "usage"), delivery.answer.usage);
    } else if (type == "turn.failed") {
      failure = TextOf(Member(Member(&event, "error"), "message"));
    }
  }
  if (!failure.empty()) {
    delivery.refusal = ExecRefusal(Errc::kUnavailable, failure);
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
