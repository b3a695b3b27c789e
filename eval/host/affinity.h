// The processors that threads run on: another process's, or our own.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace coppice::eval {

// The processors that a process may use; empty if it is gone.
std::vector<int> ProcessorsOf(pid_t process);

// The threads of a process, oldest first; empty if it is gone.
std::vector<pid_t> ThreadsOf(pid_t process);

// How many they are, in one system call.
std::size_t CountThreadsOf(pid_t process);

// If there are as many threads as processors, and more than one, gives each
// its own; otherwise gives all of them to each.  Threads that are stopped and
// continued together are often continued on one processor, where they take
// turns of milliseconds until the kernel's balancer notices.  A thread that
// comes and goes within a call is left to the kernel.
void SpreadThreads(const std::vector<pid_t>& threads,
                   const std::vector<int>& processors);

// Keeps the thread that makes it on one processor, as long as it lives; on any
// if that one is not there.  Processes that it starts meanwhile stay there,
// too.
class Seat {
 public:
  explicit Seat(int processor);
  ~Seat();
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

 private:
  cpu_set_t before_;
  bool is_taken_;
};

}  // namespace coppice::eval
