#include "engine/run/import.h"

#include <utility>

#include "config/settings.h"
#include "engine/campaign/progress.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/clock.h"
#include "engine/run/campaign_report.h"
#include "engine/run/session.h"
#include "eval/judge/evaluator.h"

namespace coppice::engine {

Result<store::CampaignRow> FindOrPlant(CampaignFactory& factory,
                                       store::Database& database,
                                       const Task& task,
                                       const std::string& name) {
  store::Campaigns campaigns(database);
  auto row = campaigns.Find(name);
  if (row) TRY_DONE(CheckIsOn(factory, row->spec, task));
  if (row || row.error().code != Errc::kNotFound) return row;
  TRY(evaluator, factory.EvaluatorFor(task));
  TRY_DONE(evaluator->CheckTask(task));
  store::CampaignSpec spec = Specify(factory, task, name);
  spec.budget_attempts = 0;
  spec.budget_s.reset();
  TRY_DONE(campaigns.Create(spec));
  return campaigns.Find(name);
}

Result<Imported> Import(CampaignFactory& factory, store::Database& database,
                        const Task& task, const store::CampaignRow& campaign,
                        const std::vector<store::Claim>& claims,
                        store::Judging judging, Observer& observer) {
  const auto run = [&] {
    return RunCampaign(factory, database, task, campaign, observer,
                       Extent::kNone);
  };
  // Before the claims are more of its budget.
  TRY_DONE(
      factory.SettingsToGoOn(campaign.spec).map([](const config::Settings&) {
      }));
  Imported imported;
  if (judging == store::Judging::kByAttempt && campaign.nodes == 0) {
    TRY(measured, run());
    imported.ending = measured.ending;
    if (measured.ending == Ending::kDrained) return imported;
  }
  const Clock& clock = factory.clock();
  TRY_ASSIGN(imported.intake,
             store::SubmitClaims(
                 database, campaign.id, claims, judging,
                 [&clock] { return FreshUuid(clock); }, clock.UnixSeconds()));
  if (judging == store::Judging::kByAttempt) {
    TRY(judged, run());
    imported.ending = judged.ending;
  }
  return imported;
}

}  // namespace coppice::engine
