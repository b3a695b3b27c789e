#include "engine/cli/compare_run.h"

#include <ostream>
#include <utility>

#include "engine/cli/campaign_options.h"
#include "engine/cli/compare_check.h"
#include "engine/cli/lists.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/open_to_write.h"
#include "engine/compare/grid_display.h"
#include "engine/compare/grid_settings.h"
#include "engine/compare/score.h"
#include "engine/documents/continuing.h"
#include "engine/documents/open_history.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/sessions/own_sessions.h"

namespace coppice::cli {
namespace {

using engine::Grid;

// Campaigns on this machine's processor would compile while others measure.
Result<int> SideBySide(const Invocation& invocation, const Grid& grid,
                       const engine::CampaignFactory& factory,
                       Streams& streams) {
  TRY(wanted, ThreadsOf(invocation, 1));
  if (wanted == 1) return 1;
  for (const std::string& name : grid.tasks) {
    TRY(task, factory.FindTask(name));
    if (task.root.language == Language::kCpp) {
      streams.err << "--parallel: " << OneLine(name)
                  << " is measured on the processor, which compiling for "
                     "others would disturb; campaigns run one by one\n";
      return 1;
    }
  }
  return wanted;
}

Result<Exit> RunCells(const Invocation& invocation, const Grid& grid,
                      engine::CampaignFactory& factory, Streams& streams) {
  const config::Loaded& loaded = invocation.config;
  TRY(surface, TextSurfaceOf(invocation, streams.err_is_terminal));
  TRY(side_by_side, SideBySide(invocation, grid, factory, streams));
  TRY(runner, RunnerOf(invocation));
  const auto make_factory = [&] {
    return engine::CampaignFactory::Make(loaded, runner, factory.clock(),
                                         factory.drain(), &factory.outages(),
                                         sessions::MakeOwnSessions);
  };
  engine::GridDisplay display(streams.err, surface, factory.clock(),
                              streams.err_columns);
  engine::GridRun run(grid, invocation.settings().db, make_factory,
                      factory.outages(), display);
  {
    TRY(database,
        OpenToWrite(invocation, run.listener(), store::Access::kCreate));
    TRY_DONE(run.Begin(factory, database));
  }
  auto ending = run.Run(side_by_side);
  display.Close();
  if (!ending) return tl::unexpected<Error>(std::move(ending).error());
  switch (*ending) {
    case engine::GridRun::Ending::kDone:
      return Exit::kDone;
    case engine::GridRun::Ending::kDrained:
      if (surface != engine::Surface::kNone) {
        streams.err << (invocation.Has("factorial")
                            ? "stopped; the same command goes on"
                            : "stopped; continue with: " +
                                  ContinueCommand("compare", loaded))
                    << "\n";
      }
      return Exit::kInterrupted;
    case engine::GridRun::Ending::kCapReached:
      streams.err << OneLine(run.cap_reached()) << "\n";
      return Exit::kFailure;
  }
  return Exit::kDone;
}

}  // namespace

Result<Invocation> SettledFor(const Grid& grid, const Invocation& invocation,
                              const std::vector<store::CampaignRow>& rows) {
  Invocation settled = invocation;
  TRY_DONE(engine::Settle(grid, rows, settled.config));
  return settled;
}

Result<Exit> RunGrid(const Invocation& invocation, const Grid& grid,
                     const std::vector<store::CampaignRow>& rows,
                     Streams& streams) {
  TRY(settled, SettledFor(grid, invocation, rows));
  TRY(factory, OpenFactory(settled));
  TRY_DONE(CheckGrid(grid, settled, rows, *factory, streams.err));
  return RunCells(settled, grid, *factory, streams);
}

Result<engine::Scores> ScoresOf(const Invocation& invocation, const Grid& grid,
                                Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(rows, store::Campaigns(database).List());
  TRY(scores, engine::ReadScores(database, rows, grid));
  for (const std::string& campaign : scores.steered) {
    streams.err << OneLine(campaign)
                << ": left out, since people steered it: it is no sample of "
                   "its policy\n";
  }
  return scores;
}

}  // namespace coppice::cli
