#include "engine/lease_keeper.h"

#include <chrono>
#include <utility>

#include "store/attempts.h"
#include "store/database.h"

namespace coppice::engine {

LeaseKeeper::LeaseKeeper(std::filesystem::path database, CampaignId campaign,
                         std::string owner, double lease_s, const Clock& clock)
    : database_(std::move(database)),
      campaign_(campaign),
      owner_(std::move(owner)),
      lease_s_(lease_s),
      clock_(clock),
      thread_([this] { Beat(); }) {}

LeaseKeeper::~LeaseKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void LeaseKeeper::Beat() {
  const std::chrono::duration<double> interval(lease_s_ / 3.0);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval, [this] { return stopping_; })) {
    lock.unlock();
    if (auto database =
            store::Database::Open(database_, store::Access::kReadWrite)) {
      (void)store::Attempts(*database).RenewLeases(
          campaign_, owner_, clock_.UnixSeconds() + lease_s_);
    }
    lock.lock();
  }
}

}  // namespace coppice::engine
