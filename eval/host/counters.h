// What the processor and the system count of another process, read from outside
// of it by perf_event_open(2): the process has no part in it.
//
// Many virtual machines have no hardware counters, and a system may refuse them
// (kernel.perf_event_paranoid); what is not counted here is left out.
#pragma once

#include <sys/types.h>

#include <vector>

#include "eval/host/unique_fd.h"
#include "store/records/profile.h"

namespace coppice::eval {

// Whether instructions are counted.  Asks the system once.
bool HasHardwareCounters();

class ProcessCounters {
 public:
  // Counts from now on what all threads of the process do outside the system,
  // and the threads that they start.
  static ProcessCounters Attach(pid_t process);

  // The counts so far, divided by `calls`.  REQUIRES: calls > 0.
  Counters Read(double calls) const;

 private:
  struct Counter {
    std::optional<double> Counters::*what;
    UniqueFd fd;
  };

  std::vector<Counter> counters_;  // One for each thread and kind.
};

}  // namespace coppice::eval
