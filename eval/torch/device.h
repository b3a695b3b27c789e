// The device that tasks in PyTorch run on.
#pragma once

#include <string>

#include "eval/torch/interpreter.h"
#include "store/records/result.h"

namespace coppice::eval::torch {

// Turns "auto", "cpu", "cuda" or "cuda:N" into torch's "cpu" or "cuda:N".
// kUsage for anything else; kUnavailable, saying why, for a GPU that this
// machine or this PyTorch cannot use.
Result<std::string> ChooseDevice(const std::string& wanted,
                                 const Interpreter& interpreter);

// "compute capability 9.0; its host: 16 processors, ..." of "90" and what the
// host is; the latter alone where there is no architecture.
std::string FactsOnDevice(const std::string& architecture,
                          const std::string& host);

}  // namespace coppice::eval::torch
