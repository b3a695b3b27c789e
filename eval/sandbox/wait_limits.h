// Waiting for an answer of a process that runs a candidate, which may start
// threads without end.
//
// No limit of the system's holds for root (RLIMIT_NPROC), and a candidate that
// takes every process id (32768, often) would stop the machine.  So its threads
// are counted, often enough: it can start a hundred in a millisecond.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "eval/host/waiting.h"

namespace coppice::eval {

inline constexpr std::size_t kThreadLimit = 1024;

enum class Attended { kReady, kTimedOut, kCancelled, kTooManyThreads };

// Waits until `socket` is readable or hung up.  Counts the threads of `process`
// every 10 ms; not before the first 10 are over.
Attended Attend(int socket, pid_t process, const Deadline& patience);

// "it has more than 1024 threads"
std::string TooManyThreadsText();

}  // namespace coppice::eval
