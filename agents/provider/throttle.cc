#include "agents/provider/throttle.h"

#include <algorithm>
#include <limits>

namespace coppice::agents {
namespace {

constexpr double kMinute = 60.0;
constexpr double kGlance = 0.02;  // Seconds between looks for a free place.

}  // namespace

std::optional<Throttle::Ticket> Throttle::Enter(
    std::int64_t tokens, const std::atomic<bool>* cancel) {
  std::unique_lock lock(mutex_);
  const Ticket ticket = next_++;
  waiting_.push_back(ticket);
  for (;;) {
    if (cancel != nullptr && cancel->load()) {
      std::erase(waiting_, ticket);
      return std::nullopt;
    }
    const double now = timer_.Monotonic();
    double wait_s = kGlance;  // Behind others.
    if (waiting_.front() == ticket) {
      wait_s = WaitNeeded(now, tokens);
      if (wait_s <= 0) {
        waiting_.pop_front();
        ++inside_;
        last_minute_.push_back({ticket, now, tokens});
        return ticket;
      }
    }
    lock.unlock();
    timer_.Wait(wait_s, cancel);
    lock.lock();
  }
}

double Throttle::WaitNeeded(double now, std::int64_t tokens) {
  while (!last_minute_.empty() && last_minute_.front().time + kMinute <= now) {
    last_minute_.pop_front();
  }
  if (now < closed_until_) return closed_until_ - now;
  const bool full = limits_.concurrent > 0 && inside_ >= limits_.concurrent;
  if (full || (at_once_ > 0 && inside_ >= at_once_)) return kGlance;
  // As many of the oldest must grow old as make room.
  std::int64_t calls = std::ssize(last_minute_);
  std::int64_t used = 0;
  for (const Entry& entry : last_minute_) used += entry.tokens;
  const auto fits = [&] {
    const bool by_calls =
        limits_.requests_per_minute == 0 || calls < limits_.requests_per_minute;
    // What is larger than all there is goes alone.
    const bool by_tokens = limits_.tokens_per_minute == 0 || calls == 0 ||
                           used + tokens <= limits_.tokens_per_minute;
    return by_calls && by_tokens;
  };
  double wait_s = 0;
  for (const Entry& entry : last_minute_) {
    if (fits()) break;
    --calls;
    used -= entry.tokens;
    wait_s = entry.time + kMinute - now;
  }
  return wait_s;
}

void Throttle::Leave(Ticket ticket, std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  --inside_;
  for (Entry& entry : last_minute_) {
    if (entry.ticket == ticket) entry.tokens = tokens;
  }
}

void Throttle::SlowDown(double wait_s) {
  const std::lock_guard lock(mutex_);
  closed_until_ = std::max(closed_until_, timer_.Monotonic() + wait_s);
  at_once_ = std::max(1.0, (inside_ + 1) / 2.0);  // It has left already.
}

void Throttle::WentWell() {
  const std::lock_guard lock(mutex_);
  if (at_once_ <= 0) return;
  at_once_ += 1 / at_once_;
  // Twice as many as there are: the limit binds no more.
  if (at_once_ > 2.0 * (inside_ + static_cast<double>(waiting_.size())) + 2) {
    at_once_ = 0;
  }
}

}  // namespace coppice::agents
