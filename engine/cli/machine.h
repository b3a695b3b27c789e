// coppice db doctor --machine: what this machine has, and what it lacks.
#pragma once

#include "engine/documents/verb.h"
#include "store/records/result.h"

namespace coppice::cli {

// kFailure if no campaign can run here, not even on the processor.
Result<Exit> LookAtMachine(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
