// A task on a GPU that is made of a CUDA file: its root, and an oracle of the
// same kernels with numbers that keep their error.
#pragma once

#include <string>
#include <vector>

#include "engine/own/cuda_source.h"
#include "engine/own/source_reader.h"
#include "engine/own/task_draft.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine::own {

struct CudaDraft {
  Task task;  // With workloads.
  std::vector<std::string> notes;
};

// kUsage if the plan cannot be run on a workload, a type is none that tasks on
// a GPU have, or the kernels hold their numbers in ways that wider ones cannot.
Result<CudaDraft> DraftCuda(const CudaSource& source, const Reading& reading,
                            const Wishes& wishes, const Drafting& drafting);

// Why the kernels cannot be compiled with such numbers, "reduce uses
// atomicAdd": then the oracle computes in double, and the allowed error is an
// assumption.  Empty: they can, as far as is known.
std::string WhyNotWide(const CudaSource& source);

}  // namespace coppice::engine::own
