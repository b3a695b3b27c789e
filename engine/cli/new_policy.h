// coppice new policy FILE: a policy in Python to begin with.
#pragma once

#include "engine/documents/verb.h"

namespace coppice::cli {

// REQUIRES: the first argument is "policy".  kUsage: there is no FILE.py, or it
// is there already.
Result<Exit> WriteNewPolicy(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
