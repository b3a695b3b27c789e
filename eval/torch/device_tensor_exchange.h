// Calls on a device, by a clock that no candidate can reach.
//
// A candidate shares its process with the events that would time it and with
// whatever copies its inputs and its outputs.  So inputs are memory of the
// problem's process (trusted_tensors.py), and several calls, each on inputs of
// its own that nobody has seen, are timed together by the parent, from its
// request to the answer.  Outputs are read where they are, in the candidate's
// memory, by the problem's process; where calls return the same memory, they
// are copied within their time.  What all that takes beside the calls is known
// from doing it without them.  A second clock runs from before the inputs are
// put where the candidate sees them until its outputs have been copied away
// (eval/judge/off_clock_work.h). eval/cuda/host_clock.h does the same for host
// code in C++.
#pragma once

#include <cstdint>
#include <memory>

#include "eval/torch/tensor_exchange.h"

namespace coppice::eval::torch {

// How many calls are timed together, of sides that take so many seconds for
// one; a candidate's 0: not known.  Calls that are long by themselves are timed
// by fewer at once.  Launching a single one is all on the clock, which a
// candidate that is many times as fast as the root would suffer from. REQUIRES:
// root_s > 0.
std::uint32_t SetsFor(double root_s, double candidate_s, std::uint32_t most);

// `problem` and `stream` must outlive it.  Its device may be the CPU, for
// tests.  Fewer than `most_sets` calls are timed together where memory does not
// suffice.  `seed`: of inputs by whose size memory is had.
Result<std::unique_ptr<TensorExchange>> MakeDeviceTensorExchange(
    Problem& problem, std::uint32_t most_sets, std::uint64_t seed,
    RandomStream& stream);

}  // namespace coppice::eval::torch
