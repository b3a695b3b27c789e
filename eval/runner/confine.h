// What the runner gives up before it loads a candidate.
#pragma once

#include "eval/runner/protocol.h"

namespace coppice::eval {

// Installs limits (address space, processor time, file size, descriptors, no
// core), restricts the process to control.cpus processors and loads the system
// call filter.  False if the kernel refused any of them.
//
// The filter is an allow-list.  What no kernel needs and only an attack asks
// for (another process, a socket, ptrace, ...) raises SIGSYS; what is merely
// unknown fails with EPERM, so that a library's probe does no harm.
bool Confine(const Control& control);

}  // namespace coppice::eval
