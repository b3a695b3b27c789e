#include "engine/lab/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/lab/averages.h"
#include "engine/lab/bootstrap.h"
#include "engine/lab/holm.h"
#include "engine/lab/improvement.h"
#include "engine/lab/power.h"
#include "engine/lab/profile.h"
#include "engine/lab/sign_flip.h"

namespace coppice::lab {
namespace {

// Draws of the bootstrap beyond which fewer resamples are made of many scores,
// whose intervals need no more.
constexpr std::size_t kMostDraws = 10'000'000;
constexpr int kFewestResamples = 1'000;

// Bands of curves are to be looked at.
constexpr int kCurveResamples = 2'000;

int Resamples(std::size_t scores, int most) {
  const auto affordable =
      static_cast<int>(std::min(kMostDraws / std::max<std::size_t>(scores, 1),
                                static_cast<std::size_t>(most)));
  return std::max(affordable, std::min(most, kFewestResamples));
}

// Draws of a question, whichever others are asked.
enum class Asked : std::uint64_t { kSummary, kTest, kCurve };

RandomStream DrawsFor(Asked asked) {
  return {0, Purpose::kStatistics, static_cast<std::uint64_t>(asked)};
}

template <class Get>
std::vector<std::string> Distinct(const std::vector<Score>& scores, Get get) {
  std::vector<std::string> names;
  for (const Score& score : scores) {
    if (std::ranges::find(names, get(score)) == names.end()) {
      names.push_back(get(score));
    }
  }
  return names;
}

// One policy's scores by task and seed.
using Races = std::map<std::pair<std::size_t, std::uint64_t>, const Score*>;

class Sheet {
 public:
  explicit Sheet(const std::vector<Score>& scores)
      : tasks_(Distinct(scores, [](const Score& s) { return s.task; })),
        policies_(Distinct(scores, [](const Score& s) { return s.policy; })),
        races_(policies_.size()) {
    std::map<std::string, std::size_t> task_of;
    for (std::size_t t = 0; t < tasks_.size(); ++t) task_of[tasks_[t]] = t;
    std::map<std::string, std::size_t> policy_of;
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      policy_of[policies_[p]] = p;
    }
    families_ = tasks_;
    for (const Score& score : scores) {
      if (!score.family.empty()) families_[task_of[score.task]] = score.family;
      races_[policy_of[score.policy]].emplace(
          std::pair(task_of[score.task], score.seed), &score);
    }
  }

  const std::vector<std::string>& tasks() const { return tasks_; }
  const std::vector<std::string>& policies() const { return policies_; }
  // The family of each task.
  const std::vector<std::string>& families() const { return families_; }
  const Races& of(std::size_t policy) const { return races_[policy]; }

  // What `get` makes of each score; none: it is left out.
  template <class Get>
  Strata StrataOf(std::size_t policy, Get get) const {
    Strata strata(tasks_.size());
    for (const auto& [race, score] : races_[policy]) {
      const std::optional<double> value = get(*score);
      if (value) strata[race.first].push_back(*value);
    }
    return strata;
  }

