// Only a call that is open may go on or end.  Internal to store.
#pragma once

#include <string>

#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;

// kBusy if the call `name` was given up when its attempt was adopted, kUsage if
// it has ended.
Result<void> CheckOpen(const Connection& connection, CallOutcome outcome,
                       const std::string& name);

}  // namespace coppice::store
