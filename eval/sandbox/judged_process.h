// What the kernel tells of, and does to, a process that is judged.
#pragma once

#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "eval/host/affinity.h"
#include "eval/host/waiting.h"
#include "store/records/outcome.h"

namespace coppice::eval {

// Adds up all threads that a process has or had; infinity if it is gone.
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
  // Reads all of the file; unlike an iterator, this is silent about a thread
  // that ends meanwhile.
  std::getline(file, stat, '\0');
  // "1234 (a name) T ..."; a name may have brackets in it.
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= stat.size() ||
         std::string("TtZX").find(stat[name_end + 2]) != std::string::npos;
}

// After SIGSTOP was sent, which takes effect when the kernel gets to it: on a
// busy machine milliseconds later.  False if that takes longer than `most_s`:
// who waits in a driver, or for what the kernel does, may.
//
// Looks at ever longer intervals.  Who wakes all the time on the processor that
// a thread wants keeps it from there for seconds: the scheduler goes on with
// the third that was interrupted.
inline bool WaitUntilAtRest(pid_t process, double most_s = 0.1) {
  constexpr std::chrono::microseconds kLongestInterval{2000};
  std::chrono::microseconds interval{10};
  const Deadline patience = For(most_s, nullptr);
  while (Clock::now() < patience.until) {
    const std::vector<pid_t> threads = ThreadsOf(process);
    if (std::ranges::all_of(
            threads, [&](pid_t thread) { return IsAtRest(process, thread); })) {
      return true;
    }
    std::this_thread::sleep_for(interval);
    interval = std::min(interval * 5 / 4, kLongestInterval);
  }
  return false;
}

// It may have to wait for a processor, and for what the kernel does for it.
inline constexpr double kMostSecondsToStop = 5.0;
inline constexpr double kWorkSeconds = 0.05;  // On a processor: no accident.

// Waits for a process that was sent SIGSTOP.  Until its last thread has heard
// of it, that one goes on: beside the root's call, or over inputs that are put
// before it.  One that does so for seconds does not pass.
inline Outcome AwaitRest(pid_t process) {
  const double used_s = ProcessorSeconds(process);
  if (WaitUntilAtRest(process, kMostSecondsToStop)) return {};
  if (ProcessorSeconds(process) - used_s < kWorkSeconds) {
    return {Verdict::kInconclusive,
            "for seconds it got no processor to hear of its stop on"};
  }
  return Rejected(Breach::kWorkedLate,
                  "it goes on after it was stopped: nobody can tell what it "
                  "does between its calls");
}

// What the kernel says in `file`, a "schedstat" of /proc, of how long a thread
// could run and had no processor; 0 if it does not say.
inline double WaitedSeconds(int file) {
  char text[96];
  const ssize_t size = pread(file, text, sizeof text - 1, 0);
  if (size <= 0) return 0.0;
  text[size] = '\0';
  unsigned long long ran_ns = 0;
  unsigned long long waited_ns = 0;
  if (std::sscanf(text, "%llu %llu", &ran_ns, &waited_ns) != 2) return 0.0;
  return 1e-9 * static_cast<double>(waited_ns);
}

// When memory runs out, the kernel shall end what we judge, not us or others.
// Where it cannot be said, the limit of address space is all there is.
inline void OfferToTheOomKiller(pid_t process) {
  std::ofstream file("/proc/" + std::to_string(process) + "/oom_score_adj");
  file << "1000" << std::flush;
}

}  // namespace coppice::eval
