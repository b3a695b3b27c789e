// What a worker's process may see and ask for.
#pragma once

#include "eval/host/unique_fd.h"
#include "eval/sandbox/sandbox.h"
#include "store/records/result.h"

namespace coppice::eval::torch {

enum class WorkerRole;
struct WorkerOptions;

// How it is started and what of the machine it sees: the interpreter, its
// scripts and devices, what compilers keep.  Only a builder and a provider have
// compilers, only a problem the stored files.  The descriptors are left to the
// caller.
SandboxedProgram SandboxOf(const WorkerOptions& options, WorkerRole role);

// A file with the system calls that are left to it, for it to install (an
// ExportFilter); empty for all but a kernel worker.
Result<UniqueFd> FilterOf(const WorkerOptions& options, WorkerRole role);

}  // namespace coppice::eval::torch
