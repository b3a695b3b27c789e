#include "agents/provider/session_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agents/prompt/reply_json.h"
#include "agents/provider/command_transport.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kMostMessages = 10'000;

// As the Messages API has it: what is cached is not of input_tokens.
Usage UsageOfMessage(const json* usage) {
  Usage read;
  read.cached_input_tokens = CountOf(usage, "cache_read_input_tokens");
  read.cache_write_tokens = CountOf(usage, "cache_creation_input_tokens");
  read.input_tokens = CountOf(usage, "input_tokens") +
                      read.cached_input_tokens + read.cache_write_tokens;
  read.output_tokens = CountOf(usage, "output_tokens");
  return read;
}

Usage PlainUsage(const json* usage) {
  Usage read;
  read.input_tokens = CountOf(usage, "input_tokens");
  read.cached_input_tokens =
      std::min(CountOf(usage, "cached_input_tokens"), read.input_tokens);
  read.output_tokens = CountOf(usage, "output_tokens");
  return read;
}

}  // namespace

void SessionOutput::Add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    is_dropped_ = is_dropped_ || rest_.size() + part.size() > kLongestLine;
    if (is_dropped_) {
      rest_.clear();
    } else {
      rest_ += part;
    }
    if (end == bytes.npos) return;
    if (!is_dropped_) ReadLine(std::exchange(rest_, ""));
    is_dropped_ = false;
    bytes.remove_prefix(end + 1);
  }
}

void SessionOutput::ReadLine(std::string_view line) {
  if (!line.starts_with('{')) return;
  const json event = ParseReply(line);
  if (!event.is_object()) return;
  const std::string type = TextOf(Member(&event, "type"));
  const std::string id = TextOf(
      Member(&event, form_ == ExecAnswer::kCodex ? "thread_id" : "session_id"));
  if (!id.empty()) own_id_ = id;
  if (form_ == ExecAnswer::kText) {
    if (const auto cost = DollarsOf(&event, "total_cost_usd")) told_usd_ = cost;
    const json* usage = Member(&event, "usage");
    if (usage != nullptr) total_ = PlainUsage(usage);
  } else if (type == "result" || type == "turn.completed" ||
             type == "turn.failed") {
    ReadTotals(line);
  } else if (form_ == ExecAnswer::kClaude && type == "assistant") {
    const json* message = Member(&event, "message");
    const json* usage = Member(message, "usage");
    // A message comes in several events, each with its usage up to then.
    if (usage != nullptr && of_messages_.size() < kMostMessages) {
      of_messages_[TextOf(Member(message, "id"))] = UsageOfMessage(usage);
    }
  }
}

// Each says all of a run or, of codex, of a turn.
void SessionOutput::ReadTotals(std::string_view line) {
  const Delivery told = ReadCommandOutput(form_, line);
  if (told.refusal) error_ = told.refusal->error.what;
  if (told.answer.cost_usd) told_usd_ = told.answer.cost_usd;
  const Usage& usage = told.answer.usage;
  if (usage.input_tokens + usage.output_tokens == 0) return;
  if (form_ == ExecAnswer::kCodex && total_) {
    AddUsage(usage, *total_);
  } else {
    total_ = usage;
  }
}

bool SessionOutput::has_usage() const {
  return total_.has_value() || !of_messages_.empty();
}

Usage SessionOutput::usage() const {
  if (total_) return *total_;
  Usage sum;
  for (const auto& [id, usage] : of_messages_) AddUsage(usage, sum);
  sum.estimated = true;
  return sum;
}

std::optional<double> SessionOutput::cost_usd() const {
  if (told_usd_ || !prices_ || !has_usage()) return told_usd_;
  return CostUsd(usage(), *prices_);
}

std::string SessionOutput::price_version() const {
  if (told_usd_) return "provider";
  return cost_usd() ? prices_->version : "";
}

}  // namespace coppice::agents
