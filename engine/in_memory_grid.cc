#include "engine/in_memory_grid.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "engine/contender.h"
#include "engine/landscape_tasks.h"
#include "engine/proof.h"
#include "search/landscapes/in_memory_campaign.h"
#include "search/policy.h"

namespace coppice::engine {
namespace {

// Campaigns that a thread takes at a time.
constexpr std::size_t kBlock = 50;

struct Entrant {
  std::unique_ptr<search::Policy> policy;
  search::Workforce workforce = search::Workforce::kTeam;
  std::int64_t window = search::kPaperWindow;
};

// What of a contender's settings a landscape's agents know of.
Result<void> Take(const config::Override& setting, Entrant& entrant) {
  if (setting.key != "window_history") {
    return Fail(
        Errc::kUsage,
        setting.key + ": makes no difference in memory; window_history does");
  }
  entrant.window = std::atoll(setting.value.c_str());
  return {};
}

Result<std::vector<Entrant>> MakeEntrants(
    const std::vector<std::string>& names) {
  std::vector<Entrant> entrants;
  for (const std::string& name : names) {
    const Contender contender = ContenderOf(name);
    TRY(policy, search::MakePolicy(contender.policy));
    Entrant entrant{std::move(policy), contender.alone
                                           ? search::Workforce::kAlone
                                           : search::Workforce::kTeam};
    for (const config::Override& setting : contender.settings) {
      TRY_DONE(Take(setting, entrant));
    }
    entrants.push_back(std::move(entrant));
  }
  return entrants;
}

class Run {
 public:
  Run(const InMemoryGrid& grid, const std::vector<search::TaskLaw>& laws,
      const std::vector<Entrant>& entrants,
      const std::function<void(double)>& tell)
      : grid_(grid),
        laws_(laws),
        entrants_(entrants),
        tell_(tell),
        blocks_((static_cast<std::size_t>(grid.seeds) + kBlock - 1) / kBlock),
        scores_(grid) {}

  InMemoryScores Do(int threads) {
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < threads; ++i) others.emplace_back([this] { Work(); });
      Work();
    }
    return std::move(scores_);
  }

 private:
  void Work() {
    const std::size_t all = laws_.size() * entrants_.size() * blocks_;
    for (std::size_t i = next_++; i < all; i = next_++) {
      const std::size_t block = i % blocks_;
      const std::size_t policy = i / blocks_ % entrants_.size();
      const std::size_t landscape = i / blocks_ / entrants_.size();
      const auto end =
          std::min((block + 1) * kBlock, static_cast<std::size_t>(grid_.seeds));
      for (std::size_t seed = block * kBlock; seed < end; ++seed) {
        RunOne({policy, landscape, seed, 0});
      }
      const std::lock_guard lock(mutex_);
      tell_(static_cast<double>(++done_) / static_cast<double>(all));
    }
  }

  // Each campaign has its own places among the scores.
  void RunOne(InMemoryScores::Place place) {
    const Entrant& entrant = entrants_[place.policy];
    const search::InMemoryOutcome outcome = search::RunInMemory(
        *entrant.policy, laws_[place.landscape], grid_.first_seed + place.seed,
        {entrant.workforce, grid_.budgets.back(), grid_.budgets, entrant.window,
         kMostRefuted, grid_.unit});
    for (place.budget = 0; place.budget < grid_.budgets.size();
         ++place.budget) {
      if (!outcome.incumbents[place.budget]) continue;
      scores_.At(place) = {outcome.proven[place.budget], true};
    }
  }

  const InMemoryGrid& grid_;
  const std::vector<search::TaskLaw>& laws_;
  const std::vector<Entrant>& entrants_;
  const std::function<void(double)>& tell_;
  const std::size_t blocks_;
  InMemoryScores scores_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;  // Guards tell_ and
  std::size_t done_ = 0;
};

}  // namespace

InMemoryScores::InMemoryScores(const InMemoryGrid& grid)
    : grid_(grid),
      values_(grid.policies.size() * grid.landscapes.size() *
              static_cast<std::size_t>(grid.seeds) * grid.budgets.size()) {}

std::size_t InMemoryScores::Index(const Place& place) const {
  const auto seeds = static_cast<std::size_t>(grid_.seeds);
  return ((place.policy * grid_.landscapes.size() + place.landscape) * seeds +
          place.seed) *
             grid_.budgets.size() +
         place.budget;
}

std::vector<lab::Score> InMemoryScores::ScoresOf(std::size_t budget,
                                                 std::size_t landscape) const {
  const bool is_all = landscape >= grid_.landscapes.size();
  const std::size_t begin = is_all ? 0 : landscape;
  const std::size_t end = is_all ? grid_.landscapes.size() : landscape + 1;
  std::vector<lab::Score> scores;
  for (std::size_t p = 0; p < grid_.policies.size(); ++p) {
    for (std::size_t l = begin; l < end; ++l) {
      for (std::size_t s = 0; s < static_cast<std::size_t>(grid_.seeds); ++s) {
        const Value& value = values_[Index({p, l, s, budget})];
        lab::Score& score = scores.emplace_back();
        score.policy = grid_.policies[p];
        score.task = grid_.landscapes[l];
        score.family = LandscapeTasks::FamilyOf(score.task);
        score.seed = grid_.first_seed + s;
        score.log_speedup = value.log_speedup;
        score.solved = value.solved;
      }
    }
  }
  return scores;
}

Result<InMemoryScores> RunGridInMemory(
    const InMemoryGrid& grid, const std::vector<search::TaskLaw>& laws,
    int threads, const std::function<void(double share)>& tell) {
  TRY(entrants, MakeEntrants(grid.policies));
  return Run(grid, laws, entrants, tell).Do(threads);
}

}  // namespace coppice::engine
