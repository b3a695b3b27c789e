// How a newcomer's kernel lays its threads over its outputs:
//
//     int i = blockIdx.y * blockDim.y + threadIdx.y;
//     int j = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < M && j < N) { ... }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/catalogue/cuda/device_source.h"
#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue::cuda {

struct ThreadVariable {
  std::string name;
  char dimension = 'x';
  Expr bound;  // The variable is below it wherever the guard holds.
};

struct Guarded {
  StmtList prologue;  // Other declarations before the guard.
  std::vector<ThreadVariable> variables;
  Expr guard;     // The whole condition.
  StmtList body;  // What it guards.

  const ThreadVariable* Find(char dimension) const;
};

// Nothing if the kernel is not of this form, or holds statements that we
// cannot read.
std::optional<Guarded> ReadGuarded(const DeviceKernel& kernel);

// The same with one variable, along x, that is only below its bound: a thread
// for each element.
std::optional<Guarded> ReadFlat(const DeviceKernel& kernel);
inline constexpr const char* kNotFlat =
    "its threads are not guarded along one dimension";

// The same with one along x and one along y.
std::optional<Guarded> ReadPlane(const DeviceKernel& kernel);

// E if the launch's grid has ceil_div(E, block) in this dimension, for its
// literal number of threads there.
std::optional<Expr> ExtentOf(const SourceLaunch& launch, char dimension);

// The literal number of threads of a block in this dimension; 1 if the launch
// names none.
std::optional<std::int64_t> ThreadsOf(const SourceLaunch& launch,
                                      char dimension);

Expr CeilDiv(Expr extent, Expr by);

// "blockIdx.x * blockDim.x + threadIdx.x"
Expr ThreadIndex(char dimension);

}  // namespace coppice::agents::catalogue::cuda
