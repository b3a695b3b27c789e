#include "agents/line_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

#include "agents/test_timer.h"

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

TEST_F(LineChildTest, HasNoneOfOurVariables) {
  setenv("COPPICE_TEST_SECRET", "sesame", 1);
  const auto child = Shell("echo \"[$COPPICE_TEST_SECRET]\"");
  EXPECT_EQ(child->ReadLine(In(20)).value(), "[]");
}

}  // namespace
}  // namespace coppice::agents
