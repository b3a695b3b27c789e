// A definition made concrete by one workload: every dimension a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/formats/value_form.h"
#include "eval/formats/value_range.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

struct TensorShape {
  std::string name;
  DType dtype = DType::kFloat32;
  bool scalar = false;             // Passed by value.
  std::vector<std::int64_t> dims;  // Empty for a scalar and for rank 0.
  std::size_t elements = 1;
  std::optional<ValueRange> range{};  // An input's, if its tags say one;
  std::optional<ValueForm> form{};    // likewise.
  std::optional<std::size_t>
      starts_as{};  // The input that an output starts as.
};

struct Shapes {
  std::vector<TensorShape> inputs;  // In definition order, as the outputs.
  std::vector<TensorShape> outputs;
  std::vector<std::int64_t> varying_axes;  // Values, in definition order.
};

// Fails with kUsage, naming what is wrong, if the workload lacks an axis, a
// shape names an unknown one, a tag of a range is malformed, an output is a
// scalar, or a dtype is not one
// that C++ kernels take (float64, float32, float16, bfloat16, the integers,
// bool), or a 16-bit float is a scalar.
Result<Shapes> Resolve(const Definition& definition, const Workload& workload);

// How the log of a candidate's wrong output begins, "output y" aside, where its
// elements were not looked at.
inline constexpr std::string_view kOtherShape = " has shape ";
inline constexpr std::string_view kOtherType = " has another type of elements";

std::size_t ElementBytes(DType dtype);  // REQUIRES: one of those.
int BitsOf(DType dtype);                // Of any, one of its elements.
std::uint64_t BytesOf(const std::vector<TensorShape>& tensors);
bool IsHalf(DType dtype);   // float16 or bfloat16.
bool IsFloat(DType dtype);  // One of those, float32 or float64.

// "float", "int32_t", ... as a kernel declares it; null for other dtypes.
// bfloat16 is "uint16_t", its bits.
const char* CTypeName(DType dtype);

}  // namespace coppice::eval
