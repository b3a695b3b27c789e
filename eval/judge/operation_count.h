// What a call cannot do without, whoever writes the kernel: the ground under
// every run time.
#pragma once

#include "eval/formats/shapes.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

struct OperationCount {
  double bytes = 0.0;  // Read and written once.
  double flops = 0.0;  // 0: not stated.
};

// Bytes of all outputs and, unless the tag "floor:outputs" says that a kernel
// need not read them, of all inputs.  Operations as the tag "flops:2*M*N*K"
// states: a sum (+) of products (*) of whole numbers and axes.  kUsage for a
// tag that cannot be read.
Result<OperationCount> LeastWork(const Definition& definition,
                                 const Workload& workload,
                                 const Shapes& shapes);

Result<double> StatedFlops(const Definition& definition,
                           const Workload& workload);

}  // namespace coppice::eval
