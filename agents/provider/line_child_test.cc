#include "agents/provider/line_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "agents/provider/test_timer.h"

namespace coppice::agents {
namespace {

using ::testing::HasSubstr;

class LineChildTest : public ::testing::Test {
 protected:
  std::unique_ptr<LineChild> Shell(const std::string& script) {
    ChildOptions options;
    options.arguments = {"sh", "-c", script};
    options.output_limit = 1 << 20;
    return LineChild::Start(options, timer_).value();
  }
  double In(double seconds) const { return timer_.Monotonic() + seconds; }

  RealTimer timer_;
};

TEST_F(LineChildTest, AnswersLineByLine) {
  const auto child = Shell("while read a; do echo \"<$a>\"; done");
  ASSERT_TRUE(child->Send("one\ntwo\n", In(5)));
  EXPECT_EQ(child->ReadLine(In(5)).value(), "<one>");
  EXPECT_EQ(child->ReadLine(In(5)).value(), "<two>");
  ASSERT_TRUE(child->Send("three\n", In(5)));
  EXPECT_EQ(child->ReadLine(In(5)).value(), "<three>");
}

// Each pipe holds 64 KiB, so both sides would wait for each other if whoever
// sends did not hear.
TEST_F(LineChildTest, IsHeardWhileItIsTold) {
  const auto child = Shell("cat; cat >&2");
  const std::string line(300'000, 'x');
  ASSERT_TRUE(child->Send(line + "\n" + line + "\n", In(20)));
  EXPECT_EQ(child->ReadLine(In(20)).value(), line);
  EXPECT_EQ(child->ReadLine(In(20)).value(), line);
}

TEST_F(LineChildTest, OneThatSaysNothingIsTooLate) {
  const auto child = Shell("sleep 60");
  EXPECT_EQ(child->ReadLine(In(0.1)).error().code, Errc::kTimeout);
}

TEST_F(LineChildTest, OneThatHasEndedSaysWhy) {
  const auto child = Shell("echo 'no such tree' >&2; exit 3");
  EXPECT_EQ(child->ReadLine(In(20)).error().code, Errc::kUnavailable);
  EXPECT_EQ(child->Complaint(), "no such tree");
  // Nobody reads it once all of its processes are gone, and no signal ends us.
  Result<void> sent;
  while (sent) sent = child->Send("more\n", In(5));
  EXPECT_EQ(sent.error().code, Errc::kUnavailable);
}

TEST_F(LineChildTest, ALineThatDoesNotEndIsRefused) {
  const auto child = Shell("cat /dev/zero");
  EXPECT_EQ(child->ReadLine(In(20)).error().code, Errc::kCorrupt);
}

TEST_F(LineChildTest, WhatIsNoProgramIsNotFound) {
  ChildOptions options;
  options.arguments = {"no-such-program-here"};
  const auto child = LineChild::Start(options, timer_);
  EXPECT_EQ(child.error().code, Errc::kNotFound);
  EXPECT_THAT(child.error().what, HasSubstr("no-such-program-here"));
}

TEST_F(LineChildTest, EndsWithWhoHoldsIt) {
  auto child = Shell("echo $$; sleep 60");
  const pid_t pid = std::atoi(child->ReadLine(In(20)).value().c_str());
  ASSERT_EQ(kill(pid, 0), 0);
  child.reset();
  EXPECT_NE(kill(pid, 0), 0);
}

// Neither in its group nor in its session, and its parent is gone.
constexpr const char* kLeavesAnother =
    "(setsid sh -c 'echo $$; exec sleep 60' &); sleep 60";

TEST_F(LineChildTest, WhatItHasStartedEndsWithIt) {
  auto child = Shell(kLeavesAnother);
  const pid_t other = std::atoi(child->ReadLine(In(20)).value().c_str());
  ASSERT_EQ(kill(other, 0), 0);
  child.reset();
  EXPECT_NE(kill(other, 0), 0);
}

TEST_F(LineChildTest, WhatItHasStartedEndsOnceItHasEnded) {
  auto child = Shell("(setsid sh -c 'echo $$; exec sleep 60' &); read a");
  const pid_t other = std::atoi(child->ReadLine(In(20)).value().c_str());
  ASSERT_TRUE(child->Send("go\n", In(5)));
  EXPECT_EQ(child->ReadLine(In(20)).error().code, Errc::kUnavailable);
  child.reset();
  EXPECT_NE(kill(other, 0), 0);
}

// Whoever holds it may be killed, too.
TEST_F(LineChildTest, WhatItHasStartedEndsWithUs) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const auto child = Shell(kLeavesAnother);
    const pid_t other = std::atoi(child->ReadLine(In(20)).value().c_str());
    if (write(ends[1], &other, sizeof other) != sizeof other) _exit(1);
    raise(SIGKILL);
  }
  pid_t other = 0;
  ASSERT_EQ(read(ends[0], &other, sizeof other), ssize_t{sizeof other});
  close(ends[0]);
  close(ends[1]);
  waitpid(holder, nullptr, 0);
  const double end_s = In(20);
  while (kill(other, 0) == 0 && timer_.Monotonic() < end_s) usleep(1000);
  EXPECT_NE(kill(other, 0), 0);
}

TEST_F(LineChildTest, HasNoneOfOurVariables) {
  setenv("COPPICE_TEST_SECRET", "sesame", 1);
  const auto child = Shell("echo \"[$COPPICE_TEST_SECRET]\"");
  EXPECT_EQ(child->ReadLine(In(20)).value(), "[]");
}

}  // namespace
}  // namespace coppice::agents
