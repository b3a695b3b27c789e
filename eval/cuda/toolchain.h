// Turns CUDA C++ into what a runner loads, in the sandbox and through the
// compile cache: device-only source by NVRTC into a cubin, source with host
// code by nvcc into a shared object.  Flags are ours.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eval/sandbox/compile_cache.h"
#include "eval/sandbox/compiler.h"
#include "eval/sandbox/sandbox.h"
#include "store/records/result.h"

namespace coppice::eval::cuda {

struct ToolchainOptions {
  std::filesystem::path cache_directory;
  std::uintmax_t cache_bytes = kDefaultCacheBytes;
  std::filesystem::path nvrtc;  // The coppice-nvrtc executable.
  int compute_major = 9;        // Of the device.
  int compute_minor = 0;
  double timeout_s = 30.0;
  const std::atomic<bool>* cancelled = nullptr;  // May be null.
};

// Looks in CUDA_PATH, CUDA_HOME and /usr/local/cuda.  Empty: there is none.
std::filesystem::path FindToolkit();

class Toolchain {
 public:
  static Result<Toolchain> Find(ToolchainOptions options);

  Result<Compiled> Cubin(const std::string& source) const;

  // Linked with the CUDA run time, statically, and of CUDA's other libraries
  // with those named ("cublas").
  Result<Compiled> SharedObject(
      const std::string& source,
      const std::vector<std::string>& libraries = {}) const;

  // The folder in which those libraries are at run time.
  std::filesystem::path LibraryFolder() const;

  const std::filesystem::path& folder() const { return toolkit_; }
  const std::string& version() const { return version_; }  // Of the toolkit.
  std::string Flags() const;                               // As typed.

 private:
  explicit Toolchain(ToolchainOptions options) : options_(std::move(options)) {}
  Result<Compiled> Make(const std::string& source, const char* product,
                        const std::vector<std::string>& command,
                        std::vector<Bind> binds) const;
  std::string Architecture() const;  // "90a".

  ToolchainOptions options_;
  std::optional<CompileCache> cache_;
  std::filesystem::path toolkit_;
  std::string version_;
};

}  // namespace coppice::eval::cuda
