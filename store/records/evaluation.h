// Everything an evaluator observed of one candidate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/records/environment.h"
#include "store/records/verdict.h"

namespace coppice {

// How much an evaluation costs and proves.  DO NOT RENUMBER: stored.
enum class Tier : std::uint8_t {
  kFast = 0,  // Every candidate: all checks, few samples.
  kFull = 1,  // Would-be leaders and reported results: more calls and samples.
};

struct WorkloadResult {
  std::string workload;  // Its uuid.
  Verdict verdict = Verdict::kInconclusive;
  // Seconds per call, in the order taken.  Entry i of both vectors was taken
  // in the same interleaved round.  Empty unless the candidate passed.
  std::vector<double> samples_s;
  std::vector<double> root_samples_s;
  // Largest |y - r| / (allowed error) seen; <= 1 passes.  Infinity for NaN.
  double worst_error_ratio = 0.0;
  double max_absolute_error = 0.0;
  double max_relative_error = 0.0;
  std::int64_t calls_verified = 0;
};

struct Evaluation {
  Verdict verdict = Verdict::kInconclusive;
  Tier tier = Tier::kFast;
  std::string
      log;  // Diagnostics for the agents: compiler text, first mismatch.
  // Geometric mean over workloads of the median sample; set if passed.
  std::optional<double> runtime_s;
  std::optional<double> root_runtime_s;  // The root's, interleaved with it.
  std::vector<WorkloadResult> workloads;
  double compile_s = 0.0;  // Wall seconds of each phase.
  double check_s = 0.0;
  double timing_s = 0.0;
  Environment environment;
};

// Median by the mean of the two middle values.  REQUIRES: not empty.
double Median(std::vector<double> samples);

// Fills runtime_s and root_runtime_s from the workloads' samples.
// REQUIRES: every workload passed and has samples of both kinds.
void Summarise(Evaluation& evaluation);

}  // namespace coppice
