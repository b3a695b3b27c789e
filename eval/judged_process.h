// What the kernel tells of, and does to, a process that is judged.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "eval/affinity.h"
#include "eval/waiting.h"

namespace coppice::eval {

// Of all threads that a process has or had; infinity if it is gone.
inline double ProcessorSeconds(pid_t process) {
  clockid_t clock;
  timespec used;
  if (clock_getcpuclockid(process, &clock) != 0 ||
      clock_gettime(clock, &used) != 0) {
    return std::numeric_limits<double>::infinity();
  }
  return static_cast<double>(used.tv_sec) +
         1e-9 * static_cast<double>(used.tv_nsec);
}

// Whether a thread runs no instruction of its program until it is continued:
// stopped, or dead.
inline bool IsAtRest(pid_t process, pid_t thread) {
  std::ifstream file("/proc/" + std::to_string(process) + "/task/" +
                     std::to_string(thread) + "/stat");
  std::string stat;
  // All of it; unlike an iterator, silent about a thread that ends meanwhile.
  std::getline(file, stat, '\0');
  // "1234 (a name) T ..."; a name may have brackets in it.
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= stat.size() ||
         std::string("TtZX").find(stat[name_end + 2]) != std::string::npos;
}

// After SIGSTOP was sent, which takes effect when the kernel gets to it: on a
// busy machine milliseconds later.  Who waits in a driver is not waited for.
inline void WaitUntilAtRest(pid_t process) {
  constexpr double kMostSeconds = 0.1;
  constexpr std::chrono::microseconds kGlance{10};
  const Patience patience = For(kMostSeconds, nullptr);
  while (Clock::now() < patience.until) {
    const std::vector<pid_t> threads = ThreadsOf(process);
    if (std::ranges::all_of(
            threads, [&](pid_t thread) { return IsAtRest(process, thread); })) {
      return;
    }
    std::this_thread::sleep_for(kGlance);
  }
}

// When memory runs out, the kernel shall end what we judge, not us or others.
// Where it cannot be said, the limit of address space is all there is.
inline void OfferToTheOomKiller(pid_t process) {
  std::ofstream file("/proc/" + std::to_string(process) + "/oom_score_adj");
  file << "1000" << std::flush;
}

}  // namespace coppice::eval
