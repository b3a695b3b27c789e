// The run of a campaign that was found or started.
#include <algorithm>
#include <utility>

#include "config/settings.h"
#include "engine/campaign/campaign.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/expert_baseline.h"
#include "engine/campaign/station.h"
#include "engine/campaign/stop_rules.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/run/campaign_report.h"
#include "engine/run/session.h"
#include "store/read/history.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/own_providers.h"
#include "store/write/baselines.h"

namespace coppice::engine {
namespace {

// Whether all agents are outside: those ask (engine/outside/).
bool AsksNobody(const config::Settings& settings) {
  const auto is_outside = [](const config::ModelChoice& model) {
    return OwnProviderOf(model.provider).answerer == Answerer::kOutside;
  };
  return std::ranges::all_of(settings.code_model, is_outside);
}

// The expert is measured for the rule that asks for it; torch's baselines have
// been by whoever runs campaigns on tasks in PyTorch.
Result<StopRules> RulesFor(CampaignFactory& factory, store::Database& database,
                           const Task& task, const store::CampaignRow& row) {
  TRY(settings, factory.SettingsOf(row.spec));
  if (settings.stop_at_baseline == store::kExpertBaseline && ExpertOf(task)) {
    TRY(evaluator, factory.evaluators().PatientEvaluatorFor(task));
    TRY_DONE(JudgeExpert(*evaluator, task, database, row.id, factory.clock())
                 .map([](const auto&) {}));
  }
  return StopRulesOf(settings, database, row.id);
}

}  // namespace

Result<CampaignReport> RunCampaign(CampaignFactory& factory,
                                   store::Database& database, const Task& task,
                                   const store::CampaignRow& found,
                                   Observer& observer, Extent extent) {
  const config::Settings& settings = factory.settings();
  // Another process may have worked on it since it was found.
  store::Campaigns campaigns(database);
  TRY(row, campaigns.Find(found.spec.name));
  TRY(parts, factory.Equip(task, row.spec, database));
  TRY_ASSIGN(parts.stop, RulesFor(factory, database, task, row));
  Campaign::Options options;
  options.database = settings.db;
  options.lease_s = settings.lease_s;
  options.parallel = static_cast<int>(factory.ParallelOn(parts.stations));
  if (settings.model_failures) {
    options.model_failures = static_cast<int>(*settings.model_failures);
  }
  options.drain = &factory.drain();
  options.confirm = task.root.language != Language::kSim;
  options.extent = extent;
  TRY(then, factory.SettingsOf(row.spec));
  if (AsksNobody(then)) {
    options.extent =
        extent == Extent::kAttempts ? Extent::kTold : Extent::kToldYet;
  }
  options.outages = &factory.outages();
  Campaign campaign(parts, row, options);
  CampaignReport report;
  TRY_ASSIGN(report.ending, campaign.Run(observer));
  report.campaign = row.spec.name;
  report.task = row.spec.task_name;
  report.progress = campaign.progress();
  report.is_confirmed = campaign.is_confirmed();
  TRY(leaders, store::ReadLeaders(database, row.id, 2));
  report.rival = RivalOf(leaders);
  report.cap_reached = campaign.cap_reached();
  report.rule_met = campaign.rule_met();
  return report;
}

}  // namespace coppice::engine
