// What Triton and torch.compile load before they compile anything: a module for
// Triton's driver, libraries that try out what a processor can, what compilers
// answer to --version.
//
// They look for these in their caches, at a time when even a process that is to
// be judged may still do anything.  So those are made by a worker that is never
// given a candidate, and shown read-only to those that are; what a candidate's
// builder has made is not looked at until they are loaded (compiling.py).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/sandbox/compile_cache.h"
#include "eval/torch/scratch_folder.h"
#include "eval/torch/worker.h"
#include "store/records/result.h"

namespace coppice::eval::torch {

// Bytes of the disk: Triton and torch.compile leave some megabytes for a
// candidate.
inline constexpr std::uintmax_t kLeastBuildingRoom = 32 << 20;

// Compilers that a source mentions, and that load such things on a device.
struct MentionedCompilers {
  bool triton = false;
  bool torch = false;  // torch.compile.

  bool Any() const { return triton || torch; }
  friend bool operator==(const MentionedCompilers&,
                         const MentionedCompilers&) = default;
};

MentionedCompilers ToolsOf(const std::string& source,
                           const std::string& device);

// Writes the order of a kEquip for a worker.
std::string EquipOrder(const MentionedCompilers& tools,
                       const std::string& device);

class TrustedPreload {
 public:
  // They are kept in the cache of compilations, once for an installation.
  explicit TrustedPreload(std::uintmax_t cache_bytes = kDefaultCacheBytes)
      : cache_bytes_(cache_bytes) {}

  // Begins to make them, where there are none.  Does not wait.
  Result<void> Begin(const WorkerOptions& worker);

  // Makes them, unless there are some.  kCompileFailed, with a log, where the
  // compilers do not work, from then on; what ends the process is an error.
  Result<Reaction> Make(const WorkerOptions& worker);

  // Nothing, where there are none.
  Result<void> PutInto(const std::filesystem::path& folder) const;

 private:
  struct File {
    std::string name;  // Below the folder.
    std::string bytes;
  };

  bool Find(const WorkerOptions& worker);
  Result<void> Keep(const WorkerOptions& worker) const;
  static Result<std::vector<File>> FilesOf(const std::filesystem::path& folder);

  std::uintmax_t cache_bytes_;
  std::vector<File> files_;
  std::optional<Reaction> failed_;
  // While they are made.
  ScratchFolder folder_;
  std::unique_ptr<Worker> provider_;
};

}  // namespace coppice::eval::torch
