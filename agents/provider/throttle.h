// What a provider takes from all threads together: so many calls at once, so
// many and so many tokens a minute.  Whoever comes first goes first.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "agents/provider/timer.h"

namespace coppice::agents {

// 0: no limit.
struct Limits {
  int concurrent = 0;
  std::int64_t requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;  // Input and output.
};

class Throttle {
 public:
  // A call that has been let in, until it leaves.
  using Ticket = std::int64_t;

  // `timer` outlives the throttle.
  Throttle(Limits limits, Timer& timer) : limits_(limits), timer_(timer) {}

  // Waits for a turn to send a call that may use `tokens`; one that asks for
  // more than a minute's takes a whole minute's.  None if cancelled.
  std::optional<Ticket> Enter(std::int64_t tokens,
                              const std::atomic<bool>* cancel);

  // `tokens`: that it did use, as far as is known.
  void Leave(Ticket ticket, std::int64_t tokens);

  // The provider said to one who has just left that it is too much: nobody
  // goes in for `wait_s`, and then at most half as many as were in at once.
  // Each call that goes well lets that limit grow by its reciprocal, until it
  // binds no more (additive increase, multiplicative decrease: Chiu, Jain
  // 1989).
  void SlowDown(double wait_s);
  void WentWell();

 private:
  struct Entry {
    Ticket ticket;
    double time;
    std::int64_t tokens;
  };

  double WaitNeeded(double now, std::int64_t tokens);  // 0: go.

  const Limits limits_;
  Timer& timer_;
  std::mutex mutex_;  // Guards what follows.
  std::deque<Entry> last_minute_;
  std::deque<Ticket> waiting_;
  Ticket next_ = 0;
  int inside_ = 0;
  double at_once_ = 0;  // Of the decrease; 0: none.
  double closed_until_ = 0;
};

}  // namespace coppice::agents
