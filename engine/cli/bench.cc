// coppice bench: a campaign for each task of a level.
#include <utility>

#include "engine/cli/campaigning.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

Result<Exit> RunBench(const Invocation& invocation, Streams& streams) {
  const std::int64_t level = invocation.Count("level").value_or(1);
  TRY(workshop, OpenWorkshop(invocation));
  TRY(names, workshop->TasksOfLevel(static_cast<int>(level)));
  if (names.empty()) {
    return Fail(Errc::kUsage, "--level " + std::to_string(level) +
                                  ": there is no task of this level; there "
                                  "are levels 1, 2 and 3");
  }
  std::vector<Errand> errands;
  for (const std::string& name : names) {
    TRY(task, workshop->FindTask(name));
    TRY_DONE(workshop->Prepare(task, invocation.settings().policy));
    errands.push_back({std::move(task), name, ""});
  }
  TRY(database, OpenToWrite(invocation, store::Access::kCreate));
  return RunErrands(invocation, streams, *workshop, database, errands);
}

}  // namespace

Verb BenchVerb() {
  std::vector<Option> options = CampaignOptions();
  options.push_back({"level", Takes::kCount, "N", "1, 2 or 3; by default 1"});
  return {
      .name = "bench",
      .summary = "a campaign for each task of a benchmark level",
      .arguments = "",
      .examples =
          "  coppice bench --level 1 --budget 30 --db level1.db\n"
          "  coppice bench --level 2 --json\n",
      .options = std::move(options),
      .settings = CampaignSettings(),
      .run = RunBench,
  };
}

}  // namespace coppice::cli
