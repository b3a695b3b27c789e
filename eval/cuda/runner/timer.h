// Times work on the stream as nvbench does (NVIDIA, detail/measure_cold):
// the second-level cache is flushed, a kernel holds the device until all is
// queued, and two events enclose the work.  A stamp before the hold and one
// after the work tell the clock rate.
#pragma once

#include <functional>

#include "eval/cuda/runner/gpu.h"
#include "eval/cuda/runner/protocol.h"

namespace coppice::eval::cuda {

enum class Queue { kHeld, kAsItComes };

struct Timed {
  Sample sample{};
  bool held_too_long = false;  // The work waited for the host: no time.
};

class LaunchTimer {
 public:
  explicit LaunchTimer(const Gpu& gpu);

  struct Work {
    std::function<void()> queue;  // What is timed; only queues on the stream.
    std::function<void()> after;  // Queued outside the clock.
    // Waits for the work before `after`, which then is outside the host's clock
    // too.  Host code could go on working meanwhile.
    bool waits = false;
  };

  // Flushes twice the size of the cache after giving persisting lines back,
  // then runs the work; returns when the whole context is idle.
  Timed Time(Queue queue, const Work& work) const;

  // Queues that flush alone.
  void Flush() const;

 private:
  void Stamp(DevicePointer at) const;
  void Litter() const;
  void Hold() const;
  void AwaitHold() const;
  void AwaitStream() const;

  const Gpu& gpu_;
  std::uint64_t flush_bytes_;
  DevicePointer flush_;
  // See coppice_hold; [3] is the turn.
  volatile std::uint32_t* go_ = nullptr;
  volatile std::uint64_t* stamps_ = nullptr;
  DevicePointer go_on_device_ = 0;
  DevicePointer stamps_on_device_ = 0;
  Event begin_ = nullptr;
  Event end_ = nullptr;
  Event settled_ = nullptr;
};

}  // namespace coppice::eval::cuda