 private:
  const std::vector<std::string> tasks_;
  const std::vector<std::string> policies_;
  std::vector<std::string> families_;  // By task.
  std::vector<Races> races_;
};

int LeastSeeds(const Sheet& sheet) {
  std::map<std::pair<std::size_t, std::size_t>, int> seeds;
  for (std::size_t p = 0; p < sheet.policies().size(); ++p) {
    for (const auto& [race, score] : sheet.of(p)) ++seeds[{p, race.first}];
  }
  int least = std::numeric_limits<int>::max();
  for (const auto& [cell, count] : seeds) least = std::min(least, count);
  return least;
}

double LogSpeedup(const Score& score) { return score.log_speedup; }

// Tasks without a score are no strata.
Strata Filled(Strata strata) {
  std::erase_if(strata, [](const auto& values) { return values.empty(); });
  return strata;
}

MeanEstimates Average(const Sheet& sheet, std::size_t policy, Asked asked,
                      int most, const auto& get) {
  RandomStream draws = DrawsFor(asked);
  const Strata strata = Filled(sheet.StrataOf(policy, get));
  return {StudentMean(strata),
          BootstrapInterquartileMean(strata, draws,
                                     Resamples(sheet.of(policy).size(), most))};
}

PolicySummary Summarise(const Sheet& sheet, std::size_t policy) {
  PolicySummary summary;
  summary.policy = sheet.policies()[policy];
  summary.campaigns = static_cast<int>(sheet.of(policy).size());
  const auto count = static_cast<double>(summary.campaigns);
  std::vector<double> speedups;
  double attempts = 0.0;
  for (const auto& [race, score] : sheet.of(policy)) {
    speedups.push_back(std::exp(score->log_speedup));
    if (score->solved) summary.success += 1.0 / count;
    if (score->log_speedup > 0.0) summary.fast_1 += 1.0 / count;
    if (!score->decided) ++summary.undecided;
    attempts += static_cast<double>(score->attempts);
    summary.compiled += static_cast<double>(score->compiled);
    summary.passed += static_cast<double>(score->passed);
  }
  summary.compiled /= std::max(attempts, 1.0);
  summary.passed /= std::max(attempts, 1.0);
  summary.arithmetic_mean_speedup = Mean(speedups);
  summary.log_speedup =
      Average(sheet, policy, Asked::kSummary, kResamples, LogSpeedup);
  summary.geometric_mean_speedup = std::exp(summary.log_speedup.mean.value);
  return summary;
}

// Own less baseline's, of the races that both ran, by task: of what `get` makes
// of their scores, if it makes something of both.
Strata Paired(const Sheet& sheet, std::size_t policy, std::size_t baseline,
              const auto& get) {
  Strata strata(sheet.tasks().size());
  for (const auto& [race, score] : sheet.of(policy)) {
    const auto other = sheet.of(baseline).find(race);
    if (other == sheet.of(baseline).end()) continue;
    const std::optional<double> own = get(*score);
    const std::optional<double> others = get(*other->second);
    if (own && others) strata[race.first].push_back(*own - *others);
  }
  return strata;
}

Difference Contrast(const Sheet& sheet, std::size_t policy,
                    std::size_t baseline) {
  Difference difference = DifferenceOf(
      Paired(sheet, policy, baseline, LogSpeedup), sheet.families());
  difference.policy = sheet.policies()[policy];
  return difference;
}

// What a reference makes of a score, if its task has one.
auto By(const References& references, auto tell) {
  return [&references, tell](const Score& score) -> std::optional<double> {
    const auto reference = references.find(score.task);
    if (reference == references.end()) return std::nullopt;
    return tell(score.log_speedup, reference->second);
  };
}

KnownSummary SummariseKnown(const Sheet& sheet, std::size_t policy,
                            std::size_t baseline,
                            const References& references) {
  const auto share = By(references, ShareOfOptimum);
  const auto over_random = By(references, ScoreOverRandom);
  KnownSummary summary;
  summary.policy = sheet.policies()[policy];
  summary.share = StudentMean(Filled(sheet.StrataOf(policy, share)));
  summary.over_random =
      StudentMean(Filled(sheet.StrataOf(policy, over_random)));
  if (policy == baseline) return summary;
  const OverTasks over = AverageOverTasks(
      Paired(sheet, policy, baseline, share), sheet.families());
  summary.over_tasks = over.over_tasks;
  summary.over_families = over.over_families;
  return summary;
}

std::optional<KnownOptima> TellByReferences(const Sheet& sheet,
                                            std::size_t baseline,
                                            const References& references) {
  KnownOptima known;
  std::set<std::string> families;
  std::vector<double> random_shares;
  for (std::size_t t = 0; t < sheet.tasks().size(); ++t) {
    const auto found = references.find(sheet.tasks()[t]);
    if (found == references.end()) continue;
    const auto share = ShareOfOptimum(found->second.random, found->second);
    if (!share) continue;
    random_shares.push_back(*share);
    families.insert(sheet.families()[t]);
    if (ScoreOverRandom(0.0, found->second)) ++known.open_tasks;
  }
  if (random_shares.empty()) return std::nullopt;
  known.tasks = static_cast<int>(random_shares.size());
  known.families = static_cast<int>(families.size());
  known.random_share = Mean(random_shares);
  for (std::size_t p = 0; p < sheet.policies().size(); ++p) {
    known.policies.push_back(SummariseKnown(sheet, p, baseline, references));
  }
  return known;
}

std::optional<std::int64_t> MoreSeeds(const Difference& difference,
                                      std::size_t tasks, int questions) {
  // One pair does not say how much they vary.
  if (difference.pairs < 2) return std::nullopt;
  const auto pairs = PairsForPower(difference.log_speedup.value,
                                   difference.standard_deviation, questions);
  if (!pairs) return std::nullopt;
  const std::int64_t lacking =
      std::max(*pairs, LeastPairs(questions)) - difference.pairs;
  const auto per_seed = static_cast<std::int64_t>(tasks);
  return std::max<std::int64_t>(1, (lacking + per_seed - 1) / per_seed);
}

// Races that every policy ran.
std::vector<Race> CommonRaces(const Sheet& sheet) {
  std::vector<Race> races;
  for (const auto& [race, first] : sheet.of(0)) {
    Race entries;
    for (std::size_t p = 0; p < sheet.policies().size(); ++p) {
      const auto found = sheet.of(p).find(race);
      if (found != sheet.of(p).end()) {
        entries.push_back(found->second->log_speedup);
      }
    }
    if (entries.size() == sheet.policies().size()) {
      races.push_back(std::move(entries));
    }
  }
  return races;
}

std::vector<CurvePoint> AnytimeCurve(const Sheet& sheet, std::size_t policy,
                                     const std::vector<double>& checkpoints) {
  std::vector<CurvePoint> points;
  for (const double spent : checkpoints) {
    const auto value = [spent](const Score& score) {
      return ValueAt(score.curve, spent);
    };
    points.push_back(
        {spent, Average(sheet, policy, Asked::kCurve, kCurveResamples, value)});
  }
  return points;
}

}  // namespace

