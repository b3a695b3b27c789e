// Whether a program is right on a workload that it will not be timed on.
#pragma once

#include <optional>

#include "eval/cpu/bench.h"
#include "eval/judge/call_channel.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// A few calls on plain and on adversarial inputs, all drawn by the seed of
// `options`, in processes of their own.  None if the root is not right there.
Result<std::optional<Outcome>> CheckOnShape(const Task& task,
                                            const Workload& workload,
                                            const BenchOptions& options,
                                            const Program& program);

}  // namespace coppice::eval
