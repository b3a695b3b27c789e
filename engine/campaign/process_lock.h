// Says which processes on this machine work on a campaign, by byte-range locks
// that the kernel drops the moment their holder dies, however it dies.  So
// nobody need wait for a dead process's leases to run out, and nobody takes
// what a live one holds.
//
// The locks are on the file DATABASE-run beside the database: a byte for each
// campaign, shared by those who work on it; a byte for its turn; one for the
// claim on it; and a byte for each owner of leases.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::engine {

class ProcessLock {
 public:
  // Works on `campaign` beside others, with leases of `owner`, a name that no
  // other process has.  kBusy while somebody holds the campaign alone.
  static Result<ProcessLock> Join(const std::filesystem::path& database,
                                  CampaignId campaign,
                                  const std::string& owner);
  // kBusy while anybody works on it.
  static Result<ProcessLock> Alone(const std::filesystem::path& database,
                                   CampaignId campaign);

  // For what only one of those who joined may do at a time.  None: it is
  // another's turn now.
  static Result<std::optional<ProcessLock>> TryTurn(
      const std::filesystem::path& database, CampaignId campaign);

  // For who runs it as part of a comparison, from end to end, turns and all, so
  // that attempts come one after the other.  None: another process has it.
  static Result<std::optional<ProcessLock>> TryClaim(
      const std::filesystem::path& database, CampaignId campaign);

  // Whether anybody works on it.  Creates nothing, disturbs nobody.
  static Result<bool> IsAnyone(const std::filesystem::path& database,
                               CampaignId campaign);
  // Whether the process with these leases lives.  No process has those of a
  // ticket (kTicketOwner), so that they count as such until they run out.
  static Result<bool> IsAlive(const std::filesystem::path& database,
                              const std::string& owner);

  ~ProcessLock();
  ProcessLock(ProcessLock&& other) noexcept;
  ProcessLock& operator=(ProcessLock&& other) noexcept;

 private:
  explicit ProcessLock(int file) : file_(file) {}
  static Result<std::optional<ProcessLock>> TryByte(
      const std::filesystem::path& database, std::int64_t byte);
  int file_;
};

}  // namespace coppice::engine
