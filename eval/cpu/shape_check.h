// Whether a program is right on a workload that it will not be timed on.
#pragma once

#include <mutex>

#include "store/records/result.h"

namespace coppice {
struct Task;
struct Workload;
}  // namespace coppice

namespace coppice::eval {

struct CpuBenchOptions;
struct OnShape;
struct Program;

// A few calls on plain and on adversarial inputs, all drawn by the seed of
// `options`, in processes of their own.  Those with the same `turn` call theirs
// one after the other.
Result<OnShape> CheckOnShape(const Task& task, const Workload& workload,
                             const CpuBenchOptions& options,
                             const Program& program, std::mutex& turn);

}  // namespace coppice::eval
