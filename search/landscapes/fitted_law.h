// A landscape whose numbers were fitted to campaigns on live tasks, and the
// text that it is kept as:
//
//   # Fitted by `coppice task fit` to live.db.
//   terrain weak
//   ceiling_shape 4.2
//   ceiling_scale 0.55
//   ...
//
// Each number stands once, in any order.  Blank lines and lines that start with
// `#` are comments.
#pragma once

#include <string>
#include <string_view>

#include "search/landscapes/calibration.h"
#include "store/records/result.h"

namespace coppice::search {

struct FittedLaw {
  Family family = Family::kWeak;  // Weak or hill.
  CeilingLaw ceilings{};
  Parameters parameters;  // One skill, whoever works.
};

// kCorrupt says what is wrong, with the number of the line if there is one.
Result<FittedLaw> ParseFittedLaw(std::string_view text);

// Numbers to the last bit, without comments.
std::string Render(const FittedLaw& law);

}  // namespace coppice::search
