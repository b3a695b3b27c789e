#include "engine/cli/trajectory_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "engine/documents/measured_json.h"
#include "engine/documents/or_null.h"

namespace coppice::cli {
namespace {

using nlohmann::ordered_json;

constexpr int kTrajectoryFormat = 1;

std::string_view OutcomeName(CallOutcome outcome) {
  switch (outcome) {
    case CallOutcome::kSent:
      return "sent";
    case CallOutcome::kAnswered:
      return "answered";
    case CallOutcome::kFailed:
      return "failed";
    case CallOutcome::kUnknown:
      return "outcome_unknown";
  }
  return "unknown";
}

ordered_json Message(const char* role, const std::string& content) {
  return {{"role", role}, {"content", content}};
}

ordered_json PlanJson(const std::optional<Plan>& plan) {
  if (!plan) return nullptr;
  return {{"technique", plan->technique},
          {"anchors", plan->anchors},
          {"grounded", plan->grounded}};
}

}  // namespace

std::optional<double> RewardOf(const store::Endeavour& attempt) {
  if (!attempt.verdict || *attempt.verdict == Verdict::kInconclusive) {
    return std::nullopt;
  }
  if (*attempt.verdict != Verdict::kPassed) return 0.0;
  return attempt.speedup->ratio;
}

ordered_json TrajectoryJson(const store::CampaignSpec& campaign,
                            const store::Trajectory& call) {
  const store::Endeavour& attempt = call.attempt;
  const CallIntent& asked = call.asked;
  ordered_json completion = ordered_json::array();
  if (call.end.outcome == CallOutcome::kAnswered) {
    completion.push_back(Message("assistant", call.end.answer));
  }
  ordered_json json = {
      {"format", kTrajectoryFormat},
      {"campaign", campaign.name},
      {"task", campaign.task_name},
      {"level", campaign.task_level},
      {"seed", campaign.seed},
      {"policy", attempt.policy},
      {"decision", attempt.decision},
      {"attempt", ToString(attempt.uuid)},
      {"call", ToString(asked.uuid)},
      {"retry_of", OrNull(call.retry_of, ToString)},
      {"role", Name(asked.role)},
      {"prompt",
       {Message("system", asked.system_prompt),
        Message("user", asked.user_prompt)}},
      {"completion", std::move(completion)},
      {"outcome", OutcomeName(call.end.outcome)},
      {"error", call.end.error},
      {"reward", OrNull(RewardOf(attempt))},
      {"verdict", NameOrNull(attempt.verdict)},
      {"speedup", nullptr},  // These three are set below.
      {"speedup_low", nullptr},
      {"speedup_high", nullptr},
      {"parent_speedup", OrNull(attempt.parent_speedup)},
      {"node", OrNull(attempt.node)},
      {"same_as", OrNull(attempt.same_as)},
      {"lineage", attempt.lineage},
      {"plan", PlanJson(attempt.plan)},
      {"changed_inside", attempt.footprint.changed_inside},
      {"changed_outside", attempt.footprint.changed_outside},
      {"provider", asked.provider},
      {"model", asked.model},
      {"served_model", OrNull(call.served_model)},
      {"temperature", OrNull(call.sampling.temperature)},
      {"top_p", OrNull(call.sampling.top_p)},
      {"max_output_tokens", OrNull(call.sampling.max_output_tokens)},
      {"effort", OrNull(call.sampling.effort)},
      {"template_set", asked.template_set},
      {"template_hash", call.template_hash},
      {"sample_index", asked.sample_index},
      {"input_tokens", call.end.usage.input_tokens},
      {"cached_input_tokens", call.end.usage.cached_input_tokens},
      {"cache_write_tokens", call.end.usage.cache_write_tokens},
      {"output_tokens", call.end.usage.output_tokens},
      {"cost_usd", call.end.cost_usd},
      {"price_version", call.price_version},
      {"latency_s", call.end.latency_s},
      {"sent_at_s", asked.sent_at_s}};
  json.update(SpeedupJson(attempt.speedup));
  return json;
}

}  // namespace coppice::cli
