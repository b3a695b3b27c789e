// What tools see in one kernel: what an agent, or an engineer, asks of it
// beside its verdict.
#pragma once

#include "engine/documents/verb.h"

namespace coppice::cli {

// `coppice eval TASK FILE --profile`: what it asks of the machine.
// REQUIRES: both arguments.
Result<Exit> ProfileKernel(const Invocation& invocation, Streams& streams);

// `coppice eval TASK FILE --sanitize`: what sanitizers find in it.
// REQUIRES: both arguments.
Result<Exit> SanitizeKernel(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
