// What tools see in a candidate that has passed: sanitizers, and on a device
// Nsight Compute.  Each looks at one call, on inputs like any other's, in a
// worker of its own, whose times and outputs are nobody's.
//
// A candidate shares its process with the tool and can blind it: this finds
// mistakes, not malice.
#pragma once

#include <filesystem>
#include <string>

#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Outcome;
}  // namespace coppice
namespace coppice::eval::cuda {
struct Counted;
}

namespace coppice::eval::torch {

class TorchBench;
struct WorkerOptions;

struct Subject {
  const Candidate& candidate;
  std::filesystem::path built;  // What its compilers left; empty: nothing.
};

// Whether a candidate has compiled code of its own on such a device: what is
// torch's is not looked at.
bool HasOwnCode(const std::string& source, const std::string& device);

// By compute-sanitizer's four tools on a device, on the CPU by g++'s checks of
// addresses.  A tool that does not find the root clean is of no use.
//
// On the device memory is not torch's to keep, so that each tensor has bounds.
Result<Outcome> Sanitize(TorchBench& bench, const WorkerOptions& worker,
                         const Subject& subject);

// Counters of the kernels of a call.  REQUIRES: a device.
Result<cuda::Counted> CountKernels(TorchBench& bench,
                                   const WorkerOptions& worker,
                                   const Subject& subject);

}  // namespace coppice::eval::torch
