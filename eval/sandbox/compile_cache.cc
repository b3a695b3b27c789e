#include "eval/sandbox/compile_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "eval/host/folder_lock.h"
#include "eval/host/unique_fd.h"
#include "eval/host/whole_file.h"
#include "store/records/formatted.h"
#include "store/records/hash.h"
#include "store/records/io_error.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

constexpr char kKeyFile[] = "key";
constexpr char kBuilding[] = ".building-";
constexpr char kEvicted[] = ".evicted-";
constexpr char kRunner[] = ".runner-";  // Files of sessions that are starting.
constexpr std::chrono::minutes kInUse(10);
constexpr std::chrono::hours kAbandoned(1);
constexpr std::uint64_t kKeptBetweenEvictions = 64;
// For what is made, and what of that a compiler may make.
constexpr std::uintmax_t kLeastSpace = std::uintmax_t{1} << 20;
constexpr std::uintmax_t kMostSpace = std::uintmax_t{64} << 20;

std::string Hexadecimal(std::uint64_t number) {
  return Formatted("%016llx", static_cast<unsigned long long>(number));
}

Result<std::string> RandomName(const char* prefix) {
  std::uint64_t word = 0;
  if (getrandom(&word, sizeof word, 0) != sizeof word) {
    return Fail(Errc::kIo, "getrandom: no random numbers");
  }
  return prefix + Hexadecimal(word);
}

Result<void> SyncFile(const fs::path& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 || fsync(file.get()) != 0) {
    return Fail(IoErrc(errno), path.string() + ": " + std::strerror(errno));
  }
  return {};
}

struct CacheEntry {
  fs::path path;
  fs::file_time_type used;
  std::uintmax_t bytes = 0;
};

std::uintmax_t BytesIn(const fs::path& directory) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator file(directory, error);
       !error && file != fs::directory_iterator(); file.increment(error)) {
    struct stat status {};
    if (lstat(file->path().c_str(), &status) == 0) {
      bytes += static_cast<std::uintmax_t>(status.st_blocks) * 512;
    }
  }
  return bytes;
}

// Other processes add and remove entries meanwhile: what vanishes is passed
// over.
std::vector<CacheEntry> ListEntries(const fs::path& directory) {
  std::vector<CacheEntry> entries;
  std::error_code error;
  for (fs::directory_iterator at(directory, error);
       !error && at != fs::directory_iterator(); at.increment(error)) {
    if (at->path().filename().string().starts_with('.')) continue;
    std::error_code gone;
    const auto used = fs::last_write_time(at->path() / kKeyFile, gone);
    if (!gone) entries.push_back({at->path(), used, BytesIn(at->path())});
  }
  return entries;
}

void RemoveAbandoned(const fs::path& directory) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator at(directory, error);
       !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename();
    std::error_code ignored;
    if (name.starts_with(kEvicted) ||
        (name.starts_with(kBuilding) && LockFolder(at->path()).valid()) ||
        (name.starts_with(kRunner) &&
         now - fs::last_write_time(at->path(), ignored) > kAbandoned)) {
      fs::remove_all(at->path(), ignored);
    }
  }
}

// A quota shows only when it is passed.
bool MayAllocate(const fs::path& directory) {
  const UniqueFd file(open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC,
                           S_IRUSR | S_IWUSR));
  if (!file.valid()) return IoErrc(errno) != Errc::kFull;
  const int why = posix_fallocate(file.get(), 0, kLeastSpace);
  return why == 0 || IoErrc(why) != Errc::kFull;
}

}  // namespace

tl::unexpected<Error> UnusableCache(const fs::path& cache,
                                    const std::error_code& error) {
  const bool is_file =
      error == std::errc::not_a_directory || error == std::errc::file_exists;
  return Fail(is_file ? Errc::kUsage : IoErrc(error.value()),
              cache.string() + ": " + error.message() +
                  "; give another --cache-directory");
}

