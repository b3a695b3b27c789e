// What the kernel tells of, and does to, a process that is judged.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <fstream>
#include <limits>
#include <string>

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

// When memory runs out, the kernel shall end what we judge, not us or others.
// Where it cannot be said, the limit of address space is all there is.
inline void OfferToTheOomKiller(pid_t process) {
  std::ofstream file("/proc/" + std::to_string(process) + "/oom_score_adj");
  file << "1000" << std::flush;
}

}  // namespace coppice::eval
