#include "engine/lab/factorial.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

namespace coppice::lab {
namespace {

// The tasks and seeds that all policies ran.
struct RaceTable {
  std::vector<std::string> policies;  // The cells first, in their order.
  std::vector<std::string> families;  // Of each task.
  // Log speedups: [task][seed][policy].
  std::vector<std::vector<std::vector<double>>> values;
  int count = 0;
};

RaceTable TableOf(const Design& design, const std::vector<Score>& scores) {
  RaceTable races;
  std::map<std::string, std::size_t> number_of;
  const auto enter = [&](const std::string& policy) {
    if (number_of.emplace(policy, races.policies.size()).second) {
      races.policies.push_back(policy);
    }
  };
  for (const DesignCell& cell : design.cells) enter(cell.policy);
  // Scores by task and seed.
  std::map<std::string, std::map<std::uint64_t, std::vector<const Score*>>> all;
  for (const Score& score : scores) {
    enter(score.policy);
    all[score.task][score.seed].push_back(&score);
  }
  for (const auto& [task, by_seed] : all) {
    const std::string& family = by_seed.begin()->second.front()->family;
    races.families.push_back(family.empty() ? task : family);
    auto& of_task = races.values.emplace_back();
    for (const auto& [seed, own] : by_seed) {
      if (own.size() < races.policies.size()) continue;
      ++races.count;
      auto& values = of_task.emplace_back(races.policies.size());
      for (const Score* score : own) {
        values[number_of[score->policy]] = score->log_speedup;
      }
    }
  }
  return races;
}

// What `get` makes of each race.
Strata StrataOf(const RaceTable& races, const auto& get) {
  Strata strata;
  for (const auto& of_task : races.values) {
    auto& stratum = strata.emplace_back();
    for (const std::vector<double>& race : of_task) {
      stratum.push_back(get(race));
    }
  }
  return strata;
}

// How a contrast weighs the policies.
using Weights = std::vector<double>;

// Adds the mean over the cells that have these levels, times `sign`.
void Weigh(const Design& design, const std::vector<Change>& at, double sign,
           Weights& weights) {
  std::vector<std::size_t> there;
  for (std::size_t c = 0; c < design.cells.size(); ++c) {
    const bool has_all = std::ranges::all_of(at, [&](const Change& level) {
      return design.cells[c].levels[level.factor] == level.level;
    });
    if (has_all) there.push_back(c);
  }
  for (const std::size_t cell : there) {
    weights[cell] += sign / static_cast<double>(there.size());
  }
}

Weights WeightsOf(const Design& design, const RaceTable& races,
                  const std::vector<Change>& changes) {
  Weights weights(races.policies.size());
  const Change& a = changes.front();
  const auto add_gain = [&](std::vector<Change> given, double sign) {
    given.push_back(a);
    Weigh(design, given, sign, weights);
    given.back().level = 0;
    Weigh(design, given, -sign, weights);
  };
  if (changes.size() == 1) {
    add_gain({}, 1.0);
  } else {
    add_gain({changes.back()}, 1.0);
    add_gain({{changes.back().factor, 0}}, -1.0);
  }
  return weights;
}

// The changes from the first level to each other.
std::vector<Change> ChangesOf(const Design& design, std::size_t factor) {
  std::vector<Change> changes;
  for (std::size_t l = 1; l < design.factors[factor].levels.size(); ++l) {
    changes.push_back({factor, l});
  }
  return changes;
}

std::vector<Effect> EffectsOf(const Design& design) {
  std::vector<Effect> effects;
  const std::size_t factors = design.factors.size();
  for (std::size_t f = 0; f < factors; ++f) {
    for (const Change& one : ChangesOf(design, f)) {
      effects.push_back({{one}, {}});
    }
  }
  for (std::size_t f = 0; f < factors; ++f) {
    for (std::size_t g = f + 1; g < factors; ++g) {
      for (const Change& one : ChangesOf(design, f)) {
        for (const Change& other : ChangesOf(design, g)) {
          effects.push_back({{one, other}, {}});
        }
      }
    }
  }
  return effects;
}

std::vector<Effect> ToldEffects(const Design& design, const RaceTable& races) {
  std::vector<Effect> effects = EffectsOf(design);
  std::vector<Difference> told;
  for (const Effect& effect : effects) {
    const Weights weights = WeightsOf(design, races, effect.changes);
    const auto contrast = [&](const std::vector<double>& race) {
      return std::inner_product(race.begin(), race.end(), weights.begin(), 0.0);
    };
    told.push_back(DifferenceOf(StrataOf(races, contrast), races.families));
  }
  Conclude(told, races.values.size());
  for (std::size_t e = 0; e < told.size(); ++e) {
    effects[e].difference = std::move(told[e]);
  }
  return effects;
}

CellMean MeanOf(const RaceTable& races, std::size_t policy,
                const std::vector<Score>& scores) {
  CellMean mean;
  static_cast<OverTasks&>(mean) = AverageOverTasks(
      StrataOf(races,
               [&](const std::vector<double>& race) { return race[policy]; }),
      races.families);
  mean.policy = races.policies[policy];
  double campaigns = 0.0;
  for (const Score& score : scores) {
    if (score.policy != mean.policy) continue;
    mean.attempts += static_cast<double>(score.attempts);
    ++campaigns;
  }
  mean.attempts /= campaigns;
  return mean;
}

}  // namespace

Factorial Analyse(const Design& design, const std::vector<Score>& scores) {
  Factorial factorial;
  const RaceTable races = TableOf(design, scores);
  factorial.races = races.count;
  if (races.count == 0) return factorial;
  factorial.effects = ToldEffects(design, races);
  for (std::size_t p = 0; p < races.policies.size(); ++p) {
    const bool is_cell = p < design.cells.size();
    (is_cell ? factorial.cells : factorial.others)
        .push_back(MeanOf(races, p, scores));
  }
  std::ranges::stable_sort(
      factorial.cells, [](const CellMean& one, const CellMean& other) {
        return one.over_tasks.value > other.over_tasks.value;
      });
  return factorial;
}

std::string WinnerOf(const Comparison& comparison) {
  const Difference* best = nullptr;
  bool all_worse = true;
  for (const Difference& each : comparison.differences) {
    all_worse = all_worse && each.finding == DifferenceSign::kWorse;
    if (each.finding != DifferenceSign::kBetter) continue;
    if (best == nullptr || best->log_speedup.value < each.log_speedup.value) {
      best = &each;
    }
  }
  if (best != nullptr) return best->policy;
  return all_worse ? comparison.baseline : "";
}

}  // namespace coppice::lab
