#include "engine/cli/campaigning.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <utility>

#include "engine/cli/screening.h"
#include "engine/cli/table.h"
#include "engine/expert.h"
#include "engine/installation.h"
#include "engine/interrupts.h"
#include "engine/torch_baselines.h"
#include "store/fault.h"

namespace coppice::cli {
namespace {

// A number n: die by SIGKILL at the n-th commit point of this process.
constexpr const char* kDieAtCommit = "COPPICE_TEST_DIE_AT_COMMIT";

void ArmCrashTest(const config::Environment& environment) {
  const auto found = environment.find(kDieAtCommit);
  if (found == environment.end()) return;
  store::SetCommitHook(
      [left = std::atoll(found->second.c_str())](store::CommitPoint) mutable {
        if (left-- == 0) std::raise(SIGKILL);
      });
}

// A report is worth having without it.
void AddExpert(const Errand& errand, CampaignId campaign,
               engine::Workshop& workshop, store::Database& database,
               std::ostream& err, engine::CampaignReport& report) {
  const auto judge = [&]() -> Result<std::optional<Evaluation>> {
    TRY(evaluator, workshop.EvaluatorFor(errand.task));
    return engine::JudgeExpert(*evaluator, errand.task, database, campaign,
                               workshop.clock());
  };
  auto judged = judge();
  if (judged) {
    report.expert = *std::move(judged);
  } else {
    err << errand.task_name
        << ": its expert cannot be judged: " << judged.error().what << "\n";
  }
}

// Of Python's tracebacks the line with the error, of others the first.
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
  char text[64];
  std::snprintf(text, sizeof text, ": %.2fx the root's speed",
                *evaluation.root_runtime_s / *evaluation.runtime_s);
  return text;
}

// A line for each that is measured now; without a display only for what failed.
Result<void> AddTorchBaselines(
    const Errand& errand, const std::vector<engine::TorchBaseline>& baselines,
    CampaignId campaign, engine::Workshop& workshop, store::Database& database,
    std::ostream& err, engine::Surface surface) {
  if (baselines.empty()) return {};
  TRY(evaluator, workshop.EvaluatorFor(errand.task));
  return engine::MeasureTorchBaselines(
      *evaluator, errand.task, baselines, database, campaign, workshop.clock(),
      workshop.drain(),
      [&](engine::TorchBaseline baseline, const Result<Evaluation>& judged) {
        const bool passed = judged && judged->verdict == Verdict::kPassed;
        if (passed && surface == engine::Surface::kNone) return;
        err << errand.task_name << ": baseline " << engine::NameOf(baseline)
            << BaselineText(judged) << "\n";
      });
}

// The best is the report's.  Where that is the root, no candidate was told from
// being slower, whatever a short measurement of one says.
Result<Scored> ScoreOf(store::Database& database, CampaignId campaign,
                       const Task& task, const engine::CampaignReport& report) {
  TRY(score, store::ReadScore(database, campaign));
  if (score.best_speedup) {
    score.best_speedup = report.progress.best == kRootNode
                             ? std::min(1.0, *score.best_speedup)
                             : Speedup(report);
  }
  TRY(baselines, store::ReadBaselineSpeeds(database, campaign));
  return Scored{std::move(score), std::move(baselines),
                task.format != TaskFormat::kNative};
}

std::string ResumeCommand(const std::filesystem::path& database) {
  return "coppice resume --db " + database.string();
}

// Whatever a provider or the user can mend, the campaign is unharmed.
Error ToGoOn(Error error, const std::filesystem::path& database) {
  if (error.code == Errc::kUsage || error.code == Errc::kBusy ||
      error.code == Errc::kTimeout || error.code == Errc::kUnavailable ||
      error.code == Errc::kUnanswered) {
    error.what += "; then go on with: " + ResumeCommand(database);
  }
  return error;
}

Exit ExitOf(const std::vector<engine::CampaignReport>& reports) {
  for (const engine::CampaignReport& report : reports) {
    if (report.ending == engine::Ending::kDrained) return Exit::kInterrupted;
  }
  for (const engine::CampaignReport& report : reports) {
    if (Speedup(report) > 1.0) return Exit::kDone;
  }
  return Exit::kNoImprovement;
}

}  // namespace

std::vector<std::string_view> CampaignSettings() {
  return {"db",
          "preset",
          "policy",
          "agents",
          "seed",
          "budget",
          "budget_s",
          "budget_evaluator_s",
          "threads",
          "parallel",
          "plan_model",
          "code_model",
          "debug_model",
          "plan_temperature",
          "code_temperature",
          "debug_temperature",
          "max_output_tokens",
          "model_timeout_s",
          "model_retries",
          "model_failures",
          "models_file",
          "answers",
          "record",
          "openai_base_url",
          "openai_api_key_env",
          "cap_usd",
          "plan_cap_usd",
          "code_cap_usd",
          "debug_cap_usd",
          "day_cap_usd",
          "cap_tokens",
          "plan_cap_tokens",
          "code_cap_tokens",
          "debug_cap_tokens",
          "day_cap_tokens",
          "openai_key_command",
          "anthropic_base_url",
          "anthropic_api_key_env",
          "anthropic_key_command",
          "window_history",
          "window_leaders",
          "compile_timeout_s",
          "call_timeout_s",
          "python",
          "torch_device",
          "protocol",
          "delegation",
          "precision",
          "baselines",
          "lease_s",
          "data_directory",
          "cache_directory",
          "cache_limit_mb"};
}