Result<BuildDirectory> BuildDirectory::Make(const fs::path& cache) {
  constexpr int kTimes = 3;
  BuildDirectory build;
  for (int i = 0; i < kTimes && !build.lock_.valid(); ++i) {
    TRY(name, RandomName(kBuilding));
    build.path_ = cache / name;
    std::error_code error;
    fs::create_directories(build.Product(), error);
    if (error) return UnusableCache(cache, error);
    // Another process may have locked it first, to remove it.  Where nobody
    // can lock, nobody does.
    build.lock_ = LockFolder(build.path_);
  }
  return build;
}

BuildDirectory::~BuildDirectory() {
  std::error_code ignored;  // Left-overs are only untidy.
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<CompileCache> CompileCache::Open(const fs::path& directory,
                                        std::uintmax_t limit_bytes) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return UnusableCache(directory, error);
  RemoveAbandoned(directory);
  CompileCache cache;
  cache.directory_ = fs::absolute(directory);
  cache.limit_bytes_ = limit_bytes;
  return cache;
}

std::optional<fs::path> CompileCache::Find(const std::string& key) const {
  // The hash only names the entry: a hit compares the whole key.
  fs::path entry = directory_ / Hexadecimal(Fnv1a(key));
  // One that cannot be read is made again.
  if (ReadWhole(entry / kKeyFile).value_or("") != key) return std::nullopt;
  // Fails only if it was evicted this instant.
  if (utimensat(AT_FDCWD, (entry / kKeyFile).c_str(), nullptr, 0) != 0) {
    return std::nullopt;
  }
  return entry;
}

Result<fs::path> CompileCache::Keep(const BuildDirectory& build,
                                    const std::string& key,
                                    const std::string& product) const {
  const fs::path key_file = build.Product() / kKeyFile;
  TRY_DONE(WriteWhole(key_file, key));
  TRY_DONE(SyncFile(key_file));
  TRY_DONE(SyncFile(build.Product() / product));

  // What is in the way is either another key's, or was put there by another
  // process a moment ago.
  fs::path entry = directory_ / Hexadecimal(Fnv1a(key));
  std::error_code error;
  if (fs::exists(entry) && !Find(key)) fs::remove_all(entry, error);
  fs::rename(build.Product(), entry, error);
  if (error && !Find(key)) {
    return Fail(IoErrc(error.value()), entry.string() + ": " + error.message());
  }
  if (Fnv1a(key) % kKeptBetweenEvictions == 0) Evict();
  return entry;
}

void CompileCache::Evict() const {
  const UniqueFd lock(
      open((directory_ / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid() || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
  RemoveAbandoned(directory_);
  std::vector<CacheEntry> entries = ListEntries(directory_);
  std::uintmax_t bytes = 0;
  for (const CacheEntry& entry : entries) bytes += entry.bytes;
  if (bytes <= limit_bytes_) return;
  std::ranges::sort(entries, {}, &CacheEntry::used);
  const auto now = fs::file_time_type::clock::now();
  for (const CacheEntry& entry : entries) {
    if (bytes <= limit_bytes_ / 10 * 9 || now - entry.used < kInUse) return;
    // Out of sight at once, then file by file.
    const auto name = RandomName(kEvicted);
    std::error_code error;
    if (!name) return;
    fs::rename(entry.path, directory_ / *name, error);
    if (error) continue;
    fs::remove_all(directory_ / *name, error);
    bytes -= std::min(bytes, entry.bytes);
  }
}

// A linker removes what it could not write whole, so that there may be more
// room afterwards than there was.
Result<void> CompileCache::CheckRoom(std::string_view said) const {
  const bool says_so = said.find("No space left") != said.npos ||
                       said.find("quota exceeded") != said.npos;
  return eval::CheckRoom(directory_, says_so ? kMostSpace : kLeastSpace);
}

Result<void> CheckRoom(const fs::path& directory, std::uintmax_t least_bytes) {
  std::error_code error;
  const bool has_space =
      fs::space(directory, error).available >= least_bytes || error;
  if (has_space && MayAllocate(directory)) return {};
  return Fail(Errc::kFull, directory.string() +
                               ": disk full: make room, or give another "
                               "--cache-directory");
}

CacheUsage MeasureCache(const fs::path& directory) {
  CacheUsage usage;
  for (const CacheEntry& entry : ListEntries(directory)) {
    ++usage.entries;
    usage.bytes += entry.bytes;
  }
  return usage;
}

}  // namespace coppice::eval
