#include "engine/cli/yardsticks.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "engine/campaign/display.h"
#include "engine/campaign/expert_baseline.h"
#include "engine/campaign/torch_baselines.h"
#include "engine/cli/campaign_means.h"
#include "engine/cli/start_campaign.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/process/terminal_text.h"
#include "engine/run/campaign_report.h"
#include "store/database.h"
#include "store/records/evaluation.h"
#include "store/records/speedup_text.h"
#include "store/write/baselines.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

// The line with the error of Python's tracebacks, and the first of other logs.
std::string ReasonOf(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == ' ' || line.starts_with("Traceback")) {
      continue;
    }
    return engine::Printable(line);
  }
  return "no reason is known";
}

std::string BaselineText(const Result<Evaluation>& judged) {
  if (!judged) return " cannot be judged: " + judged.error().what;
  const Evaluation& evaluation = *judged;
  if (evaluation.verdict != Verdict::kPassed) {
    return ": " + std::string(Name(evaluation.verdict)) + ": " +
           ReasonOf(evaluation.log);
  }
  return ": " + SpeedupText(*evaluation.speedup, kInterval) +
         " the root's speed";
}

}  // namespace

Result<void> AddTorchBaselines(
    const CampaignJob& job, const std::vector<engine::TorchBaseline>& baselines,
    CampaignId campaign, const CampaignMeans& means) {
  if (baselines.empty()) return {};
  engine::CampaignFactory& factory = means.factory;
  TRY(evaluator, factory.evaluators().PatientEvaluatorFor(job.task));
  return engine::MeasureTorchBaselines(
      *evaluator, job.task, baselines, means.database, campaign,
      factory.clock(), factory.drain(),
      [&](engine::TorchBaseline baseline, const Result<Evaluation>& judged) {
        const bool passed = judged && judged->verdict == Verdict::kPassed;
        if (passed && means.surface == engine::Surface::kNone) return;
        means.display.Say(job.task_name + ": baseline " +
                          std::string(engine::NameOf(baseline)) +
                          BaselineText(judged));
      });
}

void AddExpert(const CampaignJob& job, const store::CampaignRow& row,
               const CampaignMeans& means, engine::CampaignReport& report) {
  const auto judge = [&]() -> Result<void> {
    TRY(task, means.factory.TaskOf(row.spec));
    TRY(evaluator, means.factory.evaluators().PatientEvaluatorFor(task));
    TRY_DONE(engine::JudgeExpert(*evaluator, task, means.database, row.id,
                                 means.factory.clock())
                 .map([](const auto&) {}));
    TRY(baselines, store::ReadBaselines(means.database, row.id));
    const auto expert = std::ranges::find(baselines, store::kExpertBaseline,
                                          &store::Baseline::name);
    if (expert != baselines.end()) report.expert = *expert;
    return {};
  };
  const auto judged = judge();
  if (!judged) {
    means.display.Say(job.task_name +
                      ": its expert cannot be judged: " + judged.error().what);
  }
}

}  // namespace coppice::cli
