#include "engine/compare/in_memory_grid.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "engine/compare/confirm_winner.h"
#include "engine/compare/contender.h"
#include "engine/factory/landscape_tasks.h"
#include "search/landscapes/in_memory_campaign.h"
#include "search/landscapes/task_law.h"
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
    // Typed names are in their own spelling by now; others are a file's.
    TRY(policy, search::MakeStoredPolicy(contender.policy));
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
  Run(const std::vector<search::TaskLaw>& laws,
      const std::vector<Entrant>& entrants, const std::atomic<bool>& draining,
      InMemoryScores& scores,
      const std::function<Result<void>(const PlayedInMemory&)>& tell)
      : grid_(scores.grid()),
        laws_(laws),
        entrants_(entrants),
        draining_(draining),
        tell_(tell),
        blocks_((grid_.seeds.size() + kBlock - 1) / kBlock),
        all_(laws.size() * entrants.size() * grid_.seeds.size()),
        scores_(scores),
        missing_(scores.CountMissing()) {}

  Result<void> Do(int threads) {
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < threads; ++i) others.emplace_back([this] { Work(); });
      Work();
    }
    if (error_) return tl::unexpected<Error>(*std::move(error_));
    return {};
  }

 private:
  void Work() {
    const std::size_t all = blocks_ * laws_.size() * entrants_.size();
    for (std::size_t i = next_++; i < all && !stop_; i = next_++) {
      const std::size_t policy = i % entrants_.size();
      const std::size_t landscape = i / entrants_.size() % laws_.size();
      if (auto done =
              Play(policy, landscape, i / entrants_.size() / laws_.size());
          !done) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(done).error();
        stop_ = true;
      }
    }
  }

  Result<void> Play(std::size_t policy, std::size_t landscape,
                    std::size_t block) {
    PlayedInMemory played{policy, landscape, {}, 0.0};
    const std::size_t end = std::min((block + 1) * kBlock, grid_.seeds.size());
    for (std::size_t seed = block * kBlock; seed < end; ++seed) {
      if (draining_) stop_ = true;
      if (stop_) break;
      TRY(was_missing, PlayOne({policy, landscape, seed, 0}));
      if (was_missing) played.seeds.push_back(seed);
    }
    if (played.seeds.empty()) return {};
    const std::lock_guard lock(mutex_);
    missing_ -= static_cast<std::int64_t>(played.seeds.size());
    played.share =
        1.0 - static_cast<double>(missing_) / static_cast<double>(all_);
    return tell_(played);
  }

  // Each campaign has its own places among the scores.
  Result<bool> PlayOne(InMemoryScores::Place place) {
    std::size_t wanted = grid_.budgets.size();  // Of budgets.
    while (wanted > 0) {
      place.budget = wanted - 1;
      if (!scores_.At(place).known) break;
      --wanted;
    }
    if (wanted == 0) return false;
    const bool apart = entrants_[place.policy].policy->LooksAhead() &&
                       grid_.unit == search::BudgetUnit::kAttempts;
    if (!apart) {
      TRY_DONE(PlayTo(place, 0, wanted));
      return true;
    }
    for (std::size_t budget = 0; budget < wanted; ++budget) {
      place.budget = budget;
      if (!scores_.At(place).known) TRY_DONE(PlayTo(place, budget, budget + 1));
    }
    return true;
  }

  // A campaign to the last of the budgets from `first` on, before `end`.
  Result<void> PlayTo(InMemoryScores::Place place, std::size_t first,
                      std::size_t end) {
    const Entrant& entrant = entrants_[place.policy];
    const std::span<const std::int64_t> budgets(grid_.budgets.data() + first,
                                                end - first);
    const search::InMemoryOutcome outcome = search::RunInMemory(
        *entrant.policy, laws_[place.landscape], grid_.seeds[place.seed],
        {entrant.workforce, budgets.back(), budgets, entrant.window,
         kMostRefuted, grid_.unit});
    if (outcome.failure) return tl::unexpected<Error>(*outcome.failure);
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      place.budget = first + i;
      const search::AttemptCounts& counts = outcome.counts[i];
      InMemoryScores::Value now;
      now.attempts = static_cast<std::int32_t>(counts.attempts);
      now.compiled = static_cast<std::int32_t>(counts.compiled);
      now.correct = static_cast<std::int32_t>(counts.correct);
      now.solved = outcome.incumbents[i].has_value();
      if (now.solved) now.log_speedup = outcome.proven[i];
      now.known = true;
      InMemoryScores::Value& value = scores_.At(place);
      if (value.known && value != now) return Differs(place);
      value = now;
    }
    return {};
  }

  tl::unexpected<Error> Differs(const InMemoryScores::Place& place) const {
    return Fail(Errc::kCorrupt,
                grid_.policies[place.policy] + " on " +
                    grid_.landscapes[place.landscape] + ", seed " +
                    std::to_string(grid_.seeds[place.seed]) + ", " +
                    std::to_string(grid_.budgets[place.budget]) +
                    " attempts: the score that is kept is not the one that "
                    "this program gives; keep what it plays in another file");
  }

  const InMemoryGrid& grid_;
  const std::vector<search::TaskLaw>& laws_;
  const std::vector<Entrant>& entrants_;
  const std::atomic<bool>& draining_;
  const std::function<Result<void>(const PlayedInMemory&)>& tell_;
  const std::size_t blocks_;
  const std::size_t all_;  // Campaigns.
  InMemoryScores& scores_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // Guards tell_ and
  std::int64_t missing_;
  std::optional<Error> error_;
};

}  // namespace

