#include "store/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "store/records/io_error.h"

namespace coppice::store {
namespace {

// What the last call of the system said.
tl::unexpected<Error> FailAt(const std::filesystem::path& path) {
  return Fail(IoErrc(errno), path.string() + ": " + std::strerror(errno));
}

bool IsAt(const std::filesystem::path& path, int file) {
  struct stat there {};
  struct stat ours {};
  return stat(path.c_str(), &there) == 0 && fstat(file, &ours) == 0 &&
         there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

// Its names, where the file system keeps such: a file's new one is lost with
// the power before that.
Result<void> SyncFolderOf(const std::filesystem::path& path) {
  const auto folder =
      path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return FailAt(path);
  const bool is_synced = fsync(file) == 0 || errno == EINVAL;
  Result<void> done;
  if (!is_synced) done = FailAt(path);
  close(file);
  return done;
}

}  // namespace

Result<PartialFile> PartialFile::Begin(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    return Fail(Errc::kUsage,
                path.string() + ": exists already: give another path");
  }
  PartialFile file(path);
  TRY_DONE(file.Take());
  return file;
}

PartialFile::PartialFile(const std::filesystem::path& path)
    : final_(path), partial_(path.string() + ".partial") {}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : final_(std::move(other.final_)),
      partial_(std::move(other.partial_)),
      file_(std::exchange(other.file_, -1)) {}

PartialFile::~PartialFile() {
  if (file_ < 0) return;
  std::error_code ignored;
  if (!is_finished_) std::filesystem::remove(partial_, ignored);
  close(file_);
}

Result<void> PartialFile::Take() {
  const int file =
      open(partial_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) return FailAt(final_);
  // It may have got its name, or have been removed, since it was opened.
  if (flock(file, LOCK_EX | LOCK_NB) != 0 || !IsAt(partial_, file)) {
    close(file);
    return Fail(Errc::kBusy,
                final_.string() + ": another process is writing it");
  }
  file_ = file;
  if (ftruncate(file_, 0) != 0) return FailAt(final_);
  return {};
}

Result<void> PartialFile::Finish() {
  if (fsync(file_) != 0) return FailAt(final_);
  std::error_code error;
  std::filesystem::rename(partial_, final_, error);
  if (error) {
    return Fail(Errc::kIo, final_.string() + ": " + error.message());
  }
  is_finished_ = true;
  return SyncFolderOf(final_);
}

}  // namespace coppice::store
