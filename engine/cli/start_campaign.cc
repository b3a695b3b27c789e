#include "engine/cli/start_campaign.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <sstream>
#include <utility>

#include "engine/campaign/display.h"
#include "engine/campaign/expert_baseline.h"
#include "engine/campaign/notices.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/torch_baselines.h"
#include "engine/cli/report.h"
#include "engine/cli/screening.h"
#include "engine/documents/continuing.h"
#include "engine/documents/open_history.h"
#include "engine/documents/table.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/factory/memory.h"
#include "engine/process/clock.h"
#include "engine/process/installation.h"
#include "engine/process/interrupts.h"
#include "engine/run/session.h"
#include "engine/sessions/own_sessions.h"
#include "store/read/history.h"
#include "store/read/metrics.h"
#include "store/records/evaluation.h"
#include "store/records/speedup_text.h"
#include "store/write/baselines.h"
#include "store/write/directives.h"
#include "store/write/lessons.h"

namespace coppice::cli {
namespace {

Result<store::Database> OpenChecked(const Invocation& invocation,
                                    store::Access access,
                                    store::Patience* patience) {
  // A mistyped --progress creates no file.
  TRY_DONE(SurfaceOf(invocation, false));
  return store::Database::Open(invocation.settings().db, access,
                               store::Durability::kFull, patience);
}

// The line with the error of Python's tracebacks, and the first of other logs.
std::string ReasonOf(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == ' ' || line.starts_with("Traceback")) {
      continue;
    }
    return Printable(line);
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

// What jobs are run with.
struct Means {
  engine::CampaignFactory& factory;
  store::Database& database;
  engine::Surface surface;
  engine::Display& display;  // Says all that is said on stderr meanwhile.
  engine::Notices& notices;
};

struct Course {
  ReportContents outcome;
  std::vector<std::string> of_benchmark;   // Campaigns.
  std::vector<std::string> were_finished;  // Campaigns of which none ran.
  std::set<std::string> told;  // Models told of, each once in a run.
  bool is_drained = false;
};

// A line for each that is measured now; without a display only for what failed.
Result<void> AddTorchBaselines(
    const CampaignJob& job, const std::vector<engine::TorchBaseline>& baselines,
    CampaignId campaign, const Means& means) {
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

// All that the file says of the campaigns that were run.
Result<void> SumUp(store::Database& database, const Means& means,
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

// Judges the expert of the task as it was when the campaign began, since an
// expert that came later is no part of what was finished.  A report is worth
// having without it.
void AddExpert(const CampaignJob& job, const store::CampaignRow& row,
               const Means& means, engine::CampaignReport& report) {
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

// What of the settings its models do not take.
Result<void> TellOfModels(const Task& task, const config::Settings& settings,
                          const Means& means, Course& course) {
  if (means.surface == engine::Surface::kNone) return {};
  TRY(notices, means.factory.UnheededNotices(task, settings));
  for (const std::string& notice : notices) {
    if (course.told.insert(notice).second) means.display.Say(notice);
  }
  return {};
}

// What it tried is kept for campaigns to come, if the user wants that.  The
// campaign is whole without it.
void Remember(const store::CampaignRow& row, const Means& means) {
  if (means.factory.settings().remember != "yes") return;
  const auto keep = [&]() -> Result<void> {
    const std::string file =
        std::filesystem::absolute(means.factory.settings().db).string();
    TRY(lessons, engine::EvidenceOf(means.database, file, row.spec.name));
    if (lessons.empty()) {
      means.display.Say(row.spec.name +
                        ": nothing to remember: no plan became a kernel");
      return {};
    }
    TRY(library,
        engine::OpenLibrary(means.factory.settings(), store::Access::kCreate));
    return store::KeepLessons(library, lessons,
                              means.factory.clock().UnixSeconds())
        .map([](std::int64_t) {});
  };
  if (const auto kept = keep(); !kept) {
    means.display.Say(row.spec.name +
                      ": is not remembered: " + kept.error().what +
                      "; `coppice resume --remember yes` tries again");
  }
}

// Whether the next one may begin.
Result<bool> WorkOff(const CampaignJob& job, const store::CampaignRow& row,
                     const Means& means, Course& course) {
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
                            const store::CampaignRow& row, const Means& means,
                            Course& course) {
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

std::vector<Option> CampaignOptions() {
  return {{"json", Takes::kNothing, "", "the report as JSON"},
          {"progress", Takes::kText, "auto|terminal|plain|none|json",
           "on stderr (auto)"}};
}

Result<void> CheckCampaignName(const std::string& name) {
  if (OneLine(name) == name) return {};
  return Fail(Errc::kUsage, "--name " + name + ": has control characters");
}

Result<engine::Surface> SurfaceOf(const Invocation& invocation,
                                  bool is_terminal) {
  const std::string wanted = invocation.Text("progress").value_or("auto");
  if (wanted == "terminal") return engine::Surface::kTerminal;
  if (wanted == "plain") return engine::Surface::kPlain;
  if (wanted == "none") return engine::Surface::kNone;
  if (wanted == "json") return engine::Surface::kJson;
  if (wanted == "auto") {
    return is_terminal ? engine::Surface::kTerminal : engine::Surface::kPlain;
  }
  return Fail(Errc::kUsage,
              "--progress " + wanted +
                  ": expected auto, terminal, plain, none or json");
}

Result<engine::Surface> TextSurfaceOf(const Invocation& invocation,
                                      bool is_terminal) {
  TRY(surface, SurfaceOf(invocation, is_terminal));
  if (surface != engine::Surface::kJson) return surface;
  return Fail(Errc::kUsage,
              "--progress json: tells of campaigns one by one; expected auto, "
              "terminal, plain or none");
}

Result<std::unique_ptr<engine::CampaignFactory>> OpenFactory(
    const Invocation& invocation) {
  static const engine::SystemClock kClock;
  TRY(installation, engine::FindInstallation(engine::ExecutablePath()));
  return engine::CampaignFactory::Make(invocation.config, installation.runner,
                                       kClock, engine::WatchInterrupts(),
                                       nullptr, sessions::MakeOwnSessions);
}

Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    store::Access access) {
  return OpenChecked(invocation, access, nullptr);
}

engine::Outages::Listener Listen(engine::CampaignFactory& factory,
                                 Streams& streams) {
  return {factory.outages(), [&streams](const engine::Outage& outage) {
            streams.err << engine::OutageText(outage) << std::endl;
          }};
}

engine::Outages::Listener Listen(engine::CampaignFactory& factory,
                                 engine::Display& display) {
  return {factory.outages(), [&display](const engine::Outage& outage) {
            display.OnOutage(outage);
          }};
}

Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    const engine::Outages::Listener& listener,
                                    store::Access access) {
  return OpenChecked(invocation, access, &listener.outages());
}

Result<Exit> RunCampaignJobs(const Invocation& invocation, Streams& streams,
                             engine::CampaignFactory& factory,
                             store::Database& database,
                             const std::vector<CampaignJob>& jobs,
                             Screened screened) {
  TRY(surface, SurfaceOf(invocation, streams.err_is_terminal));
  engine::Display display(streams.err, surface, factory.clock(),
                          streams.err_columns);
  engine::Notices notices(invocation.settings(), display, factory.timer(),
                          factory.drain(),
                          [&](const std::string& line) { display.Say(line); });
  const engine::Outages::Listener listener(
      factory.outages(),
      [&](const engine::Outage& outage) { notices.OnOutage(outage); });
  const std::filesystem::path& path = invocation.settings().db;
  TRY(entered, EnterAll(jobs, factory, database, display, screened));
  const Means means{factory, database, surface, display, notices};
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
