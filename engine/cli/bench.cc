// coppice bench: a campaign for each task of a level, and what its expert does.
#include <ostream>
#include <utility>

#include "engine/cli/campaigning.h"
#include "engine/cli/verbs.h"
#include "engine/kernelbench_files.h"

namespace coppice::cli {
namespace {

// Tasks of a device are those in its language.
Result<Language> DeviceLanguage(const Invocation& invocation) {
  const std::string device = invocation.Text("device").value_or("cpu");
  if (device == "cpu") return Language::kCpp;
  if (device == "cuda") return Language::kCuda;
  return Fail(Errc::kUsage, "--device " + device +
                                ": no such device; there are cpu and cuda");
}

// A problem that cannot be used is told, and the others go on.
Result<Exit> RunKernelBench(const Invocation& invocation, Streams& streams,
                            const std::string& checkout) {
  TRY(workshop, OpenWorkshop(invocation));
  TRY(files,
      engine::KernelBenchFiles(
          checkout, static_cast<int>(invocation.Count("level").value_or(1)),
          invocation.Text("subset").value_or("all")));
  std::vector<Errand> errands;
  for (const std::filesystem::path& file : files) {
    auto task = workshop->FindTask("kernelbench:" + file.string());
    if (!task && task.error().code == Errc::kUsage) {
      streams.err << task.error().what << "\n";
      continue;
    }
    if (!task) return tl::unexpected<Error>(task.error());
    TRY_DONE(engine::CheckAgents(*task, invocation.settings()));
    TRY_DONE(workshop->Prepare(*task, invocation.settings().policy));
    std::string name = task->definition.name;
    errands.push_back({.task = *std::move(task),
                       .task_name = std::move(name),
                       .campaign = "",
                       .is_of_benchmark = true});
  }
  if (errands.empty()) {
    return Fail(Errc::kUsage, checkout + ": none of its problems can be used");
  }
  TRY(database, OpenToWrite(invocation, store::Access::kCreate));
  return RunErrands(invocation, streams, *workshop, database, errands);
}

Result<Exit> RunBench(const Invocation& invocation, Streams& streams) {
  if (const auto checkout = invocation.Text("kernelbench")) {
    return RunKernelBench(invocation, streams, *checkout);
  }
  if (invocation.Has("subset")) {
    return Fail(Errc::kUsage,
                "--subset: is of KernelBench's problems; "
                "--kernelbench names a checkout");
  }
  const std::int64_t level = invocation.Count("level").value_or(1);
  TRY(language, DeviceLanguage(invocation));
  TRY(workshop, OpenWorkshop(invocation));
  TRY(names, workshop->TasksOfLevel(static_cast<int>(level), language));
  if (names.empty()) {
    return Fail(Errc::kUsage, "--level " + std::to_string(level) +
                                  ": there is no task of this level; there "
                                  "are levels 1, 2 and 3");
  }
  std::vector<Errand> errands;
  for (const std::string& name : names) {
    TRY(task, workshop->FindTask(name));
    TRY_DONE(workshop->Prepare(task, invocation.settings().policy));
    errands.push_back({.task = std::move(task),
                       .task_name = name,
                       .campaign = "",
                       .with_expert = true,
                       .is_of_benchmark = true});
  }
  TRY(database, OpenToWrite(invocation, store::Access::kCreate));
  return RunErrands(invocation, streams, *workshop, database, errands);
}

}  // namespace

Verb BenchVerb() {
  std::vector<Option> options = CampaignOptions();
  options.push_back({"level", Takes::kCount, "N", "1, 2 or 3; by default 1"});
  options.push_back(
      {"device", Takes::kText, "NAME", "cpu or cuda; by default cpu"});
  options.push_back({"kernelbench", Takes::kText, "PATH",
                     "problems of this checkout of KernelBench instead"});
  options.push_back({"subset", Takes::kText, "NAME",
                     "of them: all, representative or representative_sound"});
  return {
      .name = "bench",
      .summary = "a campaign for each task of a level, beside its expert",
      .arguments = "",
      .examples =
          "  coppice bench --level 1 --budget 30 --db level1.db\n"
          "  coppice bench --level 2 --json\n"
          "  coppice bench --device cuda --level 1 --budget 30\n"
          "  coppice bench --kernelbench KernelBench --level 2 "
          "--subset representative\n",
      .options = std::move(options),
      .settings = CampaignSettings(),
      .run = RunBench,
  };
}

}  // namespace coppice::cli
