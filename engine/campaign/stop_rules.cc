#include "engine/campaign/stop_rules.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "engine/campaign/expert_baseline.h"
#include "engine/campaign/progress.h"
#include "engine/campaign/torch_baselines.h"
#include "store/database.h"
#include "store/records/candidate.h"
#include "store/records/formatted.h"
#include "store/write/baselines.h"

namespace coppice::engine {
namespace {

std::string TimesText(double times) { return Formatted("%.4g", times); }

}  // namespace

double ReachedSpeedup(const Progress& progress) {
  const Speedup& best = progress.best_speedup;
  return best.interval ? best.interval->low : 0.0;
}

std::optional<std::string> MetRule(const StopRules& rules,
                                   const Progress& progress) {
  if (progress.nothing_left) {
    return "the catalogue has no further idea for this kernel; this needs a "
           "model: --code-model PROVIDER:MODEL";
  }
  const double reached = ReachedSpeedup(progress);
  const std::string best = "its best kernel is at least " + TimesText(reached) +
                           " times as fast as the root: ";
  if (rules.speedup && reached >= *rules.speedup) {
    return best + "--stop-at-speedup " + TimesText(*rules.speedup);
  }
  if (rules.baseline &&
      Over(progress.best_speedup, rules.baseline->speedup).Sign() > 0) {
    return best + "--stop-at-baseline " + rules.baseline->name + ", which is " +
           TimesText(rules.baseline->speedup.ratio) + " times as fast";
  }
  if (rules.without_gain && progress.since_gain >= *rules.without_gain) {
    return std::to_string(progress.since_gain) +
           " attempts in a row without a faster kernel: --stop-without-gain " +
           std::to_string(*rules.without_gain);
  }
  return std::nullopt;
}

Result<std::string> StoredBaseline(const std::string& name) {
  if (name == store::kExpertBaseline) return name;
  auto known = ParseTorchBaseline(name);
  if (known) return StoredName(*known);
  std::string what = "--stop-at-baseline " + name + ": expected expert";
  for (const std::string& other : TorchBaselineNames()) what += ", " + other;
  return Fail(Errc::kUsage, std::move(what));
}

Result<void> CheckRules(const config::Settings& settings, const Task& task) {
  if (!settings.stop_at_baseline) return {};
  const std::string& name = *settings.stop_at_baseline;
  const std::string option = "--stop-at-baseline " + name + ": ";
  if (name == store::kExpertBaseline) {
    if (ExpertOf(task)) return {};
    return Fail(Errc::kUsage,
                option + task.definition.name + " comes with no expert");
  }
  TRY(wanted, ParseTorchBaseline(name));
  TRY(measured, ParseTorchBaselines(settings.baselines));
  if (std::ranges::find(measured, wanted) != measured.end()) return {};
  return Fail(Errc::kUsage,
              option + "is not measured unless by --baselines " + name);
}

Result<StopRules> StopRulesOf(const config::Settings& settings,
                              store::Database& database, CampaignId campaign) {
  StopRules rules;
  rules.speedup = settings.stop_at_speedup;
  if (settings.stop_without_gain) {
    rules.without_gain = static_cast<std::int64_t>(*settings.stop_without_gain);
  }
  if (!settings.stop_at_baseline) return rules;
  const std::string& name = *settings.stop_at_baseline;
  TRY(stored, StoredBaseline(name));
  TRY(baselines, store::ReadBaselines(database, campaign));
  const auto found =
      std::ranges::find_if(baselines, [&](const store::Baseline& each) {
        return each.name == stored && !each.quoted;
      });
  if (found == baselines.end() || !found->speedup) {
    return Fail(Errc::kUsage,
                "--stop-at-baseline " + name +
                    ": has no speed on this task: it was not measured, or did "
                    "not pass");
  }
  rules.baseline = {name, *found->speedup};
  return rules;
}

}  // namespace coppice::engine
