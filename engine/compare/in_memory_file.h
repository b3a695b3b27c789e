// Where the scores of a grid that is played in memory are kept: its series in a
// database (store/read/series.h).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "engine/compare/in_memory_grid.h"
#include "engine/process/clock.h"
#include "store/database.h"
#include "store/read/series.h"

namespace coppice::engine {

// All that was ever asked for, in order of appearance; budgets and seeds
// ascending.  Without policies: nothing was.
InMemoryGrid GridOfSeries(const std::vector<store::SeriesRow>& rows);

class InMemoryFile {
 public:
  // Opens a file to play: enters the grid, with what its landscapes are by now,
  // in order.  `database` and `clock` outlive it.
  static Result<InMemoryFile> Enter(
      store::Database& database, const InMemoryGrid& grid,
      const std::vector<store::Digest>& definitions, const Clock& clock);

  // Opens a file to report: it has the series of each landscape as it was
  // entered last.  They need not be of one program.
  static InMemoryFile Find(store::Database& database, const InMemoryGrid& grid,
                           const std::vector<store::SeriesRow>& rows,
                           const Clock& clock);

  // Names of landscapes of the grid of which there are scores by another
  // definition or other rules, which count for nothing.
  std::vector<std::string> FindOthers(
      const std::vector<store::SeriesRow>& rows) const;

  // Whether what counts here of that landscape is by another definition.
  bool IsByOther(const std::string& landscape,
                 const store::Digest& definition) const;

  // Loads all that is kept of the grid.
  Result<void> Load(InMemoryScores& scores);

  // Keeps what was played, now or, once a second has passed, together with what
  // comes meanwhile.
  Result<void> Keep(const InMemoryScores& scores, const PlayedInMemory& played);
  // Writes all of it now.
  Result<void> Flush();

 private:
  InMemoryFile(store::Database& database, const InMemoryGrid& grid,
               const Clock& clock)
      : database_(&database),
        grid_(grid),
        clock_(&clock),
        written_at_s_(clock.Monotonic()) {}

  struct Cell {
    std::size_t policy;
    std::size_t landscape;
    // NOLINTNEXTLINE(modernize-use-nullptr): of its comparison with 0.
    auto operator<=>(const Cell&) const = default;
  };

  store::Database* database_;
  InMemoryGrid grid_;
  const Clock* clock_;
  std::map<Cell, store::SeriesId> series_;  // A cell without one: none is kept.
  std::map<std::string, store::LandscapeKey> landscapes_;  // By name.
  store::SeriesScores::Batch unwritten_;
  double written_at_s_;  // Monotonic.
};

}  // namespace coppice::engine
