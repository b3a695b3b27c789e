#include "eval/host/affinity.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace coppice::eval {

std::vector<int> ProcessorsOf(pid_t process) {
  std::vector<int> processors;
  cpu_set_t permitted;
  if (sched_getaffinity(process, sizeof permitted, &permitted) != 0) {
    return processors;
  }
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &permitted)) {
      processors.push_back(i);
    }
  }
  return processors;
}

std::vector<pid_t> ThreadsOf(pid_t process) {
  namespace fs = std::filesystem;
  std::vector<pid_t> threads;
  std::error_code error;
  fs::directory_iterator entry("/proc/" + std::to_string(process) + "/task",
                               error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    threads.push_back(std::atoi(entry->path().filename().c_str()));
  }
  std::ranges::sort(threads);
  return threads;
}

std::size_t CountThreadsOf(pid_t process) {
  struct stat task;
  const std::string path = "/proc/" + std::to_string(process) + "/task";
  // A link for each, beside the folder's own two.
  if (stat(path.c_str(), &task) != 0 || task.st_nlink < 2) return 0;
  return static_cast<std::size_t>(task.st_nlink) - 2;
}

void SpreadThreads(const std::vector<pid_t>& threads,
                   const std::vector<int>& processors) {
  const bool one_each =
      threads.size() > 1 && threads.size() == processors.size();
  for (std::size_t i = 0; i < threads.size(); ++i) {
    cpu_set_t permitted;
    CPU_ZERO(&permitted);
    for (std::size_t j = 0; j < processors.size(); ++j) {
      if (!one_each || i == j) {
        CPU_SET(static_cast<std::size_t>(processors[j]), &permitted);
      }
    }
    // Fails only for a thread that is gone.
    static_cast<void>(
        sched_setaffinity(threads[i], sizeof permitted, &permitted));
  }
}

Seat::Seat(int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(processor), &only);
  is_taken_ = sched_getaffinity(0, sizeof before_, &before_) == 0 &&
              sched_setaffinity(0, sizeof only, &only) == 0;
}

Seat::~Seat() {
  if (is_taken_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace coppice::eval
