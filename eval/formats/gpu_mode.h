// A problem of GPU MODE's reference-kernels: a folder with a task.yml, which
// names the other files and lists the arguments of tests and benchmarks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval {

struct GpuModeModule {
  std::string name;  // As it is imported: "utils".
  std::string source;
};

struct GpuModeProblem {
  std::string description;
  std::string reference;  // The text of reference.py.
  // What it imports: Python beside it, but for the submission and their
  // evaluator.
  std::vector<GpuModeModule> modules;
  // "size=1024, case=dense": arguments, but for the seed.  No two are equal.
  std::vector<std::string> benchmarks;
  std::vector<std::string> tests;
  // {"benchmarks": [{"size": 1024, ...}, ...], "tests": [...]}, JSON.
  std::string arguments;
};

// kUsage, in a line that names the file: what is wrong with it, or that it
// wants what is not done here (several GPUs, another language than Python).
Result<GpuModeProblem> ReadGpuMode(const std::filesystem::path& folder);

}  // namespace coppice::eval
