// What is told of a C++ candidate that has passed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Evaluation;
}  // namespace coppice

namespace coppice::eval {

class Compiler;
class CpuBench;
struct CpuTaskBench;
struct Program;
struct Roofline;

// Enters the floor of each workload.  A time that is below it is no time of a
// call, unless the roof itself, which is measured again then, was too low.
Result<void> HoldAgainstRoofline(
    const std::vector<std::unique_ptr<CpuBench>>& benches,
    const Compiler& compiler, int threads, Roofline& roof,
    Evaluation& evaluation);

// The profiles of all workloads, and the same in words.
void FillProfiles(const std::vector<std::unique_ptr<CpuBench>>& benches,
                  const Roofline& roof, Evaluation& evaluation);

// What the compiler made of it, to go after a digest (store/records/profile.h).
Result<std::string> TellCode(const CpuTaskBench& task_bench,
                             const Compiler& compiler,
                             const Candidate& candidate, const Program& program,
                             const Evaluation& evaluation);

}  // namespace coppice::eval
