// How somebody who no longer wants an evaluation ends it: evaluators look at a
// flag, which is up while anybody wants that (CampaignFactory::CancelBy).
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>

#include "store/records/result.h"

namespace coppice {
struct Evaluation;
}

namespace coppice::engine {

class Flag {
 public:
  void Raise() { Count(1); }
  void Lower() { Count(-1); }
  const std::atomic<bool>& up() const { return up_; }

 private:
  // In one, since what an older count says would else be the last word.
  void Count(int more) {
    const std::lock_guard lock(mutex_);
    raised_ += more;
    up_ = raised_ > 0;
  }

  std::mutex mutex_;
  int raised_ = 0;
  std::atomic<bool> up_ = false;
};

// `evaluate`, which raising `flag` ends, until `stop` is requested: kCancelled
// then.  Where another's wish has ended it, it is begun again, unless `is_over`
// (which may be null) says that all are to end.
Result<Evaluation> EvaluateUntil(
    const std::stop_token& stop, Flag& flag, const std::atomic<bool>* is_over,
    const std::function<Result<Evaluation>()>& evaluate);

// While it lives, `flag` is up once `stop` was requested.
class Cut {
 public:
  Cut(Flag& flag, const std::stop_token& stop);
  ~Cut();
  Cut(const Cut&) = delete;
  Cut& operator=(const Cut&) = delete;

 private:
  Flag& flag_;
  bool is_raised_ = false;
  std::optional<std::stop_callback<std::function<void()>>> callback_;
};

}  // namespace coppice::engine
