// Keeps processors from falling asleep while a process on them is stopped
// between calls: one of a virtual machine takes up to 0.2 ms to wake, which
// would be on a call's clock.
#pragma once

#include <thread>
#include <vector>

namespace coppice::eval {

// As long as it lives, a thread on each of them that gives way to whatever else
// would run there.
class Wakefulness {
 public:
  explicit Wakefulness(const std::vector<int>& processors);

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace coppice::eval
