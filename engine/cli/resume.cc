// coppice resume: continues what a crash or Ctrl-C left.
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/cli/campaigning.h"
#include "engine/cli/looking.h"
#include "engine/cli/verbs.h"
#include "store/campaigns.h"

namespace coppice::cli {
namespace {

bool IsWanted(const store::CampaignRow& row, const Invocation& invocation) {
  if (!invocation.arguments.empty()) {
    return row.spec.name == invocation.arguments.front();
  }
  return row.state != store::CampaignState::kFinished;
}

// A campaign keeps its search, and how its nodes are judged.
std::vector<std::string_view> SettingsThatMayChange() {
  std::vector<std::string_view> keys = CampaignSettings();
  std::erase_if(keys, [](std::string_view key) {
    return key == "preset" || key == "policy" || key == "agents" ||
           key == "seed" || key == "protocol" || key == "delegation" ||
           key == "precision";
  });
  return keys;
}

Result<Exit> RunResume(const Invocation& invocation, Streams& streams) {
  TRY(workshop, OpenWorkshop(invocation));
  TRY(database, OpenToWrite(invocation, store::Access::kReadWrite));
  TRY(rows, store::Campaigns(database).List());
  std::vector<Errand> errands;
  for (const store::CampaignRow& row : rows) {
    if (!IsWanted(row, invocation)) continue;
    TRY(task, workshop->TaskOf(row.spec));
    errands.push_back({std::move(task), row.spec.task_name, row.spec.name});
  }
  if (!errands.empty()) {
    return RunErrands(invocation, streams, *workshop, database, errands);
  }
  const std::string file = invocation.settings().db.string();
  if (!invocation.arguments.empty()) {
    return tl::unexpected<Error>(
        UnknownCampaign(file, invocation.arguments.front(), rows));
  }
  streams.err << file << ": nothing to resume, all its campaigns are finished"
              << "\n";
  return Exit::kDone;
}

}  // namespace

Verb ResumeVerb() {
  return {
      .name = "resume",
      .summary = "continue what a crash or Ctrl-C left",
      .arguments = "[CAMPAIGN]",
      .examples =
          "  coppice resume\n"
          "  coppice resume --db mine.db\n"
          "  coppice resume gemm_square.stark.s1 --budget 100\n",
      .options = CampaignOptions(),
      .settings = SettingsThatMayChange(),
      .run = RunResume,
  };
}

}  // namespace coppice::cli
