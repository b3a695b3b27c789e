// Whether what definitions have in Python is Python.
#pragma once

#include <string>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval::torch {

struct PlacedDefinition {
  std::string place;  // A file's name.
  const Definition* definition = nullptr;
};

// Checks what FlashInfer-Bench does: references parse and have a top-level
// `run`, and constraints are expressions.  One process of `python`, by name or
// path, for all; it needs no PyTorch.  kCorrupt names place and field of the
// first that is not so; kUnavailable: there is no such Python.
Result<void> CheckSyntax(const std::string& python,
                         const std::vector<PlacedDefinition>& definitions);

}  // namespace coppice::eval::torch