std::vector<Option> CampaignOptions() {
  return {{"json", Takes::kNothing, "", "the report as JSON"},
          {"progress", Takes::kText, "HOW",
           "auto, terminal, plain or none; on stderr"}};
}

Result<void> CheckCampaignName(const std::string& name) {
  if (Printable(name) == name && name.find('\n') == std::string::npos) {
    return {};
  }
  return Fail(Errc::kUsage, "--name " + name + ": has control characters");
}

Result<engine::Surface> SurfaceOf(const Invocation& invocation,
                                  bool is_terminal) {
  const std::string wanted = invocation.Text("progress").value_or("auto");
  if (wanted == "terminal") return engine::Surface::kTerminal;
  if (wanted == "plain") return engine::Surface::kPlain;
  if (wanted == "none") return engine::Surface::kNone;
  if (wanted == "auto") {
    return is_terminal ? engine::Surface::kTerminal : engine::Surface::kPlain;
  }
  return Fail(Errc::kUsage, "--progress " + wanted +
                                ": expected auto, terminal, plain or none");
}

Result<std::unique_ptr<engine::Workshop>> OpenWorkshop(
    const Invocation& invocation) {
  static const engine::SystemClock kClock;
  TRY(installation, engine::FindInstallation(engine::ExecutablePath()));
  return engine::Workshop::Make(invocation.config, installation.runner, kClock,
                                engine::WatchInterrupts());
}

Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    store::Access access) {
  // A mistyped --progress creates no file.
  TRY_DONE(SurfaceOf(invocation, false));
  ArmCrashTest(invocation.surroundings.environment);
  return store::Database::Open(invocation.settings().db, access);
}

Result<Exit> RunErrands(const Invocation& invocation, Streams& streams,
                        engine::Workshop& workshop, store::Database& database,
                        const std::vector<Errand>& errands, Screened screened) {
  TRY(surface, SurfaceOf(invocation, streams.err_is_terminal));
  engine::Display display(streams.err, surface, workshop.clock());
  const std::filesystem::path& path = invocation.settings().db;
  std::vector<engine::CampaignReport> reports;
  std::vector<Scored> scored;  // Of those of a benchmark.
  for (const Errand& errand : errands) {
    auto found = FindOrStart(workshop, database, errand.task, errand.task_name,
                             errand.campaign);
    if (!found && errand.is_of_benchmark) {
      const std::string& name = errand.task.definition.name;
      TRY_DONE(LeaveOut(name, name, found.error(), streams.err, screened));
      continue;
    }
    TRY(row, std::move(found));
    TRY(settings, workshop.SettingsOf(row.spec));
    TRY(baselines, engine::ParseTorchBaselines(settings.baselines));
    TRY_DONE(AddTorchBaselines(errand, baselines, row.id, workshop, database,
                               streams.err, surface));
    auto report = RunCampaign(workshop, database, errand.task, row, display);
    display.Close();
    if (!report) return tl::unexpected<Error>(ToGoOn(report.error(), path));
    reports.push_back(std::move(*report));
    if (reports.back().ending == engine::Ending::kDrained) break;
    if (reports.back().ending == engine::Ending::kCapReached) {
      streams.err << row.spec.name << ": " << reports.back().cap_reached
                  << "\n";
      break;
    }
    if (errand.with_expert) {
      AddExpert(errand, row.id, workshop, database, streams.err,
                reports.back());
    }
    if (errand.is_of_benchmark || !baselines.empty() || reports.back().expert) {
      TRY(score, ScoreOf(database, row.id, errand.task, reports.back()));
      scored.push_back(std::move(score));
    }
  }
  if (reports.empty()) {
    return Fail(Errc::kUsage, "none of these tasks can be judged");
  }
  const auto metrics =
      scored.empty() ? std::nullopt : std::optional(MetricsOf(scored));
  if (invocation.Has("json")) {
    PrintReportJson(reports, metrics, screened, path, streams);
  } else {
    PrintReport(reports, metrics, screened, path, streams);
  }
  const Exit exit = ExitOf(reports);
  if (exit == Exit::kInterrupted && surface != engine::Surface::kNone) {
    streams.err << "stopped; continue with: " << ResumeCommand(path) << "\n";
  }
  return exit;
}

}  // namespace coppice::cli
