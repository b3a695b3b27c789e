// What a kernel that is called under the sanitizers needs and says.
#pragma once

#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Evaluation;
}  // namespace coppice

namespace coppice::eval {

class Compiler;
struct CpuTaskBench;

// A few calls on the smallest workload, compiled with the address and the
// undefined-behaviour sanitizer; enters what comes of it.
Result<void> Sanitize(const CpuTaskBench& task_bench, const Compiler& compiler,
                      const Candidate& candidate, Evaluation& evaluation);

// The run time that an object of these bytes was linked with, as the loader
// finds it: what takes the place of malloc must come before all else.
std::string SanitizerRunTime(std::string_view object);

// Without the sanitizers' complaint that the sandbox has no /proc.
std::string WithoutWarnings(const std::string& printed);

}  // namespace coppice::eval
