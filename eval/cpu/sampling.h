// Where a program spends its time, by sampling in a process that is for nothing
// else: no sample falls into a call that is timed or judged.
//
// A timer that the runner sets before it is confined interrupts the thread that
// calls, so neither a right nor a system call is added for the candidate.  It
// can forge samples or refuse them: they are advice for who improves it, and no
// verdict rests on them.
#pragma once

#include <cstdint>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval {

class CpuBench;
struct CpuRunnerOptions;
struct Program;

// Calls the program on inputs of the bench's pool for about so long.  Addresses
// in its file, in the order in which they were seen; empty if it fails now.
// `options` are those of a candidate's process.
Result<std::vector<std::uint64_t>> SampleCalls(CpuBench& bench,
                                               CpuRunnerOptions options,
                                               const Program& program,
                                               double seconds);

}  // namespace coppice::eval
