// What tools see in one kernel, whoever asks for it: the verb `eval` or an
// operation of the service.
#pragma once

#include <cstdint>
#include <string>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice {
struct Evaluation;
enum class Tier : std::uint8_t;
}  // namespace coppice

namespace coppice::eval {
enum class Onlookers : std::uint8_t;
}

namespace coppice::engine {

// kUsage: the task has no kernels that tools could look at.
Result<void> MustHaveKernels(const Task& task);

// The tier that tools look in: the full one.  Unless `is_full`, sanitizers look
// at Python in the fast one, since they need no times.
Tier TierOfScrutiny(const Task& task, eval::Onlookers onlookers, bool is_full);

// Says that sanitizers found nothing, and who they were.  kUnavailable says why
// they could not look.  REQUIRES: the evaluation has passed.
Result<std::string> CleanText(const Task& task, const Evaluation& evaluation);

}  // namespace coppice::engine
