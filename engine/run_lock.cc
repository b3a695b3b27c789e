#include "engine/run_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace coppice::engine {
namespace {

// Whatever name the database goes by: a link to it shares its lock.
std::string PathOf(const std::filesystem::path& database) {
  std::error_code failed;
  const auto real = std::filesystem::weakly_canonical(database, failed);
  return (failed ? database : real).string() + "-run";
}

// One byte for each campaign.
struct flock ByteOf(CampaignId campaign) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = Index(campaign);
  range.l_len = 1;
  return range;
}

}  // namespace

Result<RunLock> RunLock::Take(const std::filesystem::path& database,
                              CampaignId campaign) {
  const std::string path = PathOf(database);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return Fail(Errc::kIo, path + ": " + std::strerror(errno));
  RunLock lock(file);
  struct flock range = ByteOf(campaign);
  // Open-file-description locks: a thread or library that opens and closes the
  // same file does not drop ours.
  if (fcntl(file, F_OFD_SETLK, &range) == 0) return lock;
  if (errno == EAGAIN || errno == EACCES) {
    return Fail(Errc::kBusy, database.string() +
                                 ": another process is running this campaign");
  }
  return Fail(Errc::kIo, path + ": " + std::strerror(errno));
}

Result<bool> RunLock::IsHeld(const std::filesystem::path& database,
                             CampaignId campaign) {
  const std::string path = PathOf(database);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return false;  // Nobody ever ran it here.
  if (file < 0) return Fail(Errc::kIo, path + ": " + std::strerror(errno));
  const RunLock closing(file);
  struct flock range = ByteOf(campaign);
  if (fcntl(file, F_OFD_GETLK, &range) != 0) {
    return Fail(Errc::kIo, path + ": " + std::strerror(errno));
  }
  return range.l_type != F_UNLCK;
}

RunLock::~RunLock() {
  if (file_ >= 0) close(file_);
}

RunLock::RunLock(RunLock&& other) noexcept
    : file_(std::exchange(other.file_, -1)) {}

}  // namespace coppice::engine
