// What the traces of a set say of its solutions and their authors: the rankings
// and curves of FlashInfer-Bench, by one rule each; and beside them, of traces
// of ours, what the solution counts for as everywhere else.
//
// The last trace of each solution on each workload counts, by timestamp and,
// where these are equal, by place; one of ours that says that another
// evaluation decides never does.  Ratios are a yardstick's latency over the
// solution's: that of the fastest passing solution by author "baseline" on that
// workload, or, where a definition has none that passed, the reference's in the
// solution's own trace.  Where both traces are ours, each was timed beside the
// root in its own session, and the ratio is that of their speeds over it.  A
// definition's workloads are those with a yardstick; a solution without a
// passing trace there has the ratio 0.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/formats/trace_directory.h"
#include "store/records/speedup.h"

namespace coppice::engine {

// Counts all traces, the superseded ones too.
struct TraceTally {
  std::size_t traces = 0;
  std::array<std::size_t, eval::kTraceStatusNames.size()> by_status{};
  std::size_t unjudged = 0;  // A solution, but no evaluation.
  // Times of those that passed; none: none did.
  std::optional<double> least_ms;
  std::optional<double> most_ms;
  std::optional<double> mean_ms;
  std::size_t authors = 0;  // Of solutions.

  std::size_t Passed() const { return by_status[0]; }
};
TraceTally TallyOf(const eval::TraceSet& set);

enum class TraceYardstick : std::uint8_t { kBaseline, kReference };

// How a solution did on one workload.
struct Ratio {
  std::string workload;
  double latency_ms = 0.0;  // 0: it did not pass there.
  double ratio = 0.0;
};

struct Placing {
  std::string definition;
  std::string solution;
  std::string author;  // "unknown" if the set lacks the solution.
  TraceYardstick yardstick = TraceYardstick::kBaseline;
  std::vector<Ratio> ratios;  // On all the definition's workloads, by uuid.
  // The speedup over the root by all its evaluations (store/records/worth.h),
  // if the solution is ours and passes.
  std::optional<Speedup> speedup{};

  std::size_t Passed() const;
  // FlashInfer-Bench's: the arithmetic mean, 0 unless it passed everywhere.
  double Score() const;
  // The mean of the ratios above 0; 0 if there is none.
  double GeometricMean() const;
};

// Ranks by definition, then best first: score, passes, geometric mean, name.
std::vector<Placing> Rank(const eval::TraceSet& set);

// The first placing of each author on each definition.  They point into
// `placings`.
std::vector<const Placing*> Representatives(
    const std::vector<Placing>& placings);

struct AuthorPlacing {
  std::string author;
  std::size_t definitions = 0;  // With a traced solution.
  std::size_t solved = 0;       // With a score above 0.
  double score = 0.0;           // Mean over those of its best solution's score.
};

// Best first.
std::vector<AuthorPlacing> RankAuthors(const std::vector<Placing>& placings);

// What NVIDIA's SOL-ExecBench gives a time: 1 at the speed of light, and 1/2 as
// fast as the baseline.  Below its bound a time gets 1, where their formula
// (sol_score.py) would leave [0, 1].
double SolScore(double latency_ms, const eval::QuotedTimes& bound);

// A solution on the workloads of its definition that have bounds.
struct SolPlacing {
  std::string definition;
  std::string solution;
  std::string author;
  std::size_t workloads = 0;
  std::size_t passed = 0;  // On an NVIDIA B200, for which the bounds hold.
  double score = 0.0;      // The mean; 0 where it did not pass.
};

// Ranks the solutions that passed anywhere on a B200; by definition, then best
// first.
std::vector<SolPlacing> RankBySol(const eval::TraceSet& set);

// A step function: `share` holds from `p` to the next point's.
struct FastPStep {
  double p = 0.0;
  double share = 0.0;
};
using Curves = std::map<std::string, std::vector<FastPStep>>;  // By author.

// An author is represented by its first placing on each definition, and has
// nothing on definitions without one; shares are of all workloads.
//
// fast_p (Ouyang et al. 2025, KernelBench): of workloads with a ratio > p.
// Steps from p = 0 up.
Curves FastP(const std::vector<Placing>& placings);
// win@p: of workloads where the ratio is at least p times the greatest of any
// author's.  Steps from p = 1 down.
Curves WinAtP(const std::vector<Placing>& placings);

// The value at one p of FastP's curves, which fall as p grows, or of WinAtP's.
double FastAt(const std::vector<FastPStep>& curve, double p);
double WinAt(const std::vector<FastPStep>& curve, double p);

}  // namespace coppice::engine
