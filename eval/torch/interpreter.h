// The Python that tasks written in PyTorch run on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval::torch {

struct Interpreter {
  std::filesystem::path executable;
  // Folders beside /usr/lib that it needs to be there, and those of modules.
  std::vector<std::filesystem::path> folders;
  std::string path;     // For PYTHONPATH.
  std::string version;  // "3.11.7"
  std::string torch;    // "2.13.0+cpu"
  std::string triton;   // "3.6.0"; empty: there is none.
  std::string nvcc;     // "13.0"; empty: there is none.
  std::string cuda;     // Of torch's build, "13.0"; empty: none.
};

// Asks the interpreter of that name or path.  kUsage if there is no file of
// that path; kUnavailable, in one line and with what to do, if it does not run
// or has no torch; torch is not imported.
Result<Interpreter> FindInterpreter(const std::string& python);

// What extensions of its torch are compiled with.
struct ExtensionToolchain {
  std::string text;  // JSON, of inline/toolchain.py.
  // What interpreter and compilers read beside /usr/lib and /usr/include.
  std::vector<std::filesystem::path> folders;
};

// `scripts` is the folder of worker.py; `architecture` the device's, "90", or
// empty.
Result<ExtensionToolchain> FindToolchain(const Interpreter& interpreter,
                                         const std::filesystem::path& scripts,
                                         const std::string& architecture);

}  // namespace coppice::eval::torch
