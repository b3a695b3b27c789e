// The processes that workers are forked from: they have imported torch.
#pragma once

#include <memory>

#include "store/records/result.h"

namespace coppice::eval {
class ForkServer;
struct SandboxedProgram;
}  // namespace coppice::eval

namespace coppice::eval::torch {

struct WorkerOptions;

// One for all workers with the same libraries, started when it is first asked
// for and ended with this program.  Null where workers are to be executed:
// where bubblewrap sets sandboxes up.  From any thread.
Result<std::shared_ptr<ForkServer>> ForkServerFor(
    const WorkerOptions& options, const SandboxedProgram& program);

// Begins with those that a problem and its kernel workers will need, so that
// on a device, where they are two, both import at the same time.
Result<void> StartForkServers(const WorkerOptions& options);

}  // namespace coppice::eval::torch
