// Renews a process's leases while it works, from a thread with a database
// connection of its own: a model call may take longer than a lease.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "engine/process/clock.h"
#include "store/records/ids.h"

namespace coppice::engine {

class LeaseKeeper {
 public:
  // Renews every third of `lease_s`, and as soon as a lock or a full disk that
  // was in the way is gone.  A renewal that fails is tried again at the next
  // beat: a lease only says in the file who is at work, and the attempts' own
  // transactions decide.
  LeaseKeeper(std::filesystem::path database, CampaignId campaign,
              std::string owner, double lease_s, const Clock& clock);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // For a while every beat has gone through at its time: a lease that has run
  // out meanwhile has done so because its owner is stopped, and not because
  // nobody could write, or all were suspended together.
  bool IsSteady() const;

 private:
  class Stubborn;
  void Beat();
  bool Renew();  // Whether it went through.

  const std::filesystem::path database_;
  const CampaignId campaign_;
  const std::string owner_;
  const double lease_s_;
  const Clock& clock_;
  mutable std::mutex mutex_;  // Guards what follows.
  std::condition_variable wake_;
  bool stopping_ = false;
  // Monotonic: since when every renewal went through in time; and when the last
  // one ended, whether it went through or not.
  double steady_since_s_ = 0.0;
  double last_beat_s_ = 0.0;
  std::thread thread_;  // Last: starts when all else is ready.
};

}  // namespace coppice::engine
