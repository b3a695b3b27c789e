// The device that tasks in PyTorch run on.
#pragma once

#include <string>

#include "eval/torch/interpreter.h"
#include "store/records/result.h"

namespace coppice::eval::torch {

// Of "auto", "cpu", "cuda" or "cuda:N" what torch calls it, "cpu" or "cuda:N".
// kUsage for anything else; kUnavailable, saying why, for a GPU that this
// machine or this PyTorch cannot use.
Result<std::string> ChooseDevice(const std::string& wanted,
                                 const Interpreter& interpreter);

}  // namespace coppice::eval::torch
