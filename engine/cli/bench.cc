// coppice bench: a campaign for each task of a level, and what its expert does.
#include <utility>

#include "engine/cli/campaigning.h"
#include "engine/cli/verbs.h"

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

Result<Exit> RunBench(const Invocation& invocation, Streams& streams) {
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
    errands.push_back({std::move(task), name, "", true});
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
  return {
      .name = "bench",
      .summary = "a campaign for each task of a level, beside its expert",
      .arguments = "",
      .examples =
          "  coppice bench --level 1 --budget 30 --db level1.db\n"
          "  coppice bench --level 2 --json\n"
          "  coppice bench --device cuda --level 1 --budget 30\n",
      .options = std::move(options),
      .settings = CampaignSettings(),
      .run = RunBench,
  };
}

}  // namespace coppice::cli
