// Brings the scores of campaigns in memory: those that a file keeps, and unless
// it is for a report those that are played.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/compare/in_memory_grid.h"
#include "engine/documents/verb.h"
#include "store/read/series.h"

namespace coppice::engine {
class Clock;
class InMemoryFile;
class LandscapeTasks;
class ShareDisplay;
}  // namespace coppice::engine

namespace coppice::cli {

// The file that is named, and what it holds.
struct KeptInMemory {
  std::optional<std::filesystem::path> path;
  std::vector<store::SeriesRow> rows;
};

// kUsage: --report names no file, or one that holds nothing.
Result<KeptInMemory> KeptInMemoryOf(const Invocation& invocation);

// Plays more than one grid if there are looks.
class InMemoryPlayer {
 public:
  // All of these outlive it.
  InMemoryPlayer(const Invocation& invocation,
                 const engine::LandscapeTasks& tasks, const KeptInMemory& kept,
                 const engine::Clock& clock, Streams& streams);
  ~InMemoryPlayer();

  // What is wrong, before anything is made.
  Result<void> Check(const engine::InMemoryGrid& grid);

  // Uses the landscapes as they were played on, since those that are here by
  // now may be others.
  Result<std::vector<lab::References>> References(
      const engine::InMemoryGrid& grid);

  Result<engine::InMemoryScores> Scores(const engine::InMemoryGrid& grid,
                                        int threads,
                                        engine::ShareDisplay& display);

 private:
  void TellOfOthers(const engine::InMemoryFile& file);
  Result<void> Play(int threads, const std::atomic<bool>& draining,
                    engine::InMemoryFile* file, engine::ShareDisplay& display,
                    engine::InMemoryScores& scores) const;
  Result<void> PlayInto(int threads, engine::ShareDisplay& display,
                        engine::InMemoryScores& scores);

  const Invocation& invocation_;
  const engine::LandscapeTasks& tasks_;
  const KeptInMemory& kept_;
  const engine::Clock& clock_;
  Streams& streams_;
  std::vector<search::TaskLaw> laws_;
  bool is_told_ = false;  // What TellOfOthers says.
};

}  // namespace coppice::cli
