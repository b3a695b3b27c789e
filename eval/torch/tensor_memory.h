// Whether a task's tensors fit into this machine's memory: where they do not, a
// system may end any process to make room.
#pragma once

#include <cstdint>
#include <string>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval::torch {

// The most bytes that inputs and outputs may have together on a CPU.  Any
// number on another device: it has memory of its own, and torch says when there
// is none left.
std::uint64_t MostTensorBytes(const std::string& device);

// kUnfit, with what to do: `tensors` of the task, "inputs", are so many bytes.
Error TooLarge(const std::string& task, const std::string& tensors,
               std::uint64_t bytes);

// TooLarge(), if those of the first workload are more than MostTensorBytes().
// Nothing is known of parameters and of what is between inputs and outputs.
Result<void> MustFit(const Task& task, const std::string& device);

}  // namespace coppice::eval::torch
