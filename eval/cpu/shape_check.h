// Whether a program is right on workloads that it will not be timed on.
#pragma once

#include <cstdint>

#include "store/records/result.h"

namespace coppice {
struct Evaluation;
}

namespace coppice::eval {

struct CpuTaskBench;
struct Program;
class ThreadPool;

// A few calls on shapes that `seed` draws (judge/other_shapes.h); enters what
// comes of it.
Result<void> CheckOtherShapes(const CpuTaskBench& task_bench,
                              const Program& program, std::uint64_t seed,
                              ThreadPool& pool, Evaluation& evaluation);

}  // namespace coppice::eval
