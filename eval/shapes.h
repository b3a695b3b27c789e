// A definition made concrete by one workload: every dimension a number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

struct TensorShape {
  std::string name;
  DType dtype = DType::kFloat32;
  bool scalar = false;             // Passed by value.
  std::vector<std::int64_t> dims;  // Empty for a scalar and for rank 0.
  std::size_t elements = 1;
};

struct Shapes {
  std::vector<TensorShape> inputs;  // In definition order, as the outputs.
  std::vector<TensorShape> outputs;
  std::vector<std::int64_t> varying_axes;  // Values, in definition order.
};

// Fails with kUsage, naming what is wrong, if the workload lacks an axis, a
// shape names an unknown one, an output is a scalar, or a dtype is not one
// that C++ kernels take (float32, int64, int32, int16, int8, bool).
Result<Shapes> Resolve(const Definition& definition, const Workload& workload);

std::size_t ElementBytes(DType dtype);  // REQUIRES: one of those.

// "float", "int32_t", ... as a kernel declares it; null for other dtypes.
const char* CTypeName(DType dtype);

}  // namespace coppice::eval
