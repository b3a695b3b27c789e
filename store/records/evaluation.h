// Everything an evaluator observed of one candidate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/records/environment.h"
#include "store/records/hint.h"
#include "store/records/speedup.h"
#include "store/records/verdict.h"
#include "store/records/workload_result.h"

namespace coppice {

enum class Breach : std::uint8_t;  // store/records/outcome.h
enum class Tier : std::uint8_t;    // store/records/tier.h

// Sizes that nobody had been shown, and the seed that draws them again.
struct FailedShape {
  std::vector<std::pair<std::string, std::int64_t>> axes;
  std::uint64_t seed = 0;
};

struct Evaluation {
  Verdict verdict = Verdict::kInconclusive;
  Breach breach{};  // The rule that it was rejected by, or kNone.
  Tier tier{};      // kFast.
  std::string
      log;  // Diagnostics for the agents: compiler text, first mismatch.
  // On which it failed, though it is right on its workloads; not stored: the
  // log has it.
  std::optional<FailedShape> failed_shape{};
  // Geometric mean over workloads of the median sample; set if passed.
  std::optional<double> runtime_s;
  std::optional<double> root_runtime_s;  // The root's, interleaved with it.
  std::optional<Speedup> speedup;        // Set if passed; paired_rounds.h.
  std::optional<Hint> hint{};  // Only of a wrong_output, in the fast tier.
  std::vector<WorkloadResult> workloads;
  double compile_s = 0.0;  // Wall seconds of each phase.
  double check_s = 0.0;
  double timing_s = 0.0;
  // What the candidate's calls took together, on the GPU or on all processors.
  std::optional<double> device_s;
  std::string profile;  // The digest of its profiles; empty: there are none.
  std::string device;   // UUID of the GPU that it was made on; empty: of none.
  Environment environment;
};

// Fills runtime_s, root_runtime_s and speedup from the workloads' samples.
// REQUIRES: every workload passed and has samples of both kinds.
void Summarise(Evaluation& evaluation);

}  // namespace coppice
