// How close outputs must be where a task says it itself, as problems of GPU
// MODE do: |y - r| <= absolute + relative |r|, for all types of floating point.
#pragma once

#include <optional>

#include "store/records/task.h"

namespace coppice::eval::torch {

struct Closeness {
  double relative = 0.0;  // More than 0.
  double absolute = 0.0;
};

// A definition keeps it as its tags rtol and atol.
void AddCloseness(const Closeness& closeness, Definition& definition);

// None: it has no such tags, or others by these names: those of a definition of
// FlashInfer-Bench may be anything.
std::optional<Closeness> ClosenessOf(const Definition& definition);

}  // namespace coppice::eval::torch
