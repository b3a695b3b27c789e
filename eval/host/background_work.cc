#include "eval/host/background_work.h"

namespace coppice::eval {

void BackgroundWork::Do(const std::function<void()>& work) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return silences_ == 0 && working_ < limit_; });
    ++working_;
  }
  work();
  {
    const std::scoped_lock lock(mutex_);
    --working_;
  }
  changed_.notify_all();
}

BackgroundWork::Silence::Silence(BackgroundWork& side) : side_(side) {
  std::unique_lock lock(side_.mutex_);
  ++side_.silences_;
  side_.changed_.wait(lock, [&] { return side_.working_ == 0; });
}

BackgroundWork::Silence::~Silence() {
  {
    const std::scoped_lock lock(side_.mutex_);
    --side_.silences_;
  }
  side_.changed_.notify_all();
}

}  // namespace coppice::eval
