#include "engine/cli/start_campaign.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <utility>

#include "engine/campaign/display.h"
#include "engine/campaign/notices.h"
#include "engine/campaign/outage_listener.h"
#include "engine/campaign/torch_baselines.h"
#include "engine/cli/campaign_means.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/remember.h"
#include "engine/cli/report.h"
#include "engine/cli/screening.h"
#include "engine/cli/yardsticks.h"
#include "engine/documents/continuing.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/clock.h"
#include "engine/run/campaign_report.h"
#include "engine/run/session.h"
#include "store/database.h"
#include "store/read/history.h"
#include "store/read/metrics.h"
#include "store/write/campaigns.h"
#include "store/write/directives.h"

namespace coppice::cli {
namespace {

// What it has cost so far; 0 if that cannot be read now.
double CostOf(store::Database& database, CampaignId campaign) {
  const auto totals = store::ReadTotals(database, campaign);
  return totals ? totals->cost_usd : 0.0;
}

// Whatever a provider or the user can mend, the campaign is unharmed.
Error ToGoOn(Error error, const std::string& campaign,
             const engine::CampaignFactory& factory,
             store::Database& database) {
  const auto row = store::Campaigns(database).Find(campaign);
  if (row && row->state == store::CampaignState::kFinished) return error;
  if (error.code == Errc::kUsage || error.code == Errc::kBusy ||
      error.code == Errc::kTimeout || error.code == Errc::kUnavailable ||
      error.code == Errc::kUnanswered || error.code == Errc::kFull ||
      error.code == Errc::kUnfit || error.code == Errc::kCancelled) {
    error.what += "; then go on with: " +
                  ContinueCommand("resume --db", factory.loaded());
  }
  return error;
}

struct Errands {
  std::vector<const CampaignJob*> kept;
  std::vector<store::CampaignRow> rows;  // Theirs.
};

// All are in the file before the first runs.
Result<Errands> EnterAll(const std::vector<CampaignJob>& jobs,
                         engine::CampaignFactory& factory,
                         store::Database& database, engine::Display& display,
                         Screened& screened) {
  Errands entered;
  std::vector<engine::Intent> intents;
  for (const CampaignJob& job : jobs) {
    auto intent = engine::Intend(factory, database, job.task, job.task_name,
                                 job.campaign, job.budget);
    if (!intent && job.is_of_benchmark) {
      const std::string& name = job.task.definition.name;
      TRY_DONE(LeaveOut(name, name, intent.error(), screened));
      display.Say(intent.error().what);
      continue;
    }
    TRY(known, std::move(intent));
    intents.push_back(std::move(known));
    entered.kept.push_back(&job);
  }
  if (intents.empty()) {
    return Fail(Errc::kUsage, "none of these tasks can be judged");
  }
  TRY_ASSIGN(entered.rows, engine::Enter(database, intents));
  for (const engine::Intent& intent : intents) {
    if (!intent.found) continue;
    const std::string before = store::PolicyOf(intent.found->spec);
    const std::string now = store::PolicyOf(intent.spec);
    if (before == now) continue;
    display.Say(intent.spec.name + ": " + now + " decides from decision " +
                std::to_string(intent.found->attempts) + " on; before it " +
                before + " did");
  }
  return entered;
}

struct Course {
  ReportContents outcome;
  std::vector<std::string> of_benchmark;   // Campaigns.
  std::vector<std::string> were_finished;  // Campaigns of which none ran.
  std::set<std::string> told;  // Models told of, each once in a run.
  bool is_drained = false;
};

// All that the file says of the campaigns that were run.
Result<void> SumUp(store::Database& database, const CampaignMeans& means,
                   Course& course) {
  std::vector<std::string> campaigns;
  for (const engine::CampaignReport& report : course.outcome.reports) {
    campaigns.push_back(report.campaign);
  }
  TRY_ASSIGN(course.outcome.summary, store::ReadSummary(database, campaigns));
  if (course.of_benchmark.empty()) return {};
  TRY(steered, store::ReadSteered(database));
  std::erase_if(course.of_benchmark, [&](const std::string& campaign) {
    const bool is_steered = std::ranges::binary_search(steered, campaign);
    if (is_steered) {
      means.display.Say(campaign +
                        ": left out of the metrics, since people steered it");
    }
    return is_steered;
  });
  if (course.of_benchmark.empty()) return {};
  TRY_ASSIGN(course.outcome.metrics,
             store::ReadMetrics(database, course.of_benchmark));
  return {};
}

// What of the settings its models do not take.
Result<void> TellOfModels(const Task& task, const config::Settings& settings,
                          const CampaignMeans& means, Course& course) {
  if (means.surface == engine::Surface::kNone) return {};
  TRY(notices, means.factory.UnheededNotices(task, settings));
  for (const std::string& notice : notices) {
    if (course.told.insert(notice).second) means.display.Say(notice);
  }
  return {};
}

// Whether the next one may begin.
Result<bool> WorkOff(const CampaignJob& job, const store::CampaignRow& row,
                     const CampaignMeans& means, Course& course) {
  const auto& [factory, database, surface, display, notices] = means;
  TRY(settings, factory.SettingsOf(row.spec));
  TRY(baselines, engine::ParseTorchBaselines(settings.baselines));
  if (row.attempts < row.spec.budget_attempts) {
    TRY_DONE(TellOfModels(job.task, settings, means, course));
  }
  TRY_DONE(AddTorchBaselines(job, baselines, row.id, means));
  TRY(report, RunCampaign(factory, database, job.task, row, notices));
  display.Close();
  course.is_drained = report.ending == engine::Ending::kDrained;
  Remember(row, means);
  // One that was stopped before its root was measured has nothing to report.
  if (!report.progress.root_runtime_s) return false;
  std::vector<engine::CampaignReport>& reports = course.outcome.reports;
  reports.push_back(std::move(report));
  engine::CampaignReport& last = reports.back();
  if (course.is_drained) return false;
  if (last.ending == engine::Ending::kCapReached) {
    notices.Trouble(last.cap_reached);
    display.Say(row.spec.name + ": " + last.cap_reached);
    return false;
  }
  if (last.ending == engine::Ending::kRuleMet) {
    display.Say(row.spec.name + ": ended" +
                (last.progress.nothing_left ? ": " : " by its rule: ") +
                last.rule_met);
  }
  if (last.ending != engine::Ending::kRuleMet &&
      row.state == store::CampaignState::kFinished &&
      last.progress.attempts == row.attempts &&
      last.progress.judged_again == 0) {
    course.were_finished.push_back(row.spec.name);
  } else {
    notices.Done(last.progress);
  }
  if (job.with_expert) AddExpert(job, row, means, last);
  if (job.is_of_benchmark || !baselines.empty() || last.expert) {
    course.of_benchmark.push_back(row.spec.name);
    course.outcome.efficiency_is_bound |=
        job.task.format != TaskFormat::kNative;
  }
  return true;
}

// Whoever is told of trouble is told of any error but that somebody stops it.
Result<bool> RunCampaignJob(const CampaignJob& job,
                            const store::CampaignRow& row,
                            const CampaignMeans& means, Course& course) {
  means.notices.Begin(row.spec.name, job.task_name, row.spec.budget_attempts,
                      [&] { return CostOf(means.database, row.id); });
  auto goes_on = WorkOff(job, row, means, course);
  means.display.Close();
  if (goes_on) return goes_on;
  const Error error = ToGoOn(std::move(goes_on).error(), row.spec.name,
                             means.factory, means.database);
  if (error.code != Errc::kCancelled) means.notices.Trouble(error.what);
  return tl::unexpected<Error>(error);
}

// For who thinks that the command line at hand made the old result.
std::string NothingRun(const std::vector<std::string>& campaigns) {
  const bool is_one = campaigns.size() == 1;
  return (is_one ? campaigns.front() + " was"
                 : std::to_string(campaigns.size()) + " campaigns were") +
         " finished before, and nothing was run; a larger --budget goes on, "
         "another --name begins anew";
}

Exit ExitOf(const std::vector<engine::CampaignReport>& reports) {
  for (const engine::CampaignReport& report : reports) {
    if (report.progress.best_speedup.Sign() > 0) return Exit::kDone;
  }
  return Exit::kNoImprovement;
}

}  // namespace

Result<Exit> RunCampaignJobs(const Invocation& invocation, Streams& streams,
                             engine::CampaignFactory& factory,
                             store::Database& database,
                             const std::vector<CampaignJob>& jobs,
                             Screened screened) {
  const engine::Surface surface =
      SurfaceOf(invocation, streams.err_is_terminal);
  engine::Display display(streams.err, surface, factory.clock(),
                          streams.err_columns);
  engine::Notices notices(invocation.settings(), display, factory.timer(),
                          factory.drain(),
                          [&](const std::string& line) { display.Say(line); });
  const engine::OutageListener listener(
      factory.outages(),
      [&](const engine::Outage& outage) { notices.OnOutage(outage); });
  const std::filesystem::path& path = invocation.settings().db;
  TRY(entered, EnterAll(jobs, factory, database, display, screened));
  const CampaignMeans means{factory, database, surface, display, notices};
  Course course;
  for (std::size_t i = 0; i < entered.rows.size(); ++i) {
    course.is_drained = factory.drain();
    if (course.is_drained) break;
    TRY(goes_on,
        RunCampaignJob(*entered.kept[i], entered.rows[i], means, course));
    if (!goes_on) break;
  }
  if (!course.were_finished.empty() && surface != engine::Surface::kNone) {
    display.Say(NothingRun(course.were_finished));
  }
  ReportContents& outcome = course.outcome;
  outcome.screened = std::move(screened);
  TRY_DONE(SumUp(database, means, course));
  if (invocation.Has("json")) {
    PrintReportJson(outcome, path, streams);
  } else if (!outcome.reports.empty()) {
    PrintReport(outcome, path, streams);
  }
  if (!course.is_drained) return ExitOf(outcome.reports);
  if (surface != engine::Surface::kNone) {
    display.Say("stopped; continue with: " +
                ContinueCommand("resume --db", factory.loaded()));
  }
  return Exit::kInterrupted;
}

Result<Exit> StartCampaigns(const Invocation& invocation, Streams& streams,
                            engine::CampaignFactory& factory,
                            const std::vector<CampaignJob>& jobs,
                            Screened screened) {
  const auto listener = Listen(factory, streams);
  TRY(database, OpenToWrite(invocation, listener, store::Access::kCreate));
  return RunCampaignJobs(invocation, streams, factory, database, jobs,
                         std::move(screened));
}

}  // namespace coppice::cli