OverTasks AverageOverTasks(const Strata& strata,
                           const std::vector<std::string>& families) {
  std::vector<double> tasks;
  std::map<std::string, std::vector<double>> by_family;
  for (std::size_t t = 0; t < strata.size(); ++t) {
    if (strata[t].empty()) continue;
    tasks.push_back(Mean(strata[t]));
    by_family[families[t]].push_back(tasks.back());
  }
  std::vector<double> means;
  for (const auto& [name, values] : by_family) means.push_back(Mean(values));
  return {static_cast<int>(tasks.size()), StudentMean(tasks),
          static_cast<int>(means.size()), StudentMean(means)};
}

Difference DifferenceOf(const Strata& strata,
                        const std::vector<std::string>& families) {
  Difference difference;
  static_cast<OverTasks&>(difference) = AverageOverTasks(strata, families);
  std::vector<double> all;
  for (const auto& values : strata) {
    all.insert(all.end(), values.begin(), values.end());
  }
  difference.pairs = static_cast<int>(all.size());
  difference.log_speedup = StudentMean(Filled(strata));
  difference.standard_deviation = StandardDeviation(all);
  RandomStream test_draws = DrawsFor(Asked::kTest);
  difference.p = SignFlipTest(all, test_draws);
  difference.probability_of_improvement = ProbabilityOfImprovement(all);
  return difference;
}

void Conclude(std::vector<Difference>& differences, std::size_t tasks) {
  std::vector<double> p_values;
  p_values.reserve(differences.size());
  for (const Difference& each : differences) p_values.push_back(each.p);
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    Difference& each = differences[i];
    each.adjusted_p = adjusted[i];
    if (each.adjusted_p < kSignificance) {
      each.finding = DirectionOf(each);
    } else {
      each.more_seeds =
          MoreSeeds(each, tasks, static_cast<int>(differences.size()));
    }
  }
}

DifferenceSign DirectionOf(const Difference& difference) {
  return difference.log_speedup.value > 0.0 ? DifferenceSign::kBetter
                                            : DifferenceSign::kWorse;
}

const Difference* Comparison::FindDifference(const std::string& policy) const {
  const auto found =
      std::ranges::find(differences, policy, &Difference::policy);
  return found == differences.end() ? nullptr : &*found;
}

Comparison Compare(const std::vector<Score>& scores,
                   const std::string& baseline,
                   const std::vector<double>& checkpoints,
                   const References& references) {
  Comparison comparison;
  if (scores.empty()) return comparison;
  const Sheet sheet(scores);
  comparison.tasks = sheet.tasks();
  comparison.least_seeds = LeastSeeds(sheet);
  const auto& names = sheet.policies();
  for (std::size_t p = 0; p < names.size(); ++p) {
    comparison.policies.push_back(Summarise(sheet, p));
    comparison.curves.push_back(AnytimeCurve(sheet, p, checkpoints));
  }
  const std::vector<Race> races = CommonRaces(sheet);
  comparison.races = static_cast<int>(races.size());
  comparison.profile_factors = {1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0};
  comparison.profiles = PerformanceProfiles(races, comparison.profile_factors);
  const auto base = static_cast<std::size_t>(
      std::ranges::find(names, baseline) - names.begin());
  comparison.known = TellByReferences(sheet, base, references);
  if (names.size() == 1) return comparison;
  comparison.baseline = baseline;
  for (std::size_t p = 0; p < names.size(); ++p) {
    if (p != base) {
      comparison.differences.push_back(Contrast(sheet, p, base));
    }
  }
  Conclude(comparison.differences, comparison.tasks.size());
  return comparison;
}

}  // namespace coppice::lab
