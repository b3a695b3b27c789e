// What was compiled, by content: shared by all processes of a user, bounded in
// size.
//
// An entry is a directory with the file that was made and its whole key, which
// a hit compares; both appear at once, by a rename.  Eviction takes the entries
// whose last use is longest ago, and never one of the last ten minutes: a
// process that found it may be about to load it.  So the bound may be passed by
// what ten minutes make.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "eval/host/unique_fd.h"
#include "store/records/result.h"

namespace coppice::eval {

inline constexpr std::uintmax_t kDefaultCacheBytes = std::uintmax_t{1} << 30;

// The folder for the cache cannot be made: kUsage if a file is in its place, or
// else kFull or kIo.  The text says why.
tl::unexpected<Error> UnusableCache(const std::filesystem::path& cache,
                                    const std::error_code& error);

// A directory to compile in, gone with this object unless it was kept.  What a
// process that was killed leaves goes when the cache is opened again.
class BuildDirectory {
 public:
  static Result<BuildDirectory> Make(const std::filesystem::path& cache);
  BuildDirectory(BuildDirectory&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  BuildDirectory& operator=(BuildDirectory&&) = delete;
  ~BuildDirectory();

  std::filesystem::path Source() const { return path_ / "kernel.cc"; }
  // For what is made, and for nothing else.
  std::filesystem::path Product() const { return path_ / "out"; }

 private:
  BuildDirectory() = default;
  std::filesystem::path path_;
  UniqueFd lock_;
};

struct CacheUsage {
  std::int64_t entries = 0;
  std::uintmax_t bytes = 0;
};

// kFull unless a compiler that failed did not for lack of room in `directory`.
Result<void> CheckRoom(const std::filesystem::path& directory,
                       std::uintmax_t least_bytes);

class CompileCache {
 public:
  // Creates the directory.
  static Result<CompileCache> Open(const std::filesystem::path& directory,
                                   std::uintmax_t limit_bytes);

  // The entry's directory, marked as used just now; none if there is none.
  std::optional<std::filesystem::path> Find(const std::string& key) const;

  // Moves what `build` made, file `product`, in, and returns the entry's
  // directory.  To the disk first: a power cut leaves no whole key with half a
  // file.  One in 64 evicts, since looking at all entries takes its time.
  Result<std::filesystem::path> Keep(const BuildDirectory& build,
                                     const std::string& key,
                                     const std::string& product) const;

  // Down to nine tenths of the limit.  Left-overs of processes that were killed
  // while they compiled go too, after an hour.  Does nothing while another
  // process is at it.
  void Evict() const;

  // kFull if a compiler failed for want of room.  What it `said` alone tells
  // nothing, for a source can make it say anything: where it says that there is
  // no room, there must be ample to disprove it.
  Result<void> CheckRoom(std::string_view said) const;

  const std::filesystem::path& directory() const { return directory_; }

 private:
  CompileCache() = default;

  std::filesystem::path directory_;
  std::uintmax_t limit_bytes_ = kDefaultCacheBytes;
};

// Measures the cache in `directory`; nothing if there is none.
CacheUsage MeasureCache(const std::filesystem::path& directory);

}  // namespace coppice::eval
