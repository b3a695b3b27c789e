// coppice resume: continues what a crash or Ctrl-C left.
#include <ostream>
#include <utility>

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
      .settings = CampaignSettings(),
      .run = RunResume,
  };
}

}  // namespace coppice::cli
