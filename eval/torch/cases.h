// What a task in PyTorch is judged on: sets of arguments, one after the other,
// by the same processes.  A problem of GPU MODE has its tests and then its
// benchmarks, any other task its only workload.
#pragma once

#include <string>
#include <vector>

#include "store/records/task.h"

namespace coppice::eval::torch {

struct Case {
  std::string workload;  // Its uuid; of a test "test size=7".
  bool is_timed = true;  // A test is only checked.
};

// By their numbers, as problems' processes know them.
std::vector<Case> CasesOf(const Task& task);

// The tag by which a definition has a test.
inline constexpr char kTestTag[] = "test:";

}  // namespace coppice::eval::torch
