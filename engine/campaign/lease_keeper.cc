#include "engine/campaign/lease_keeper.h"

#include <chrono>
#include <utility>

#include "store/database.h"
#include "store/patience.h"
#include "store/write/attempts.h"

namespace coppice::engine {
namespace {

constexpr double kBeats = 3.0;   // In the time of a lease.
constexpr double kSteady = 1.5;  // Times the time between two beats.
constexpr std::chrono::milliseconds kRetryEvery(10);

}  // namespace

// Waits until the keeper ends; others tell the user why.
class LeaseKeeper::Stubborn final : public store::Patience {
 public:
  explicit Stubborn(LeaseKeeper& keeper) : keeper_(keeper) {}

  bool Wait(const Error&) override {
    std::unique_lock lock(keeper_.mutex_);
    return !keeper_.wake_.wait_for(lock, kRetryEvery,
                                   [this] { return keeper_.stopping_; });
  }
  void GoOn() override {}

 private:
  LeaseKeeper& keeper_;
};

LeaseKeeper::LeaseKeeper(std::filesystem::path database, CampaignId campaign,
                         std::string owner, double lease_s, const Clock& clock)
    : database_(std::move(database)),
      campaign_(campaign),
      owner_(std::move(owner)),
      lease_s_(lease_s),
      clock_(clock),
      steady_since_s_(clock.Monotonic()),
      last_beat_s_(steady_since_s_),
      thread_([this] { Beat(); }) {}

LeaseKeeper::~LeaseKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool LeaseKeeper::IsSteady() const {
  const std::lock_guard lock(mutex_);
  const double now_s = clock_.Monotonic();
  const double while_s = kSteady * lease_s_ / kBeats;
  return now_s - steady_since_s_ >= while_s && now_s - last_beat_s_ <= while_s;
}

bool LeaseKeeper::Renew() {
  Stubborn patience(*this);
  auto database = store::Database::Open(database_, store::Access::kReadWrite,
                                        store::Durability::kFull, &patience);
  return database && store::Attempts(*database).RenewLeases(
                         campaign_, owner_, clock_.UnixSeconds() + lease_s_);
}

void LeaseKeeper::Beat() {
  const std::chrono::duration<double> interval(lease_s_ / kBeats);
  std::chrono::duration<double> pause = interval;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, pause, [this] { return stopping_; })) {
    lock.unlock();
    const bool is_done = Renew();
    lock.lock();
    const double now_s = clock_.Monotonic();
    const bool is_late = now_s - last_beat_s_ > kSteady * interval.count();
    last_beat_s_ = now_s;
    if (is_late || !is_done) steady_since_s_ = now_s;
    // Once more, for until when it holds was said before a wait.
    pause = is_late && is_done ? std::chrono::duration<double>(kRetryEvery)
                               : interval;
  }
}

}  // namespace coppice::engine
