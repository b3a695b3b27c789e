// Says which process on this machine runs a campaign: a byte-range lock that
// the kernel drops the moment its holder dies, however it dies.  So a restart
// need not wait for a dead process's leases to run out.
#pragma once

#include <filesystem>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::engine {

class RunLock {
 public:
  // Locks `campaign` of `database`, through the file DATABASE-run beside it.
  // kBusy if a live process holds it.
  static Result<RunLock> Take(const std::filesystem::path& database,
                              CampaignId campaign);
  // Whether a live process holds it now.  Creates nothing, disturbs nobody.
  static Result<bool> IsHeld(const std::filesystem::path& database,
                             CampaignId campaign);
  ~RunLock();
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&&) = delete;

 private:
  explicit RunLock(int file) : file_(file) {}
  int file_;
};

}  // namespace coppice::engine
