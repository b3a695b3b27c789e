// The files that KernelBench keeps its results in, read and written as they
// are: runs/RUN/eval_results.json, the kernels beside it, and
// results/timing/HARDWARE/baseline_time_NAME.json.
//
// Their times are milliseconds, ours seconds.  A runtime of -1 is none.  They
// round to three significant digits; what we write is not rounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice {
struct Environment;
struct Evaluation;
}  // namespace coppice

namespace coppice::eval {

// Statistics of all samples of one call.
struct KernelBenchTimes {
  double mean_s = 0.0;
  double std_s = 0.0;  // Of the population, as numpy's.
  double min_s = 0.0;
  double max_s = 0.0;
  std::int64_t trials = 0;
  std::string hardware;
  std::string device;  // "cuda:0".
};

struct KernelBenchResult {
  std::int64_t problem = 0;  // 19, of "19_ReLU.py".
  std::int64_t sample = 0;
  bool compiled = false;
  bool correct = false;
  std::optional<double> runtime_s;        // Set only if correct.
  std::optional<KernelBenchTimes> times;  // Set only if correct.
  // It is more than 10 times as fast as the reference: they flag it.
  bool is_excessive = false;
  // What went wrong: a key of their metadata and its text; empty: nothing.
  std::string complaint;
  std::string complaint_text;
};

struct KernelBenchBaseline {
  std::int64_t level = 0;
  std::string problem;                    // "19_ReLU.py".
  std::optional<KernelBenchTimes> times;  // None: it failed there.
};

// The task of "19_ReLU.py" of level 1 is "level1_19_ReLU", or without its level
// "19_ReLU".  Its problem is "19_ReLU.py" again, whose number is 19.
std::string TaskName(std::int64_t level, const std::string& problem);
std::string ProblemOf(const std::string& task);
// `name` is a problem or a task.  None: it has no number.
std::optional<std::int64_t> ProblemNumber(const std::string& name);

// "level_1_problem_19_sample_0_kernel.py"; other languages than Python, which
// theirs cannot run, have endings of their own.
std::string KernelFileName(std::int64_t level, std::int64_t problem,
                           std::int64_t sample, Language language);

struct KernelFile {
  std::int64_t level = 0;
  std::int64_t problem = 0;
  std::int64_t sample = 0;
};
// None: it is no such name.
std::optional<KernelFile> ParseKernelFileName(const std::string& name);

// What an evaluation is in their words.  Times are those of its samples; if it
// has several workloads there are none, and the runtime is the evaluation's.
KernelBenchResult ToKernelBench(std::int64_t problem, std::int64_t sample,
                                const Evaluation& evaluation);

// Their scores divide a baseline's mean by a runtime, whenever either was
// measured.  Restates what passed, so that this is the speedup by paired
// rounds: the runtime is `root_s` over it, and all times are in proportion.
void Restate(double root_s, double speedup, KernelBenchResult& result);

// REQUIRES: not empty.
KernelBenchTimes TimesOf(const std::vector<double>& samples_s,
                         const Environment& environment);

// Entries that are null are left out.  Errors are kCorrupt and name `file`.
Result<std::vector<KernelBenchResult>> ParseEvalResults(
    const std::string& text, const std::string& file);
std::string EvalResultsText(const std::vector<KernelBenchResult>& results);

Result<std::vector<KernelBenchBaseline>> ParseBaselineTimes(
    const std::string& text, const std::string& file);
std::string BaselineTimesText(
    const std::vector<KernelBenchBaseline>& baselines);

}  // namespace coppice::eval
