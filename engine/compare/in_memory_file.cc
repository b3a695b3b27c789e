#include "engine/compare/in_memory_file.h"

#include <algorithm>
#include <set>
#include <utility>

namespace coppice::engine {
namespace {

constexpr double kWriteEvery_s = 1.0;

template <class T>
void AddOnce(std::vector<T>& all, const T& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

// Runs of consecutive seeds.
std::vector<store::SeriesRequest> RequestsOf(const InMemoryGrid& grid) {
  std::vector<store::SeriesRequest> requests;
  for (const std::int64_t budget : grid.budgets) {
    store::SeriesRequest run{0, 0, budget};
    for (const std::uint64_t seed : grid.seeds) {
      if (run.seeds > 0 &&
          seed != run.first_seed + static_cast<std::uint64_t>(run.seeds)) {
        requests.push_back(run);
        run.seeds = 0;
      }
      if (run.seeds++ == 0) run.first_seed = seed;
    }
    requests.push_back(run);
  }
  return requests;
}

}  // namespace

InMemoryGrid GridOfSeries(const std::vector<store::SeriesRow>& rows) {
  InMemoryGrid grid;
  std::set<std::uint64_t> seeds;
  std::set<std::int64_t> budgets;
  std::set<std::pair<std::uint64_t, std::int64_t>> runs;  // Many are alike.
  for (const store::SeriesRow& row : rows) {
    AddOnce(grid.policies, row.key.contender);
    AddOnce(grid.landscapes, row.key.landscape.name);
    for (const store::SeriesRequest& request : row.requests) {
      budgets.insert(request.attempts);
      if (!runs.emplace(request.first_seed, request.seeds).second) continue;
      for (std::int64_t i = 0; i < request.seeds; ++i) {
        seeds.insert(request.first_seed + static_cast<std::uint64_t>(i));
      }
    }
  }
  grid.seeds.assign(seeds.begin(), seeds.end());
  grid.budgets.assign(budgets.begin(), budgets.end());
  return grid;
}

Result<InMemoryFile> InMemoryFile::Enter(
    store::Database& database, const InMemoryGrid& grid,
    const std::vector<store::Digest>& definitions, const Clock& clock) {
  InMemoryFile file(database, grid, clock);
  std::vector<store::SeriesKey> keys;
  for (std::size_t l = 0; l < grid.landscapes.size(); ++l) {
    const store::LandscapeKey landscape{grid.landscapes[l], definitions[l],
                                        kInMemoryRules};
    file.landscapes_[landscape.name] = landscape;
    for (const std::string& policy : grid.policies) {
      keys.push_back({landscape, policy});
    }
  }
  TRY(series, store::SeriesScores(database).Enter(keys, RequestsOf(grid)));
  for (std::size_t i = 0; i < series.size(); ++i) {
    file.series_[{i % grid.policies.size(), i / grid.policies.size()}] =
        series[i];
  }
  return file;
}

InMemoryFile InMemoryFile::Find(store::Database& database,
                                const InMemoryGrid& grid,
                                const std::vector<store::SeriesRow>& rows,
                                const Clock& clock) {
  InMemoryFile file(database, grid, clock);
  for (const store::SeriesRow& row : rows) {
    file.landscapes_[row.key.landscape.name] = row.key.landscape;
  }
  for (const store::SeriesRow& row : rows) {
    const store::LandscapeKey& landscape = row.key.landscape;
    if (file.landscapes_[landscape.name] != landscape) continue;
    const auto policy = std::ranges::find(grid.policies, row.key.contender);
    const auto place = std::ranges::find(grid.landscapes, landscape.name);
    if (policy == grid.policies.end() || place == grid.landscapes.end()) {
      continue;
    }
    file.series_[{static_cast<std::size_t>(policy - grid.policies.begin()),
                  static_cast<std::size_t>(place - grid.landscapes.begin())}] =
        row.id;
  }
  return file;
}

std::vector<std::string> InMemoryFile::FindOthers(
    const std::vector<store::SeriesRow>& rows) const {
  std::vector<std::string> others;
  for (const store::SeriesRow& row : rows) {
    const auto used = landscapes_.find(row.key.landscape.name);
    if (used == landscapes_.end() || used->second == row.key.landscape) {
      continue;
    }
    AddOnce(others, row.key.landscape.name);
  }
  return others;
}

bool InMemoryFile::IsByOther(const std::string& landscape,
                             const store::Digest& definition) const {
  const auto used = landscapes_.find(landscape);
  return used != landscapes_.end() && used->second.definition != definition;
}

Result<void> InMemoryFile::Load(InMemoryScores& scores) {
  for (const auto& [cell, series] : series_) {
    InMemoryScores::Place place{cell.policy, cell.landscape, 0, 0};
    const auto take = [&](const store::SeriesScore& score) {
      const auto seed = std::ranges::lower_bound(grid_.seeds, score.seed);
      const auto budget =
          std::ranges::lower_bound(grid_.budgets, score.attempts);
      if (seed == grid_.seeds.end() || *seed != score.seed ||
          budget == grid_.budgets.end() || *budget != score.attempts) {
        return;
      }
      place.seed = static_cast<std::size_t>(seed - grid_.seeds.begin());
      place.budget = static_cast<std::size_t>(budget - grid_.budgets.begin());
      scores.At(place) = {score.log_speedup.value_or(0.0),
                          static_cast<std::int32_t>(score.attempts),
                          static_cast<std::int32_t>(score.compiled),
                          static_cast<std::int32_t>(score.correct),
                          score.log_speedup.has_value(),
                          true};
    };
    TRY_DONE(store::SeriesScores(*database_).ForEach(series, take));
  }
  return {};
}

Result<void> InMemoryFile::Keep(const InMemoryScores& scores,
                                const PlayedInMemory& played) {
  std::vector<store::SeriesScore>& batch =
      unwritten_[series_.at({played.policy, played.landscape})];
  for (const std::size_t seed : played.seeds) {
    for (std::size_t b = 0; b < grid_.budgets.size(); ++b) {
      const InMemoryScores::Value& value =
          scores.At({played.policy, played.landscape, seed, b});
      store::SeriesScore& score = batch.emplace_back();
      score.seed = grid_.seeds[seed];
      score.attempts = grid_.budgets[b];
      if (value.solved) score.log_speedup = value.log_speedup;
      score.compiled = value.compiled;
      score.correct = value.correct;
    }
  }
  if (clock_->Monotonic() - written_at_s_ < kWriteEvery_s) return {};
  return Flush();
}

Result<void> InMemoryFile::Flush() {
  TRY_DONE(store::SeriesScores(*database_).Add(unwritten_));
  unwritten_.clear();
  written_at_s_ = clock_->Monotonic();
  return {};
}

}  // namespace coppice::engine
