#include "eval/cuda/runner/timer.h"

#include <chrono>
#include <cmath>

#include "eval/cuda/runner/request_loop.h"

namespace coppice::eval::cuda {
namespace {

// What a launch function that waits for the device is given, before it is
// timed without being held.
constexpr std::uint64_t kHoldNanoseconds = 200'000'000;
constexpr unsigned kHoldBlock = 512;  // Divides what multiprocessors have.

}  // namespace

LaunchTimer::LaunchTimer(const Gpu& gpu)
    : gpu_(gpu),
      flush_bytes_(2 *
                   static_cast<std::uint64_t>(gpu.Attribute(kL2CacheBytes))),
      flush_(gpu.Allocate(flush_bytes_)) {
  const Driver& driver = gpu.driver();
  void* host = nullptr;
  Must(driver.MemHostAlloc(&host, 4096, kHostMapped), FailureStage::kMemory);
  Must(driver.MemHostGetDevicePointer(&go_on_device_, host, 0),
       FailureStage::kMemory);
  stamps_on_device_ = go_on_device_ + 256;
  go_ = static_cast<std::uint32_t*>(host);
  stamps_ = reinterpret_cast<std::uint64_t*>(static_cast<char*>(host) + 256);
  Must(driver.FuncSetAttribute(gpu.helpers().litter, kMaxDynamicSharedBytes,
                               gpu.Attribute(kMaxSharedMemoryPerBlock)),
       FailureStage::kMemory);
  Must(driver.EventCreate(&begin_, 0), FailureStage::kMemory);
  Must(driver.EventCreate(&end_, 0), FailureStage::kMemory);
  Must(driver.EventCreate(&settled_, 0), FailureStage::kMemory);
  Time(Queue::kHeld, {.queue = [] {}, .after = [] {}});
}

// Twice as many warps as multiprocessors, so that none goes without.
void LaunchTimer::Stamp(DevicePointer at) const {
  void* arguments[] = {&at};
  LaunchConfiguration configuration;
  configuration.grid[0] =
      2 * static_cast<unsigned>(gpu_.Attribute(kMultiprocessors));
  configuration.block[0] = 32;
  gpu_.Launch(gpu_.helpers().stamp, configuration, arguments,
              FailureStage::kRun);
}

void LaunchTimer::Flush() const {
  Must(gpu_.driver().MemsetD32Async(flush_, 0, flush_bytes_ / 4, gpu_.stream()),
       FailureStage::kRun);
}

// Writes all shared memory of every multiprocessor.
void LaunchTimer::Litter() const {
  auto bytes =
      static_cast<std::uint32_t>(gpu_.Attribute(kMaxSharedMemoryPerBlock));
  std::uint32_t words = bytes / 4;
  void* arguments[] = {&words};
  LaunchConfiguration configuration;
  configuration.grid[0] =
      static_cast<unsigned>(gpu_.Attribute(kMultiprocessors));
  configuration.block[0] = 1024;
  configuration.shared_bytes = bytes;
  gpu_.Launch(gpu_.helpers().litter, configuration, arguments,
              FailureStage::kRun);
}

// Starts as many threads as the device has.
void LaunchTimer::Hold() const {
  go_[1] = 0;
  go_[2] = 0;
  go_[3] = go_[3] + 1;
  DevicePointer go = go_on_device_;
  std::uint64_t limit = kHoldNanoseconds;
  std::uint32_t turn = go_[3];
  void* arguments[] = {&go, &limit, &turn};
  LaunchConfiguration configuration;
  configuration.block[0] = kHoldBlock;
  configuration.grid[0] =
      static_cast<unsigned>(gpu_.Attribute(kMultiprocessors) *
                            (gpu_.Attribute(kThreadsPerMultiprocessor) /
                             static_cast<int>(kHoldBlock)));
  gpu_.Launch(gpu_.helpers().hold, configuration, arguments,
              FailureStage::kRun);
}

// Nor longer than the stream is at work: a fault ends that, and so does a
// candidate that has kept the kernel from being launched.
void LaunchTimer::AwaitHold() const {
  while (go_[2] == 0 && go_[1] == 0) {
    const Status status = gpu_.driver().StreamQuery(gpu_.stream());
    if (status == kNotReady) continue;
    Must(status, FailureStage::kRun);
    return;
  }
}

// Sooner than Synchronize(), which prints what kernels have said.  That tells
// of faults, too.
void LaunchTimer::AwaitStream() const {
  while (gpu_.driver().StreamQuery(gpu_.stream()) == kNotReady) {
  }
}

Timed LaunchTimer::Time(Queue queue, const Work& work) const {
  const Driver& driver = gpu_.driver();
  // Not every device has a persisting part of its cache to give back.
  static_cast<void>(driver.CtxSetLimit(kLimitPersistingL2, 0));
  static_cast<void>(driver.CtxResetPersistingL2Cache());
  Flush();
  gpu_.Synchronize(FailureStage::kRun);
  for (int i = 0; i < 4; ++i) stamps_[i] = 0;
  go_[0] = queue == Queue::kHeld ? 0 : 1;
  Litter();
  Stamp(stamps_on_device_);
  Hold();
  Must(driver.EventRecord(begin_, gpu_.stream()), FailureStage::kRun);
  AwaitHold();
  auto let_go = std::chrono::steady_clock::now();
  work.queue();
  Must(driver.EventRecord(end_, gpu_.stream()), FailureStage::kRun);
  Stamp(stamps_on_device_ + 16);
  Must(driver.EventRecord(settled_, gpu_.stream()), FailureStage::kRun);
  if (!work.waits) work.after();
  if (queue == Queue::kHeld) let_go = std::chrono::steady_clock::now();
  go_[0] = 1;
  if (work.waits) AwaitStream();
  const std::chrono::nanoseconds whole =
      std::chrono::steady_clock::now() - let_go;
  if (work.waits) work.after();
  gpu_.Synchronize(FailureStage::kRun);

  const auto between = [&](Event from, Event to) {
    float milliseconds = 0.0F;
    Must(driver.EventElapsedTime(&milliseconds, from, to), FailureStage::kRun);
    return static_cast<std::uint64_t>(std::llround(milliseconds * 1e9));
  };
  Timed timed;
  timed.sample.event_ps = between(begin_, end_);
  timed.sample.after_ps = between(end_, settled_);
  timed.sample.whole_ps = static_cast<std::uint64_t>(whole.count()) * 1000;
  timed.sample.begin = {stamps_[0], stamps_[1]};
  timed.sample.end = {stamps_[2], stamps_[3]};
  timed.held_too_long = go_[1] != 0;
  return timed;
}

}  // namespace coppice::eval::cuda
