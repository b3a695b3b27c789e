// The least time that a call of a task in PyTorch takes: no candidate can do
// without writing its outputs (traffic_floor.py has which part of them).
//
//   on a processor  bytes / the speed at which so many are read
//   (eval/cpu/cpu_roofline.h) on a device     (bytes - its L2 cache) / the
//   speed of writes to its memory
//
// Inputs are not counted: a candidate may find out that it need not read them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "eval/cpu/cpu_roofline.h"
#include "eval/sandbox/compiler.h"
#include "store/records/result.h"

namespace coppice {
struct Evaluation;
struct WorkloadResult;
}  // namespace coppice
namespace coppice::eval {
enum class Anew : std::uint8_t;
}

namespace coppice::eval::torch {

class TorchBench;
struct Writing;

struct TrafficFloorOptions {
  std::string device = "cpu";
  std::filesystem::path cache_directory;  // Where the roof is kept.
  std::uintmax_t cache_bytes = kDefaultCacheBytes;
  int threads = 1;
  double timeout_s = 30.0;
  const std::atomic<bool>* cancelled = nullptr;
};

class TrafficFloor {
 public:
  explicit TrafficFloor(TrafficFloorOptions options)
      : options_(std::move(options)) {}

  // Gives each workload, and the profile that it may have, a floor, and makes
  // it kInconclusive where it took less.  Where no floor can be known, it says
  // why in the log.  REQUIRES: it has passed on the bench's task.
  Result<void> Hold(TorchBench& bench, Evaluation& evaluation);

 private:
  Result<Writing> LeastWriting(TorchBench& bench, std::size_t number,
                               Anew anew);
  Result<void> HoldOn(TorchBench& bench, std::size_t number,
                      WorkloadResult& result, Evaluation& evaluation);
  Result<double> BytesPerSecond(double bytes, Anew anew);

  TrafficFloorOptions options_;
  std::optional<Compiler> compiler_;
  std::optional<Roofline> roof_;
};

// The least seconds that writing `bytes` of a call takes.  0: none is known.
double FloorSeconds(const Writing& writing);

}  // namespace coppice::eval::torch
