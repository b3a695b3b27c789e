// Which integers an input holds, where any would not do: indices, letters,
// weights.  Said by tags of the definition, so that it holds on every shape:
//
//   range:columns:0..N-1    each of its elements is one of those
//   ascending:row_start     and they ascend
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

struct ValueRange {
  std::int64_t low = 0;
  std::int64_t high = 0;  // Inclusive.
  bool ascending = false;
};

// Maps each input that the tags speak of to its range.  kUsage says what is
// wrong with a tag: no such tensor of integers, no range, one that is empty or
// beyond its type.
Result<std::map<std::string, ValueRange>> ValueRanges(
    const Definition& definition,
    const std::map<std::string, std::int64_t>& axes);

}  // namespace coppice::eval