InMemoryScores::InMemoryScores(const InMemoryGrid& grid)
    : grid_(grid),
      values_(grid.policies.size() * grid.landscapes.size() *
              grid.seeds.size() * grid.budgets.size()) {}

std::size_t InMemoryScores::Index(const Place& place) const {
  return ((place.policy * grid_.landscapes.size() + place.landscape) *
              grid_.seeds.size() +
          place.seed) *
             grid_.budgets.size() +
         place.budget;
}

std::vector<lab::Score> InMemoryScores::ScoresOf(std::size_t budget,
                                                 std::size_t landscape) const {
  const std::size_t seeds = grid_.seeds.size();
  const bool is_all = landscape >= grid_.landscapes.size();
  const std::size_t begin = is_all ? 0 : landscape;
  const std::size_t end = is_all ? grid_.landscapes.size() : landscape + 1;
  std::vector<bool> is_race((end - begin) * seeds, true);
  for (std::size_t p = 0; p < grid_.policies.size(); ++p) {
    for (std::size_t i = 0; i < is_race.size(); ++i) {
      const bool known = At({p, begin + i / seeds, i % seeds, budget}).known;
      is_race[i] = is_race[i] && known;
    }
  }
  std::vector<lab::Score> scores;
  for (std::size_t p = 0; p < grid_.policies.size(); ++p) {
    for (std::size_t i = 0; i < is_race.size(); ++i) {
      if (!is_race[i]) continue;
      const Place place{p, begin + i / seeds, i % seeds, budget};
      const Value& value = At(place);
      lab::Score& score = scores.emplace_back();
      score.policy = grid_.policies[p];
      score.task = grid_.landscapes[place.landscape];
      score.family = LandscapeTasks::FamilyOf(score.task);
      score.seed = grid_.seeds[place.seed];
      score.log_speedup = value.log_speedup;
      score.solved = value.solved;
      score.attempts = value.attempts;
      score.compiled = value.compiled;
      score.passed = value.correct;
    }
  }
  return scores;
}

std::int64_t InMemoryScores::CountMissing() const {
  const std::size_t budgets = grid_.budgets.size();
  std::int64_t missing = 0;
  for (std::size_t i = 0; i < values_.size(); i += budgets) {
    const std::span<const Value> own(&values_[i], budgets);
    if (!std::ranges::all_of(own, &Value::known)) ++missing;
  }
  return missing;
}

Result<void> CheckInMemory(const std::vector<std::string>& policies) {
  return MakeEntrants(policies).map([](const auto&) {});
}

Result<void> PlayInMemory(
    const std::vector<search::TaskLaw>& laws, int threads,
    const std::atomic<bool>& draining, InMemoryScores& scores,
    const std::function<Result<void>(const PlayedInMemory&)>& tell) {
  TRY(entrants, MakeEntrants(scores.grid().policies));
  return Run(laws, entrants, draining, scores, tell).Do(threads);
}

}  // namespace coppice::engine
