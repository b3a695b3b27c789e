// Renews a process's leases while it works, from a thread with a database
// connection of its own: a model call may take longer than a lease.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "engine/clock.h"
#include "store/records/ids.h"

namespace coppice::engine {

class LeaseKeeper {
 public:
  // Renews every third of `lease_s`.  A renewal that fails is tried again at
  // the next beat: a lease only says in the file who is at work, and the
  // attempts' own transactions decide.
  LeaseKeeper(std::filesystem::path database, CampaignId campaign,
              std::string owner, double lease_s, const Clock& clock);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

 private:
  void Beat();

  const std::filesystem::path database_;
  const CampaignId campaign_;
  const std::string owner_;
  const double lease_s_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // Guarded by mutex_.
  std::thread thread_;     // Last: starts when all else is ready.
};

}  // namespace coppice::engine
