// coppice bench: a campaign for each task of a level, and what its expert does.
#include <string>
#include <utility>

#include "config/keys.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/screening.h"
#include "engine/cli/start_campaign.h"
#include "engine/cli/verbs.h"
#include "engine/documents/table.h"
#include "engine/factory/agent_models.h"
#include "engine/factory/task_finder.h"
#include "engine/interchange/kernelbench_files.h"
#include "engine/run/session.h"
#include "eval/formats/kernelbench_files.h"
#include "store/database.h"
#include "store/records/parse_number.h"

namespace coppice::cli {
namespace {

// Tasks of a device are those in its language.
Language DeviceLanguage(const Invocation& invocation) {
  return invocation.Text("device") == "cuda" ? Language::kCuda : Language::kCpp;
}

constexpr const char* kFirstLevel = "1";

// KernelBench has no others.
Result<std::int64_t> NumberedLevel(const Invocation& invocation) {
  const std::string said = invocation.Text("level").value_or(kFirstLevel);
  const auto level = ParseNumber<std::int64_t>(said);
  if (level && *level > 0) return *level;
  return Fail(Errc::kUsage,
              "--level " + said + ": the levels of KernelBench are numbers");
}

// A problem that cannot be used, or measures nothing, is told, and the others
// go on.
Result<Exit> RunKernelBench(const Invocation& invocation, Streams& streams,
                            const std::string& checkout) {
  TRY_DONE(invocation.MustNotHave(
      {"device"},
      "is of coppice's own tasks; --devices says where problems "
      "of KernelBench run"));
  const config::Settings& settings = invocation.settings();
  Screening screening(invocation);
  TRY(factory, OpenFactory(invocation));
  TRY(level, NumberedLevel(invocation));
  TRY(files,
      engine::KernelBenchFiles(checkout, static_cast<int>(level),
                               invocation.Text("subset").value_or("all")));
  std::vector<CampaignJob> jobs;
  Screened screened;
  for (const std::filesystem::path& file : files) {
    if (factory->drain().load()) return Exit::kInterrupted;
    const std::string name = eval::TaskName(level, file.filename());
    auto task = factory->FindTask("kernelbench:" + file.string());
    if (!task) {
      TRY_DONE(LeaveOut(name, file.string(), task.error(), screened));
      streams.err << OneLine(task.error().what) << "\n";
      continue;
    }
    TRY_DONE(engine::CheckAgents(*task, settings, settings.budget_attempts));
    TRY_DONE(factory->Prepare(*task, settings.policy));
    auto fitness = screening.Judge(
        *factory, *task, engine::CampaignName(settings, name), streams.err);
    if (!fitness) {
      TRY_DONE(LeaveOut(name, name, fitness.error(), screened));
      streams.err << OneLine(fitness.error().what) << "\n";
      continue;
    }
    Enter(*task, *fitness, streams.err, screened);
    if (!fitness->is_kept) continue;
    jobs.push_back({.task = *std::move(task),
                    .task_name = name,
                    .campaign = "",
                    .is_of_benchmark = true});
  }
  if (jobs.empty()) {
    return Fail(Errc::kUsage, checkout + ": none of its problems can be used");
  }
  return StartCampaigns(invocation, streams, *factory, jobs,
                        std::move(screened));
}

Result<Exit> RunBench(const Invocation& invocation, Streams& streams) {
  if (const auto checkout = invocation.Text("kernelbench")) {
    return RunKernelBench(invocation, streams, *checkout);
  }
  TRY_DONE(invocation.MustNotHave(
      {"subset", "unfit"},
      "is of KernelBench's problems; --kernelbench names a checkout"));
  const std::string level = invocation.Text("level").value_or(kFirstLevel);
  const Language language = DeviceLanguage(invocation);
  TRY(factory, OpenFactory(invocation));
  TRY(names, factory->tasks().TasksOfLevel(level, language));
  if (names.empty()) {
    return Fail(Errc::kUsage, "--level " + level +
                                  ": there is no task of this level; there "
                                  "are levels 1, 2 and 3, and foreign for "
                                  "cpu");
  }
  std::vector<CampaignJob> jobs;
  for (const std::string& name : names) {
    TRY(task, factory->FindTask(name));
    TRY_DONE(factory->Prepare(task, invocation.settings().policy));
    jobs.push_back({.task = std::move(task),
                    .task_name = name,
                    .campaign = "",
                    .with_expert = true,
                    .is_of_benchmark = true});
  }
  return StartCampaigns(invocation, streams, *factory, jobs);
}

}  // namespace

Verb BenchVerb() {
  std::vector<Option> options = CampaignOptions();
  options.push_back({"level", Takes::kText, "LEVEL",
                     "1, 2, 3, or foreign: kernels from outside (1)"});
  options.push_back({"device", Takes::kText, "cpu|cuda", "whose tasks (cpu)"});
  options.push_back({"kernelbench", Takes::kText, "DIRECTORY",
                     "problems of this checkout of KernelBench instead"});
  options.push_back({"subset", Takes::kText,
                     "all|representative|representative_sound",
                     "of them (all)"});
  options.push_back(kUnfitOption);
  return {
      .name = "bench",
      .summary = "a campaign for each task of a level, beside its expert",
      .examples =
          "  coppice bench --level 1 --budget 30 --db level1.db\n"
          "  coppice bench --level foreign --budget 30 --db foreign.db\n"
          "  coppice bench --level 2 --json\n"
          "  coppice bench --device cuda --level 1 --budget 30\n"
          "  coppice bench --kernelbench KernelBench --level 2 "
          "--subset representative --code-model openai:MODEL\n",
      .options = std::move(options),
      .settings = config::AllNames(),
      .first = {"level", "device", "budget", "db", "code-model"},
      .run = RunBench,
  };
}

}  // namespace coppice::cli
