// A Trace of FlashInfer-Bench: what a solution did on one workload, or, without
// a solution, just a workload.
//
// An evaluation of ours becomes a trace for each workload and comes back from
// them whole, but for its structured profiles, a log beyond 5 MiB and bytes
// that are no UTF-8.  What the format has no field for, such as our verdict
// and all samples, is an object "coppice": in correctness.extra where the
// status allows correctness, else in the first line of the log.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"
#include "store/records/verdict.h"

namespace coppice {
struct Evaluation;
}

namespace coppice::eval {

enum class TraceStatus : std::uint8_t {
  kPassed,
  kIncorrectShape,
  kIncorrectNumerical,
  kIncorrectDtype,
  kRuntimeError,
  kCompileError,
  kTimeout,
};

inline constexpr std::array<std::string_view, 7> kTraceStatusNames = {
    "PASSED",          "INCORRECT_SHAPE", "INCORRECT_NUMERICAL",
    "INCORRECT_DTYPE", "RUNTIME_ERROR",   "COMPILE_ERROR",
    "TIMEOUT"};

constexpr std::string_view Name(TraceStatus status) {
  return kTraceStatusNames[static_cast<std::size_t>(status)];
}

// The format has no word for a broken rule or for "cannot tell"; neither may
// count as a pass.
// The log tells in which way an output is wrong.
TraceStatus StatusOf(Verdict verdict, const std::string& log);
Verdict VerdictOf(TraceStatus status);

struct Correctness {
  double max_relative_error = 0.0;  // >= 0, infinity or NaN; so is the other.
  double max_absolute_error = 0.0;
  std::string extra;  // A JSON object; empty: none.
};

struct Performance {
  double latency_ms = 0.0;
  double reference_latency_ms = 0.0;
  double speedup_factor = 0.0;
};

struct TraceEvaluation {
  TraceStatus status = TraceStatus::kPassed;
  std::string hardware;
  std::vector<std::pair<std::string, std::string>> libs;
  std::string timestamp;  // ISO 8601, if the writer kept to the advice.
  std::string log;
  // Both of what passed, the first of kIncorrectNumerical, else neither.
  std::optional<Correctness> correctness;
  std::optional<Performance> performance;
};

struct Trace {
  std::string definition;
  Workload workload;
  std::optional<std::string> solution;
  std::optional<TraceEvaluation> evaluation;

  bool IsWorkload() const { return !solution && !evaluation; }
};

// Tells which of a solution's evaluations one is.
struct Occasion {
  std::int64_t ordinal = 0;  // Among its node's, or its baseline's: 0, 1, ...
  bool further = false;      // Made of a node that was there already.
  bool decides = true;       // The solution counts for it.
  // A pass that a further evaluation refuted.
  bool refuted = false;
  bool is_root = false;    // What the others were timed beside.
  std::string baseline{};  // What it is of, by its stored name; empty: a node.
};

// One for each workload that has a result, or for each of the task's if none
// has (it did not compile).  Latencies are medians; the reference's is the
// root's, not that of the Python reference.  A refuted pass has the status of a
// broken rule, since others take the best of all traces that passed.
Result<std::vector<Trace>> TracesOf(const Task& task,
                                    const std::string& solution,
                                    const Evaluation& evaluation,
                                    const std::string& timestamp,
                                    const Occasion& occasion = {});

// As TracesOf was told, but for `refuted`.  None: it is not ours.  kCorrupt:
// "coppice" is not what we write.
Result<std::optional<Occasion>> OccasionOf(const TraceEvaluation& traced);

// REQUIRES: `traces` are one solution's, at least one, and all have
// evaluations.  A trace that others measured has one sample, its latency.
// kCorrupt: "coppice" is not what we write.
Result<Evaluation> EvaluationOf(const std::vector<Trace>& traces);

}  // namespace coppice::eval
