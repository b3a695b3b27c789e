#include "eval/host/counters.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace coppice::eval {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 300;

// Unwatched: the thread sanitizer would touch two more for each.
__attribute__((no_sanitize("thread"))) void TouchPages() {
  auto* memory = static_cast<volatile char*>(
      mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(const_cast<char*>(memory), kPages * kPage, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < kPages; ++i) memory[i * kPage] = 1;
}

// A child that waits for a byte, runs `work`, and stops itself.
template <class Work>
Counters CountOfChild(const Work& work, double calls) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    if (read(ends[0], &byte, 1) == 1) work();
    raise(SIGSTOP);
    _exit(0);
  }
  const ProcessCounters counters = ProcessCounters::Attach(child);
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  const Counters counts = counters.Read(calls);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  close(ends[0]);
  close(ends[1]);
  return counts;
}

// 300 pages in two calls are 150 each, and a few more that any program takes.
TEST(CountersTest, CountWhatAnotherProcessDoes) {
  const Counters counts = CountOfChild(TouchPages, 2.0);
  if (!counts.page_faults) GTEST_SKIP() << "the system counts nothing for us";
  EXPECT_GE(*counts.page_faults, 150.0);
  EXPECT_LT(*counts.page_faults, 250.0);
  EXPECT_EQ(counts.instructions.has_value(), HasHardwareCounters());
}

TEST(CountersTest, CountThreadsThatAreStartedLater) {
  const Counters counts = CountOfChild(
      [] {
        std::thread first(TouchPages);
        std::thread second(TouchPages);
        first.join();
        second.join();
      },
      1.0);
  if (!counts.page_faults) GTEST_SKIP() << "the system counts nothing for us";
  EXPECT_GE(*counts.page_faults, 600.0);
}

TEST(CountersTest, OfNoProcessNothingIsCounted) {
  EXPECT_EQ(ProcessCounters::Attach(-1).Read(1.0), Counters{});
}

}  // namespace
}  // namespace coppice::eval
