#include "eval/host/counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "eval/host/affinity.h"

namespace coppice::eval {
namespace {

constexpr std::size_t kMostThreads = 256;  // Each takes a descriptor a kind.

struct Kind {
  std::optional<double> Counters::*what;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr Kind kKinds[] = {
    {&Counters::instructions, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {&Counters::cycles, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {&Counters::cache_misses, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {&Counters::branch_misses, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {&Counters::page_faults, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}};

UniqueFd Open(const Kind& kind, pid_t thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = kind.type;
  attributes.config = kind.config;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format =
      PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return UniqueFd(static_cast<int>(syscall(
      SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

// A processor has fewer counters than are asked of it, and takes turns.  None
// if it never came to this one.
std::optional<double> Scaled(int fd) {
  std::uint64_t words[3];  // Count; nanoseconds enabled; of these, counting.
  if (read(fd, words, sizeof words) != sizeof words) return std::nullopt;
  const auto count = static_cast<double>(words[0]);
  if (words[2] != 0) {
    return count * static_cast<double>(words[1]) /
           static_cast<double>(words[2]);
  }
  if (words[1] != 0) return std::nullopt;
  return 0.0;  // The thread has not run.
}

}  // namespace

bool HasHardwareCounters() {
  static const bool has = Open(kKinds[0], 0).valid();
  return has;
}

ProcessCounters ProcessCounters::Attach(pid_t process) {
  ProcessCounters attached;
  std::vector<pid_t> threads = ThreadsOf(process);
  if (threads.size() > kMostThreads) threads.clear();
  for (const pid_t thread : threads) {
    for (const Kind& kind : kKinds) {
      UniqueFd fd = Open(kind, thread);
      if (fd.valid()) attached.counters_.push_back({kind.what, std::move(fd)});
    }
  }
  return attached;
}

Counters ProcessCounters::Read(double calls) const {
  Counters counts;
  for (const Counter& counter : counters_) {
    const std::optional<double> count = Scaled(counter.fd.get());
    if (!count) continue;
    std::optional<double>& sum = counts.*counter.what;
    sum = sum.value_or(0.0) + *count / calls;
  }
  return counts;
}

}  // namespace coppice::eval
