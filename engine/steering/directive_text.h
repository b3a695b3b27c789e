// What can be told of a directive at once, whatever has become of its campaign
// by the time that it is taken up.
#pragma once

#include "store/records/directive.h"
#include "store/records/result.h"

namespace coppice::engine {

// kUsage: what its row lacks, or what its text is not: a rule that can be
// checked, a policy, one model.
Result<void> CheckSaid(const Directive& directive);

}  // namespace coppice::engine
