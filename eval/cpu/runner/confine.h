// What the runner gives up before it loads a candidate.
#pragma once

#include "eval/cpu/runner/protocol.h"

namespace coppice::eval {

// Installs limits (address space, processor time, file size, descriptors, no
// core), restricts the process to control.cpus processors and loads the system
// call filter.  False if the kernel refused any of them.
bool Confine(const CpuControl& control);

}  // namespace coppice::eval
