// The least time that a call can take on a machine, whoever writes the kernel:
// a time below that is no time of a call, whatever the clock says.
#pragma once

#include <string>

#include "store/records/evaluation.h"

namespace coppice::eval {

// Whether its median is below nine tenths of its floor_s: so much of a floor is
// believed.  False without a floor.
bool IsBelowFloor(const WorkloadResult& result);

// Makes it kInconclusive, and returns why.  REQUIRES: it is below its floor.
std::string CondemnBelowFloor(WorkloadResult& result);

}  // namespace coppice::eval
