// Whether a task measures anything.  If a problem's right output is zeros
// whatever its inputs are, a kernel that computes nothing would be the best.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/factory/campaign_factory.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine {

// What becomes of a task that measures nothing.
enum class Unfit : std::uint8_t {
  kSkip,
  kKeep,
  kAsUsual,  // Kept by a benchmark's own protocol, else skipped.
};

bool IsKept(Unfit unfit, Protocol protocol);

// Whether the campaign on it begins.
struct TaskFitness {
  std::string why_unfit;  // Empty: nothing shows that.
  bool is_kept = true;    // Unfit or not.
  bool has_begun = false;
  std::string unjudged{};  // Why it is not known.
};

// Judges null candidates, of tasks in Python.  Where that cannot be done
// the task is taken for fit.  If its campaign has begun it is only asked what
// they did before, and goes on whatever they did.  `has_begun` is asked if that
// matters.
Result<TaskFitness> FitnessOf(CampaignFactory& factory, const Task& task,
                              const std::function<Result<bool>()>& has_begun,
                              Unfit unfit);

// kUnfit, and why, if no campaign on `task` shall begin.
Result<void> MustBeKept(const std::string& task, const TaskFitness& fitness);

}  // namespace coppice::engine
