// The inputs of one call, with their answer.
#pragma once

#include <vector>

#include "eval/judge/compare.h"
#include "eval/judge/distributions.h"
#include "eval/judge/inputs.h"

namespace coppice::eval {

struct DataSet {
  Distribution distribution = Distribution::kPlain;
  InputBytes inputs;
  std::vector<Expected> expected;  // [outputs]; empty until revealed.
};

}  // namespace coppice::eval
