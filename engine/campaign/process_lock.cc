#include "engine/campaign/process_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "store/records/attempt.h"
#include "store/records/hash.h"
#include "store/records/io_error.h"

namespace coppice::engine {
namespace {

// Whatever name the database goes by: a link to it shares its locks.
std::string PathOf(const std::filesystem::path& database) {
  std::error_code failed;
  const auto real = std::filesystem::weakly_canonical(database, failed);
  return (failed ? database : real).string() + "-run";
}

constexpr std::int64_t kFirstTurn = std::int64_t{1} << 40;
constexpr std::int64_t kFirstClaim = std::int64_t{1} << 41;
constexpr std::int64_t kFirstOwner = std::int64_t{1} << 62;

std::int64_t CampaignByte(CampaignId campaign) { return Index(campaign); }

std::int64_t TurnByte(CampaignId campaign) {
  return kFirstTurn + Index(campaign);
}

// No two owners share one of 2^62 bytes.
std::int64_t OwnerByte(const std::string& owner) {
  return kFirstOwner + static_cast<std::int64_t>(Fnv1a(owner) >> 2);
}

struct flock RangeOf(std::int64_t byte, bool is_shared) {
  struct flock range {};
  range.l_type = static_cast<short>(is_shared ? F_RDLCK : F_WRLCK);
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  return range;
}

tl::unexpected<Error> FailAt(const std::string& path) {
  return Fail(IoErrc(errno), path + ": " + std::strerror(errno));
}

Result<int> OpenToLock(const std::string& path) {
  const int file =
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return FailAt(path);
  return file;
}

// Whether it was free.  Open-file-description locks: a thread or library that
// opens and closes the same file does not drop ours.
Result<bool> TryLock(int file, const std::string& path, struct flock range) {
  if (fcntl(file, F_OFD_SETLK, &range) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return FailAt(path);
}

Result<bool> IsLocked(const std::filesystem::path& database,
                      std::int64_t byte) {
  const std::string path = PathOf(database);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0 && errno == ENOENT) return false;  // Nobody ever ran it here.
  if (file < 0) return FailAt(path);
  struct flock range = RangeOf(byte, false);
  const int failed = fcntl(file, F_OFD_GETLK, &range);
  const int why = errno;
  close(file);
  errno = why;
  if (failed != 0) return FailAt(path);
  return range.l_type != F_UNLCK;
}

}  // namespace

Result<ProcessLock> ProcessLock::Join(const std::filesystem::path& database,
                                      CampaignId campaign,
                                      const std::string& owner) {
  const std::string path = PathOf(database);
  TRY(file, OpenToLock(path));
  ProcessLock process_lock(file);
  TRY(owned, TryLock(file, path, RangeOf(OwnerByte(owner), false)));
  TRY(joined, TryLock(file, path, RangeOf(CampaignByte(campaign), true)));
  if (owned && joined) return process_lock;
  return Fail(Errc::kBusy, database.string() +
                               ": another process has this campaign for "
                               "itself: try again when it is done");
}

Result<ProcessLock> ProcessLock::Alone(const std::filesystem::path& database,
                                       CampaignId campaign) {
  const std::string path = PathOf(database);
  TRY(file, OpenToLock(path));
  ProcessLock process_lock(file);
  TRY(alone, TryLock(file, path, RangeOf(CampaignByte(campaign), false)));
  if (alone) return process_lock;
  return Fail(Errc::kBusy,
              database.string() + ": another process is running this campaign");
}

Result<std::optional<ProcessLock>> ProcessLock::TryByte(
    const std::filesystem::path& database, std::int64_t byte) {
  const std::string path = PathOf(database);
  TRY(file, OpenToLock(path));
  ProcessLock process_lock(file);
  TRY(taken, TryLock(file, path, RangeOf(byte, false)));
  if (!taken) return std::optional<ProcessLock>();
  return std::optional(std::move(process_lock));
}

Result<std::optional<ProcessLock>> ProcessLock::TryTurn(
    const std::filesystem::path& database, CampaignId campaign) {
  return TryByte(database, TurnByte(campaign));
}

Result<std::optional<ProcessLock>> ProcessLock::TryClaim(
    const std::filesystem::path& database, CampaignId campaign) {
  return TryByte(database, kFirstClaim + Index(campaign));
}

Result<bool> ProcessLock::IsAnyone(const std::filesystem::path& database,
                                   CampaignId campaign) {
  return IsLocked(database, CampaignByte(campaign));
}

Result<bool> ProcessLock::IsAlive(const std::filesystem::path& database,
                                  const std::string& owner) {
  if (owner.starts_with(kTicketOwner)) return true;
  return IsLocked(database, OwnerByte(owner));
}

ProcessLock::~ProcessLock() {
  if (file_ >= 0) close(file_);
}

ProcessLock::ProcessLock(ProcessLock&& other) noexcept
    : file_(std::exchange(other.file_, -1)) {}

ProcessLock& ProcessLock::operator=(ProcessLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

}  // namespace coppice::engine
