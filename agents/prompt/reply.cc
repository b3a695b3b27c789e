#include "agents/prompt/reply.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "agents/prompt/reply_json.h"
#include "store/records/parse_number.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestMessage = 1024;  // Bytes.

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

// Discarded if it is no JSON to the letter.
json ParseStrictly(std::string_view body) {
  constexpr int kDepth = 32;
  return json::parse(
      body,
      [](int depth, json::parse_event_t, json&) { return depth < kDepth; },
      /*allow_exceptions=*/false);
}

// "\ud83d" -> 0xd83d at the start of `text`; 0 if there is no such escape.
unsigned EscapedUnit(std::string_view text) {
  if (text.size() < 6 || !text.starts_with("\\u")) return 0;
  return ParseNumber<unsigned>(text.substr(2, 4), 16).value_or(0);
}

// Puts U+FFFD for each surrogate that is escaped without its other half.
std::string WithoutLoneSurrogates(std::string text) {
  constexpr std::size_t kEscape = 6;
  const auto is_in = [](unsigned unit, unsigned first, unsigned last) {
    return first <= unit && unit <= last;
  };
  for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos;) {
    const std::string_view rest = std::string_view(text).substr(at);
    const unsigned unit = EscapedUnit(rest);
    if (!is_in(unit, 0xD800, 0xDFFF)) {
      at += 2;
    } else if (is_in(unit, 0xD800, 0xDBFF) &&
               is_in(EscapedUnit(rest.substr(kEscape)), 0xDC00, 0xDFFF)) {
      at += 2 * kEscape;
    } else {
      text.replace(at, kEscape, "\\ufffd");
      at += kEscape;
    }
  }
  return text;
}

}  // namespace

json ParseReply(std::string_view body) {
  json parsed = ParseStrictly(body);
  if (!parsed.is_discarded()) return parsed;
  // A model may be cut in the middle of a character, and its server pass that
  // on.
  const std::string as_json = DumpBody(json(std::string(body)));
  return ParseStrictly(
      WithoutLoneSurrogates(json::parse(as_json).get<std::string>()));
}

json ParseEvent(std::string_view data, Reply& reply) {
  json event = ParseReply(data);
  if (event.is_discarded() && data.starts_with('{')) reply.is_damaged = true;
  return event;
}

const json* Member(const json* object, const char* name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(name);
  return found == object->end() || found->is_null() ? nullptr : &*found;
}

const json& ListOf(const json* value) {
  static const json none = json::array();
  return value != nullptr && value->is_array() ? *value : none;
}

std::string TextOf(const json* value) {
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  if (value->is_number_integer()) return value->dump();
  return "";
}

std::int64_t CountOf(const json* object, const char* name) {
  const json* value = Member(object, name);
  if (value == nullptr || !value->is_number()) return 0;
  constexpr double kMost = 0x1p53;
  const double count = value->get<double>();
  return count > 0 && count <= kMost ? static_cast<std::int64_t>(count) : 0;
}

std::optional<double> DollarsOf(const json* object, const char* name) {
  const json* value = Member(object, name);
  if (value == nullptr || !value->is_number() || value->get<double>() < 0) {
    return std::nullopt;
  }
  return value->get<double>();
}

void AddUsage(const Usage& usage, Usage& sum) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  for (const auto count : {&Usage::input_tokens, &Usage::cached_input_tokens,
                           &Usage::output_tokens, &Usage::cache_write_tokens,
                           &Usage::reasoning_tokens}) {
    sum.*count = std::min(sum.*count + usage.*count, kMost);
  }
}

void ReadTokens(const json& usage, const std::string& in,
                const std::string& out, Reply& reply) {
  const json* of_in = Member(&usage, (in + "_details").c_str());
  const json* of_out = Member(&usage, (out + "_details").c_str());
  Usage& read = reply.usage;
  read.input_tokens = CountOf(&usage, in.c_str());
  read.output_tokens = CountOf(&usage, out.c_str());
  read.cached_input_tokens =
      std::min(read.input_tokens, CountOf(of_in, "cached_tokens"));
  read.cache_write_tokens =
      std::min(read.input_tokens - read.cached_input_tokens,
               CountOf(of_in, "cache_write_tokens"));
  read.reasoning_tokens =
      std::min(read.output_tokens, CountOf(of_out, "reasoning_tokens"));
  reply.has_usage = read.input_tokens + read.output_tokens > 0;
}

void ReadModel(const json* reply, Reply& read) {
  std::string model = TextOf(Member(reply, "model"));
  if (!model.empty()) read.model = std::move(model);
}

json SoundArguments(const std::string& arguments) {
  json parsed = ParseReply(arguments);
  return parsed.is_object() ? parsed : json::object();
}

json KeptItems(const std::string& kept) {
  json items = ParseReply("[" + kept + "]");
  return items.is_array() ? items : json::array();
}

