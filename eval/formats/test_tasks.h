// Tiny tasks that the tests of eval/ judge candidates on.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/records/candidate.h"
#include "store/records/task.h"

namespace coppice::eval {

inline Solution MakeSolution(const std::string& entry,
                             const std::string& source) {
  Solution solution;
  solution.name = entry;
  solution.entry_file = "kernel.cc";
  solution.entry_symbol = entry;
  solution.sources = {{"kernel.cc", source}};
  return solution;
}

inline Workload MakeWorkload(
    const std::string& uuid,
    std::vector<std::pair<std::string, std::int64_t>> axes) {
  Workload workload;
  workload.uuid = uuid;
  workload.axes = std::move(axes);
  return workload;
}

inline TensorSpec Tensor(const std::string& name,
                         std::vector<std::string> shape,
                         DType dtype = DType::kFloat32) {
  return {name, std::move(shape), dtype, std::nullopt};
}

inline TensorSpec Scalar(const std::string& name,
                         DType dtype = DType::kFloat32) {
  return {name, std::nullopt, dtype, std::nullopt};
}

inline Candidate Cpp(const std::string& source) {
  return {Language::kCpp, source, "run"};
}

// y[N] = a * x[N], the product rounded once: m = |r|.
// 1000 floats end within a page, 4096 end with it.
inline Task ScaleTask() {
  Task task;
  task.definition.name = "scale";
  task.definition.axes = {{"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {Tensor("x", {"N"}), Scalar("a")};
  task.definition.outputs = {Tensor("y", {"N"})};
  task.workloads = {MakeWorkload("short", {{"N", 1000}}),
                    MakeWorkload("pages", {{"N", 4096}})};
  task.root = MakeSolution("run", R"(
    #include <cstdint>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
    })");
  task.oracle = MakeSolution("oracle", R"(
    #include <cmath>
    #include <cstdint>
    extern "C" void oracle(const double* x, double a, double* y, double* y_m,
                           int64_t N) {
      for (int64_t i = 0; i < N; ++i) {
        y[i] = a * x[i];
        y_m[i] = std::abs(y[i]);
      }
    })");
  return task;
}

// The same on a device.  Its oracle is never asked.
inline Task CudaScaleTask() {
  Task task = ScaleTask();
  task.definition.name = "cuda_scale";
  task.root = MakeSolution("run", R"(
//@ launch scale<<<ceil_div(N, 256), 256>>>(x, a, y, N)
extern "C" __global__ void scale(const float* x, float a, float* y,
                                 long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
)");
  task.root.language = Language::kCuda;
  return task;
}

// y[R] = sums of the rows of x[R, 300]: m = sqrt(300) sum |x_j|.
inline Task RowSumTask() {
  Task task;
  task.definition.name = "row_sum";
  task.definition.axes = {{"R", std::nullopt, std::nullopt},
                          {"C", 300, std::nullopt}};
  task.definition.inputs = {Tensor("x", {"R", "C"})};
  task.definition.outputs = {Tensor("y", {"R"})};
  task.workloads = {MakeWorkload("rows", {{"R", 33}})};
  task.root = MakeSolution("run", R"(
    #include <cstdint>
    extern "C" void run(const float* x, float* y, int64_t R) {
      for (int64_t i = 0; i < R; ++i) {
        float sum = 0.0f;
        for (int64_t j = 0; j < 300; ++j) sum += x[i * 300 + j];
        y[i] = sum;
      }
    })");
  task.oracle = MakeSolution("oracle", R"(
    #include <cmath>
    #include <cstdint>
    extern "C" void oracle(const double* x, double* y, double* y_m,
                           int64_t R) {
      for (int64_t i = 0; i < R; ++i) {
        y[i] = y_m[i] = 0.0;
        for (int64_t j = 0; j < 300; ++j) {
          y[i] += x[i * 300 + j];
          y_m[i] += std::abs(x[i * 300 + j]);
        }
        y_m[i] *= std::sqrt(300.0);
      }
    })");
  return task;
}

}  // namespace coppice::eval
