#include "engine/cli/in_memory_player.h"

#include <algorithm>
#include <ostream>
#include <system_error>
#include <utility>

#include "engine/campaign/outage_listener.h"
#include "engine/campaign/outages.h"
#include "engine/cli/open_to_write.h"
#include "engine/compare/in_memory_file.h"
#include "engine/compare/share_display.h"
#include "engine/documents/open_history.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/process/interrupts.h"
#include "engine/process/system_timer.h"
#include "engine/process/terminal_text.h"
#include "search/landscapes/task_law.h"

namespace coppice::cli {
namespace {

using engine::InMemoryGrid;

Result<std::vector<search::TaskLaw>> LawsOf(
    const InMemoryGrid& grid, const engine::LandscapeTasks& tasks) {
  std::vector<search::TaskLaw> laws;
  for (const std::string& name : grid.landscapes) {
    if (!engine::LandscapeTasks::IsOne(name)) {
      return Fail(Errc::kUsage,
                  name +
                      ": is no landscape, as those are whose "
                      "names begin with sim:, recorded: or fitted:");
    }
    TRY(law, tasks.LawOf(name));
    if (grid.unit == search::BudgetUnit::kEvaluatorSeconds &&
        law.space() == nullptr) {
      return Fail(Errc::kUsage, "--budget-kind evaluator_seconds: judging " +
                                    name +
                                    " takes none; compare by attempts, or on "
                                    "recorded spaces");
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

}  // namespace

Result<KeptInMemory> KeptInMemoryOf(const Invocation& invocation) {
  KeptInMemory kept;
  if (invocation.arguments.empty()) {
    if (!invocation.Has("report")) return kept;
    return Fail(Errc::kUsage,
                "--report: say of which file: coppice compare "
                "FILE --in-memory --report");
  }
  kept.path = invocation.settings().db;
  std::error_code failed;
  if (std::filesystem::exists(*kept.path, failed)) {
    TRY(database, OpenToLook(invocation));
    TRY_ASSIGN(kept.rows, store::SeriesScores(database).List());
  }
  if (kept.rows.empty() && invocation.Has("report")) {
    return Fail(Errc::kUsage,
                kept.path->string() +
                    ": holds no campaigns in memory; start some: coppice "
                    "compare FILE --in-memory --policies stark,greedy --tasks "
                    "sim:all");
  }
  return kept;
}

InMemoryPlayer::InMemoryPlayer(const Invocation& invocation,
                               const engine::LandscapeTasks& tasks,
                               const KeptInMemory& kept,
                               const engine::Clock& clock, Streams& streams)
    : invocation_(invocation),
      tasks_(tasks),
      kept_(kept),
      clock_(clock),
      streams_(streams) {}

InMemoryPlayer::~InMemoryPlayer() = default;

Result<void> InMemoryPlayer::Check(const InMemoryGrid& grid) {
  if (invocation_.Has("report")) return {};
  TRY_DONE(engine::CheckInMemory(grid.policies));
  TRY_ASSIGN(laws_, LawsOf(grid, tasks_));
  return {};
}

Result<std::vector<lab::References>> InMemoryPlayer::References(
    const InMemoryGrid& grid) {
  std::vector<std::string> known = grid.landscapes;
  if (invocation_.Has("report")) {
    TRY(database, OpenToLook(invocation_));
    const auto file =
        engine::InMemoryFile::Find(database, grid, kept_.rows, clock_);
    std::erase_if(known, [&](const std::string& name) {
      const auto definition = tasks_.DefinitionOf(name);
      if (definition && !file.IsByOther(name, store::Sha256(*definition))) {
        return false;
      }
      streams_.err << engine::OneLine(name)
                   << ": is not here as it was played on, so nothing is "
                      "told by its fastest kernel\n";
      return true;
    });
  }
  return tasks_.ReferencesOf(known, grid.budgets, grid.unit);
}

Result<engine::InMemoryScores> InMemoryPlayer::Scores(
    const InMemoryGrid& grid, int threads, engine::ShareDisplay& display) {
  engine::InMemoryScores scores(grid);
  if (invocation_.Has("report")) {
    TRY(database, OpenToLook(invocation_));
    auto file = engine::InMemoryFile::Find(database, grid, kept_.rows, clock_);
    TellOfOthers(file);
    TRY_DONE(file.Load(scores));
  } else if (kept_.path) {
    TRY_DONE(PlayInto(threads, display, scores));
  } else {
    const std::atomic<bool> never{false};
    TRY_DONE(Play(threads, never, nullptr, display, scores));
  }
  return scores;
}

void InMemoryPlayer::TellOfOthers(const engine::InMemoryFile& file) {
  if (std::exchange(is_told_, true)) return;
  for (const std::string& name : file.FindOthers(kept_.rows)) {
    streams_.err << engine::OneLine(kept_.path->string() +
                                    ": also has campaigns on " + name)
                 << " as it was defined, or played, otherwise; they do not "
                    "count here\n";
  }
}

Result<void> InMemoryPlayer::Play(int threads,
                                  const std::atomic<bool>& draining,
                                  engine::InMemoryFile* file,
                                  engine::ShareDisplay& display,
                                  engine::InMemoryScores& scores) const {
  const InMemoryGrid& grid = scores.grid();
  const std::size_t all =
      grid.policies.size() * grid.landscapes.size() * grid.seeds.size();
  display.Begin("the campaigns",
                1.0 - static_cast<double>(scores.CountMissing()) /
                          static_cast<double>(all));
  const auto tell = [&](const engine::PlayedInMemory& played) {
    display.Show(played.share);
    return file == nullptr ? Result<void>() : file->Keep(scores, played);
  };
  auto played = PlayInMemory(laws_, threads, draining, scores, tell);
  display.Close();
  if (!played || file == nullptr) return played;
  return file->Flush();
}

// What the file holds in the end are the scores.
Result<void> InMemoryPlayer::PlayInto(int threads,
                                      engine::ShareDisplay& display,
                                      engine::InMemoryScores& scores) {
  const InMemoryGrid& grid = scores.grid();
  std::vector<store::Digest> definitions;
  for (const std::string& landscape : grid.landscapes) {
    TRY(definition, tasks_.DefinitionOf(landscape));
    definitions.push_back(store::Sha256(definition));
  }
  const std::atomic<bool>& draining = engine::WatchInterrupts();
  engine::SystemTimer timer(clock_);
  engine::Outages outages(timer, draining);
  const engine::OutageListener listener(
      outages, [&](const engine::Outage& outage) {
        streams_.err << engine::OneLine(engine::OutageText(outage))
                     << std::endl;
      });
  TRY(database, OpenToWrite(invocation_, listener, store::Access::kCreate));
  TRY(file, engine::InMemoryFile::Enter(database, grid, definitions, clock_));
  TellOfOthers(file);
  TRY_DONE(file.Load(scores));
  TRY_DONE(Play(threads, draining, &file, display, scores));
  TRY_DONE(file.Load(scores));
  engine::LeaveInterrupts();  // What follows is made again from the file.
  return {};
}

}  // namespace coppice::cli