std::string DumpBody(const json& body) {
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<WireFault> FaultIn(const json& reply) {
  // Gemini's compatible endpoint wraps it in a list of one.
  if (reply.is_array() && reply.size() == 1) return FaultIn(reply.front());
  const json* error = Member(&reply, "error");
  if (error == nullptr && TextOf(Member(&reply, "object")) == "error") {
    error = &reply;
  }
  if (error == nullptr) return std::nullopt;
  if (error->is_string()) return WireFault{error->get<std::string>(), "", ""};
  WireFault fault;
  fault.message = TextOf(Member(error, "message"));
  fault.type = TextOf(Member(error, "type"));
  fault.code = TextOf(Member(error, "code"));
  if (fault.code.empty()) fault.code = fault.type;
  fault.parameter = TextOf(Member(error, "param"));
  if (fault.message.empty()) fault.message = DumpBody(*error);
  return fault;
}

std::string Shortened(std::string message) {
  constexpr std::string_view kMore = " ...";
  if (message.size() <= kLongestMessage) return message;
  std::size_t end = kLongestMessage - kMore.size();
  const auto continues = [](char c) { return (c & 0xC0) == 0x80; };
  while (end > 0 && continues(message[end])) --end;
  return message.substr(0, end).append(kMore);
}

std::optional<WireFault> ReadFault(std::string_view body) {
  return FaultIn(ParseReply(body));
}

ToolCall& CallAt(std::int64_t index, Reply& reply) {
  const auto found = std::ranges::find(reply.calls, index, &ReplyCall::index);
  if (found != reply.calls.end()) return found->call;
  reply.calls.push_back({index, {}});
  return reply.calls.back().call;
}

void Keep(std::string_view object, Reply& reply) {
  if (!reply.kept.empty()) reply.kept += ',';
  reply.kept += object;
}

bool CallsTools(const Reply& reply) {
  // Servers that are done with calls may say that they are just done.
  return !reply.calls.empty() && reply.refusal.empty() &&
         (reply.finish == Finish::kCalls || reply.finish == Finish::kWhole);
}

std::int64_t TokensSoFar(const Reply& reply) {
  constexpr std::int64_t kCharacters = 4;
  const auto characters =
      static_cast<std::int64_t>(reply.text.size() + reply.refusal.size());
  std::int64_t called = 0;
  for (const ReplyCall& call : reply.calls) {
    called += std::ssize(call.call.name) + std::ssize(call.call.arguments);
  }
  return (characters + called + reply.unseen_characters + kCharacters - 1) /
         kCharacters;
}

std::string Shortcoming(const Reply& reply) {
  if (!reply.refusal.empty()) return "the model refused: " + reply.refusal;
  switch (reply.finish) {
    case Finish::kWhole:
      if (!reply.text.empty()) return "";
      break;
    case Finish::kCut:
      return "the answer was cut at the output limit; raise max_output_tokens";
    case Finish::kRefused:
      return "the model or a filter refused to answer, \"" + reply.reason +
             "\"";
    case Finish::kNotYet:
    case Finish::kCalls:
    case Finish::kNoAnswer:
      break;
  }
  return "the answer is empty or withheld, finish_reason \"" + reply.reason +
         "\"";
}

std::optional<std::string> RejectedParameter(const WireFault& fault) {
  const std::string text = Lower(fault.code + " " + fault.message);
  if (!HoldsAny(text, "unsupported", "not support", "unknown", "unrecognized",
                "not permitted", "not allowed", "deprecated",
                "cannot both be")) {
    return std::nullopt;
  }
  // What it is called, and what it is: each API has its own name for a schema.
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      // Before output_config.  An effort is the user's word: it is not dropped.
      {"output_config.effort", "effort"},
      {"reasoning.effort", "effort"},
      {"reasoning_effort", "effort"},
      {"max_completion_tokens", "max_completion_tokens"},
      {"max_tokens", "max_tokens"},
      {"temperature", "temperature"},
      {"top_p", "top_p"},
      {"stream_options", "stream_options"},
      {"response_format", "response_format"},
      {"output_config", "response_format"},
      {"output_format", "response_format"},
      {"text.format", "response_format"},
      {"json_schema", "response_format"},
      {"structured output", "response_format"}};
  const auto named = std::ranges::find_if(kNames, [&](const auto& name) {
    return fault.parameter.starts_with(name.first);
  });
  if (named != std::end(kNames)) return std::string(named->second);
  // The first that the message names: a second is what to use in its place.
  std::string_view first;
  std::size_t earliest = std::string::npos;
  for (const auto& [name, parameter] : kNames) {
    const std::size_t at = text.find(name);
    if (at < earliest) {
      earliest = at;
      first = parameter;
    }
  }
  if (first.empty()) return std::nullopt;
  return std::string(first);
}

bool IsOutOfMoney(const WireFault& fault) {
  const std::string code = Lower(fault.code);
  const std::string text = code + " " + Lower(fault.message);
  // Throttles point to the billing page, too, and Gemini's are out of quota.
  if (code == "rate_limit_exceeded" ||
      HoldsAny(text, "retry in ", "try again in ")) {
    return false;
  }
  return HoldsAny(code, "billing") ||
         HoldsAny(text, "insufficient_quota", "credit_balance",
                  "credit balance", "insufficient credit",
                  "exceeded your current quota", "spend limit", "spend_limit",
                  "spending limit");
}

int StatusOf(const WireFault& fault) {
  const int number = ParseNumber<int>(fault.code).value_or(0);
  if (number >= 400 && number < 600) return number;
  constexpr std::pair<std::string_view, int> kCodes[] = {
      {"invalid_request_error", 400},
      {"authentication_error", 401},
      {"billing_error", 402},
      {"permission_error", 403},
      {"not_found_error", 404},
      {"request_too_large", 413},
      {"rate_limit_error", 429},
      {"rate_limit_exceeded", 429},
      {"slow_down", 429},
      {"insufficient_quota", 429},
      {"api_error", 500},
      {"server_error", 500},
      {"timeout_error", 504},
      {"overloaded_error", 529},
      {"server_is_overloaded", 503},
      {"context_length_exceeded", 400},
  };
  for (const std::string& said : {fault.code, fault.type}) {
    for (const auto& [code, meant] : kCodes) {
      if (said == code) return meant;
    }
  }
  constexpr int kBadGateway = 502;
  return kBadGateway;
}

}  // namespace coppice::agents
