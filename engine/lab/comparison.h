// What campaigns of several policies, each on every task with every seed, say
// about the policies.  The same scores give the same comparison.
//
// The unit is a campaign, and its score the natural logarithm of the speedup of
// its best kernel: a kernel twice as fast is as much gained as one half as fast
// is lost.  Policies are compared in pairs of campaigns with equal task and
// seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/lab/curve.h"
#include "engine/lab/reference.h"
#include "engine/lab/student_mean.h"

namespace coppice::lab {

// The score of one campaign.
struct Score {
  std::string policy;
  std::string task;
  std::string family;  // Has like tasks: "sim:hill"; empty: the task's own.
  std::uint64_t seed = 0;
  double log_speedup = 0.0;  // Of the best kernel; 0: the root is the best.
  bool solved = false;       // A kernel beside the root passed.
  // It is told whether the best of these is faster than the root.
  bool decided = true;
  // The best kernel's speedup is not the measurement that made it the best.
  bool proven = true;
  std::int64_t attempts = 0;
  std::int64_t compiled = 0;  // Of the attempts,
  std::int64_t passed = 0;    // likewise.
  Curve curve;
};

// A mean and an interquartile mean.
struct MeanEstimates {
  IntervalEstimate mean;
  IntervalEstimate interquartile_mean;
};

struct PolicySummary {
  std::string policy;
  int campaigns = 0;
  double success = 0.0;   // Share of campaigns that are solved.
  double fast_1 = 0.0;    // Share whose best kernel is faster than the root.
  int undecided = 0;      // Campaigns of which that cannot be told.
  double compiled = 0.0;  // Share of all attempts,
  double passed = 0.0;    // likewise.
  double arithmetic_mean_speedup = 1.0;
  double geometric_mean_speedup = 1.0;
  MeanEstimates log_speedup;
};

// A policy's campaigns on the tasks with a reference, told by it.
struct KnownSummary {
  std::string policy;
  IntervalEstimate share;        // Of the optimum, over seeds of these tasks.
  IntervalEstimate over_random;  // The same over what random search leaves.
  // The share less the baseline's, over tasks and over families of them; 0
  // without an interval for the baseline itself.
  IntervalEstimate over_tasks;
  IntervalEstimate over_families;
};

// What all of it is told by.
struct KnownOptima {
  int tasks = 0;       // With an optimum faster than the root,
  int open_tasks = 0;  // and of them those that random search leaves open.
  int families = 0;    // Of these tasks.
  double random_share = 0.0;           // Mean over tasks.
  std::vector<KnownSummary> policies;  // In the order of Comparison::policies.
};

// As if the tasks, or the families of them, had been drawn from many.
struct OverTasks {
  int tasks = 0;
  IntervalEstimate over_tasks;  // Of the means on tasks,
  int families = 0;
  IntervalEstimate over_families;  // and of the means of those in families.
};

enum class DifferenceSign { kBetter, kWorse, kCannotTell };

// A policy against the baseline.
struct Difference : OverTasks {
  std::string policy;
  int pairs = 0;
  // Mean of own less baseline's.  The interval is over seeds of these tasks,
  // and says nothing of others.
  IntervalEstimate log_speedup;
  double standard_deviation = 0.0;  // Of the pairs' differences.
  double p = 1.0;                   // Of the sign-flip test,
  double adjusted_p = 1.0;          // and after Holm, over all policies.
  double probability_of_improvement = 0.5;
  // Better or worse if the adjusted p is below 0.05.
  DifferenceSign finding = DifferenceSign::kCannotTell;
  // If that cannot be told: how many more seeds of every task would tell it
  // with 80 % power, were the difference the one seen and the clearest of all.
  // None: hardly a difference is seen, or no two pairs.
  std::optional<std::int64_t> more_seeds;
};

// What the difference's sign says.
DifferenceSign DirectionOf(const Difference& difference);

// At a checkpoint, over all of a policy's campaigns.
struct CurvePoint {
  double spent = 0.0;
  MeanEstimates log_speedup;
};

// In the order of Comparison::policies.
struct Comparison {
  std::vector<std::string> tasks;       // In order of appearance.
  std::vector<PolicySummary> policies;  // In order of appearance.
  int least_seeds = 0;   // Of any policy on any task that it ran.
  std::string baseline;  // Empty: there is but one policy.
  std::vector<Difference> differences;  // Without the baseline.
  int races = 0;                        // Task and seed that all ran.
  std::vector<double> profile_factors;
  std::vector<std::vector<double>> profiles;    // [policy][factor].
  std::vector<std::vector<CurvePoint>> curves;  // [policy][checkpoint].
  std::optional<KnownOptima>
      known;  // None: no task has a reference to tell by.

  // The difference from the baseline; null: it is the baseline, or there is
  // none such.
  const Difference* FindDifference(const std::string& policy) const;
};

// What a comparison says of numbers by task and seed that would be about 0 if
// there was no difference.  `families` are those of the tasks.
OverTasks AverageOverTasks(const Strata& strata,
                           const std::vector<std::string>& families);
Difference DifferenceOf(const Strata& strata,
                        const std::vector<std::string>& families);
// The findings, once all that is asked together is there.
void Conclude(std::vector<Difference>& differences, std::size_t tasks);

// REQUIRES: of a policy, task and seed at most one score; `baseline` has one.
// Without checkpoints there are no curves.
Comparison Compare(const std::vector<Score>& scores,
                   const std::string& baseline,
                   const std::vector<double>& checkpoints,
                   const References& references = {});

}  // namespace coppice::lab
