// What an evaluator observed of one candidate on one workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/records/profile.h"
#include "store/records/verdict.h"

namespace coppice {

enum class Breach : std::uint8_t;  // store/records/outcome.h

// What stood beside a sample, for judging it.  None: not known here.
struct SampleReading {
  int session = 0;         // Each is a process of its own, with its own inputs.
  std::int64_t calls = 1;  // Timed together; a sample is of one of them.
  // Per call, by the evaluator's own clock: device time must fit into it.
  std::optional<double> wall_s;
  // Per call, of all threads on all processors, by the kernel's account.
  std::optional<double> cpu_s;
  std::optional<double> clock_mhz;  // Of the device while it was taken.
};

// By linear interpolation between order statistics (Hyndman and Fan 1996,
// type 7, as numpy does).
struct Quartiles {
  double lower = 0.0;
  double median = 0.0;
  double upper = 0.0;
};

// How much the logarithm of a speedup varies from process to process of one
// source, as far as that is known: on so many degrees of freedom.
struct ProcessSpread {
  double variance = 0.0;
  double freedom = 1.0;
};

struct WorkloadResult {
  std::string workload;  // Its uuid.
  Verdict verdict = Verdict::kInconclusive;
  Breach breach{};  // By which it was rejected, or kNone; not stored.
  // Seconds per call, in the order taken.  Entry i of both vectors was taken
  // in the same interleaved round.  Empty unless it was timed to the end.
  std::vector<double> samples_s;
  std::vector<double> root_samples_s;
  // The root's once more, from a process that was started for it as one was for
  // the candidate; empty where there was none, or as many.
  std::vector<double> control_samples_s;
  std::vector<SampleReading> readings;  // Of samples_s; empty, or as many.
  std::optional<ProcessSpread> between_processes;
  // Rounds that were made again, since something else used the machine or the
  // device throttled meanwhile.
  std::int64_t discarded_samples = 0;
  // The least time that this machine's bandwidth and arithmetic allow.
  std::optional<double> floor_s;
  std::optional<double> temperature_c;  // Of the device after timing.
  // Largest |y - r| / (allowed error) seen; <= 1 passes.  Infinity for NaN.
  double worst_error_ratio = 0.0;
  double max_absolute_error = 0.0;
  double max_relative_error = 0.0;
  std::int64_t calls_verified = 0;
  std::optional<Profile> profile;  // Of a passing one.
};

// Median by the mean of the two middle values.  REQUIRES: not empty.
double Median(std::vector<double> samples);
double Mean(std::vector<double> samples);  // Likewise.

// REQUIRES: not empty.
Quartiles QuartilesOf(std::vector<double> samples);

}  // namespace coppice
