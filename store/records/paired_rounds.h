// How many times as fast as the root a kernel is, and how sure that is, from
// rounds in which root, candidate and control ran in turn.
//
// 1. A round gives ln(root's time / candidate's time): what slows both down
//    cancels.  A run is what one process of the candidate's gives on one
//    workload.  Of a run of more than 8 rounds, 8 blocks of successive
//    rounds are made, each of them its median, since neighbours share slow
//    moments and do not count as independent.
// 2. The run's estimate is the mean without the lowest and the highest
//    fifth, its variance that of the winsorised values (Tukey and McLaughlin
//    1963, Sankhya A 25; Yuen 1974, Biometrika 61), with Student's t.
// 3. Another process of the same source has another layout in memory, and is
//    faster or slower for all of its rounds.  How much so, controls tell: the
//    root over itself in another process, whose true logarithm is 0.  That
//    variance (WorkloadResult::between_processes) is added to each run's.
// 4. A session is a run on each workload.  Their estimates are averaged by
//    equal weights; their variances add, and the degrees of freedom are
//    Welch and Satterthwaite's.
// 5. Sessions are pooled as evaluations are (store/records/speedup.h), so that
//    those which disagree widen the interval, whoever held them.  They have the
//    root's process in common, which is half of what differs between processes:
//    that half is not lowered.
#pragma once

#include <optional>
#include <vector>

#include "store/records/evaluation.h"
#include "store/records/speedup.h"

namespace coppice {

// A mean with the variance of its error, on so many degrees of freedom.
struct Estimate {
  double mean = 0.0;
  double variance = 0.0;
  double freedom = 1.0;
};

// As 1. and 2. say.  None for fewer than 3 values: they do not tell how much
// they vary.
std::optional<Estimate> TrimmedMean(std::vector<double> values);

// Their sum, if they are independent.
Estimate Sum(const std::vector<Estimate>& estimates);

// Their mean, likewise.  REQUIRES: there is one.
Estimate Average(const std::vector<Estimate>& estimates);

// Half of a 95 % interval about the mean.
double HalfWidth(const Estimate& estimate);

// The 97.5 % point of Student's distribution, to three digits from two degrees
// of freedom on, and less exactly from one on (Hill 1970, Communications of the
// ACM 13, algorithm 396).
double StudentPoint(double freedom);

// Logarithms of the root's time over the candidate's, by run.
std::vector<std::vector<double>> LogRatios(const WorkloadResult& result);

// The same of the root's over the control's; empty without a control.
std::vector<std::vector<double>> ControlLogRatios(const WorkloadResult& result);

// For benchmarks that time all calls of one side and then all of the other: the
// ratio of their means, which do not come in pairs.  The error of each mean is
// that of 8 blocks of successive calls, as in 1., and that of its logarithm
// follows by the delta method.
// REQUIRES: it passed and has samples of both kinds.
Speedup SpeedupOfMeans(const WorkloadResult& result);

// As 1. to 5. say.  A session in which a run has fewer than 3 rounds has no
// interval.  Where rounds do not come in pairs, or workloads have not the same
// sessions, it is of the medians' ratio, without an interval.
// REQUIRES: every workload passed and has samples of both kinds.
Speedup SpeedupOf(const std::vector<WorkloadResult>& workloads);

}  // namespace coppice
