// Compiles what a candidate in Python gave to load_inline: eval/torch/inline/
// build.py, in the sandbox and through the compile cache.  The candidate's
// process only asks; it never writes what it is then shown.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "eval/sandbox/compile_cache.h"
#include "eval/sandbox/compiler.h"
#include "eval/sandbox/sandbox.h"
#include "store/records/result.h"

namespace coppice::eval::torch {

struct InlineOptions {
  std::filesystem::path python;   // The interpreter.
  std::filesystem::path scripts;  // The folder of inline/build.py.
  // What `toolchain.py` printed for the torch that candidates have.
  std::string toolchain;
  // What compilers and the interpreter read, beside /usr: torch, the CUDA
  // toolkit, an interpreter of its own.  Seen under the same names.
  std::vector<std::filesystem::path> folders;
  std::filesystem::path cache_directory;
  std::uintmax_t cache_bytes = kDefaultCacheBytes;
  double timeout_s = 180.0;  // For one request: at worst, three compilations.
  const std::atomic<bool>* cancelled = nullptr;  // May be null.
};

struct InlineLibrary {
  Compiled compiled;  // The object: a shared library.
  // What the worker is told: {"level", "diagnostics", "seconds", ...}, in JSON.
  std::string outcome;
};

class InlineCompiler {
 public:
  static Result<InlineCompiler> Open(InlineOptions options);

  // `request` is JSON as build.py reads it, and may be anything.  May run in
  // several threads at once.
  Result<InlineLibrary> Compile(const std::string& request) const;

  // The same, for a process that a tool looks at.
  Result<InlineLibrary> CompileToBeWatched(const std::string& request) const;

  // The module that the candidate's process loads such libraries by.  Takes
  // half a minute, once for a torch.
  Result<std::filesystem::path> Bridge() const;

 private:
  InlineCompiler(InlineOptions options, CompileCache cache)
      : options_(std::move(options)), cache_(std::move(cache)) {}
  Result<InlineLibrary> Make(const std::string& request, const char* step,
                             const char* product, double timeout_s) const;
  SandboxedProgram Program(const BuildDirectory& build, const char* step) const;

  InlineOptions options_;
  CompileCache cache_;
  std::string scripts_;  // Their texts: part of every key.
};

}  // namespace coppice::eval::torch
