// A session of a C++ kernel, in processes of its own on each workload.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "eval/judge/stopping.h"
#include "store/records/result.h"

namespace coppice {
enum class Tier : std::uint8_t;
}

namespace coppice::eval {

class BackgroundWork;
class CpuBench;
struct EvaluationSession;
struct Program;
class ThreadPool;
class TimingStability;

struct Depth {
  // Per workload, before timing: plain inputs, at least once, and so many
  // adversarial kinds, or all if there are fewer.
  int plain = 1;
  std::size_t adversarial = 0;
  // Whether a second process shall give the same bits on the same inputs.  If
  // not, that is remarked on.
  bool repeat = false;
  double fresh_s;  // Per workload, for data sets that are made for it.
  std::optional<TimingBudget> timing;  // None: it is only checked.
  double counted_s = 0.0;  // Calls that take no longer are counted, too.
  bool hints = false;  // If it is timed: for a hint one that computes wrong.
};

Depth DepthOf(Tier tier);
// For a second session, of a kernel that has passed one of `depth`.
Depth DepthOfAnother(const Depth& depth);

using Benches = std::vector<std::unique_ptr<CpuBench>>;

// Checks workloads side by side, unless somebody else measures at this moment.
// Waits for the machine's measurement lock before it times, and then all
// threads and side work rest.
Result<EvaluationSession> RunSession(const Benches& benches,
                                     const Program& program, const Depth& depth,
                                     ThreadPool& pool, BackgroundWork& side,
                                     TimingStability& stability,
                                     const std::atomic<bool>* cancelled);

}  // namespace coppice::eval
