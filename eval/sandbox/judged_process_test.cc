#include "eval/sandbox/judged_process.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cmath>
#include <string>

#include "eval/host/unique_fd.h"

namespace coppice::eval {
namespace {

// A child that does something and then waits to be killed.
class Child {
 public:
  template <class Work>
  explicit Child(const Work& work) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      work();
      static_cast<void>(!write(ends[1], "x", 1));
      while (true) pause();
    }
    close(ends[1]);
    char word;
    EXPECT_EQ(read(ends[0], &word, 1), 1);  // It has done it.
    close(ends[0]);
  }
  ~Child() { End(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }

  // Returns when it has stopped.
  void Stop() const {
    kill(pid_, SIGSTOP);
    int status = 0;
    waitpid(pid_, &status, WUNTRACED);
    EXPECT_TRUE(WIFSTOPPED(status));
  }

  // Waits until it has ended; nobody has asked for its status.
  void Die() const {
    kill(pid_, SIGKILL);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }

  void End() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

void Nothing() {}

constexpr pid_t kNobody = 1 << 30;  // Beyond all that a kernel numbers.

TEST(ProcessorSecondsTest, CountWhatAProcessRan) {
  const Child busy([] {
    while (ProcessorSeconds(getpid()) < 0.02) {
    }
  });
  const Child idle(Nothing);
  busy.Stop();
  idle.Stop();
  EXPECT_GE(ProcessorSeconds(busy.pid()), 0.02);
  EXPECT_LT(ProcessorSeconds(idle.pid()), ProcessorSeconds(busy.pid()));
  EXPECT_EQ(ProcessorSeconds(busy.pid()), ProcessorSeconds(busy.pid()));
}

TEST(ProcessorSecondsTest, NobodyHasUsedAllThatThereIs) {
  Child child(Nothing);
  const pid_t pid = child.pid();
  child.End();
  EXPECT_TRUE(std::isinf(ProcessorSeconds(pid)));
}

TEST(IsAtRestTest, WhoWaitsIsNotAtRestAndWhoIsStoppedIs) {
  const Child child(Nothing);
  EXPECT_FALSE(IsAtRest(child.pid(), child.pid()));
  child.Stop();
  EXPECT_TRUE(IsAtRest(child.pid(), child.pid()));
}

TEST(IsAtRestTest, ADeadProcessIsAtRest) {
  Child child(Nothing);
  child.Die();
  EXPECT_TRUE(IsAtRest(child.pid(), child.pid()));  // A zombie.
  const pid_t pid = child.pid();
  child.End();
  EXPECT_TRUE(IsAtRest(pid, pid));
}

// "1234 (T) T) S 1 ...": the state follows the last bracket.
TEST(IsAtRestTest, ANameMayLookLikeAState) {
  for (const char* name : {"x) T (", ") T", "a\nb", "T"}) {
    const Child child([name] { prctl(PR_SET_NAME, name); });
    EXPECT_FALSE(IsAtRest(child.pid(), child.pid())) << name;
    child.Stop();
    EXPECT_TRUE(IsAtRest(child.pid(), child.pid())) << name;
  }
}

TEST(WaitUntilAtRestTest, EveryThreadHasToStop) {
  const Child child([] {
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void* nothing) {
          while (true) pause();
          return nothing;
        },
        nullptr);
  });
  ASSERT_EQ(CountThreadsOf(child.pid()), 2u);
  EXPECT_FALSE(WaitUntilAtRest(child.pid(), 0.01));
  kill(child.pid(), SIGSTOP);
  EXPECT_TRUE(WaitUntilAtRest(child.pid(), 60.0));
  for (const pid_t thread : ThreadsOf(child.pid())) {
    EXPECT_TRUE(IsAtRest(child.pid(), thread));
  }
}

TEST(AwaitRestTest, AProcessThatIsStoppedPasses) {
  const Child child(Nothing);
  kill(child.pid(), SIGSTOP);
  EXPECT_EQ(AwaitRest(child.pid()).verdict, Verdict::kPassed);
}

TEST(AwaitRestTest, AProcessThatIsGonePasses) {
  EXPECT_EQ(AwaitRest(kNobody).verdict, Verdict::kPassed);
}

double WaitedSecondsOf(const std::string& text) {
  const UniqueFd file(memfd_create("schedstat", MFD_CLOEXEC));
  EXPECT_EQ(write(file.get(), text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
  return WaitedSeconds(file.get());
}

// Nanoseconds: that it ran, that it waited; and how often it got a turn.
TEST(WaitedSecondsTest, AreTheSecondNumber) {
  EXPECT_DOUBLE_EQ(WaitedSecondsOf("7000000000 2500000000 12\n"), 2.5);
  EXPECT_EQ(WaitedSecondsOf("7 0 12\n"), 0.0);
  // Read from its beginning each time.
  const UniqueFd file(memfd_create("schedstat", MFD_CLOEXEC));
  ASSERT_EQ(write(file.get(), "1 3000000000 1\n", 15), 15);
  EXPECT_DOUBLE_EQ(WaitedSeconds(file.get()), 3.0);
  EXPECT_DOUBLE_EQ(WaitedSeconds(file.get()), 3.0);
}

TEST(WaitedSecondsTest, WhatIsNotToldIsNone) {
  EXPECT_EQ(WaitedSecondsOf(""), 0.0);
  EXPECT_EQ(WaitedSecondsOf("7000000000"), 0.0);
  EXPECT_EQ(WaitedSecondsOf("many 2500000000"), 0.0);
  EXPECT_EQ(WaitedSeconds(-1), 0.0);
}

TEST(OomKillerTest, TakesWhatIsJudgedFirst) {
  const Child child(Nothing);
  OfferToTheOomKiller(child.pid());
  std::ifstream file("/proc/" + std::to_string(child.pid()) + "/oom_score_adj");
  int score = 0;
  file >> score;
  EXPECT_EQ(score, 1000);
}

}  // namespace
}  // namespace coppice::eval
