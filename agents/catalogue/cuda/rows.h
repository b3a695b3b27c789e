// rows(kernel, lanes): several threads for each row, where the newcomer has
// one: neighbouring lanes read neighbouring elements, and what a loop folds is
// put together by warp shuffles.
//
// lanes is 32, a warp for each row, or more, a block for each row (then folds
// also go through shared memory).  Loops over the row must be independent but
// for sums, maxima and (with warps) running sums and the index of a maximum;
// whatever else a row's thread did, every lane does, and one lane stores.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome ShareRows(const DeviceSite& site, const Technique& technique);

}  // namespace coppice::agents::catalogue::cuda
