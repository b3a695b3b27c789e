#include "agents/provider/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "agents/provider/test_timer.h"

namespace coppice::agents {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Result<ChildOutput> Shell(const std::string& script,
                          ChildOptions options = {}) {
  options.arguments = {"sh", "-c", script};
  RealTimer timer;
  return RunChild(options, timer);
}

TEST(SplitCommandTest, SplitsAsAShellDoes) {
  EXPECT_THAT(SplitCommand("a  b\tc").value(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(SplitCommand(R"(a 'b c' "d 'e" f\ g h"i"'j')").value(),
              ElementsAre("a", "b c", "d 'e", "f g", "hij"));
  EXPECT_THAT(SplitCommand(R"(a '' "\"" '\')").value(),
              ElementsAre("a", "", "\"", "\\"));
  EXPECT_THAT(SplitCommand("a $HOME *").value(),
              ElementsAre("a", "$HOME", "*"));
}

TEST(SplitCommandTest, WhatIsNoCommandIsAnError) {
  for (const char* text : {"", " \t", "a 'b", "\"", "''"}) {
    EXPECT_EQ(SplitCommand(text).error().code, Errc::kUsage) << text;
  }
}

TEST(ChildTest, TextGoesInAndComesOut) {
  ChildOptions options;
  options.input = std::string(1 << 20, 'x') + "end";  // More than a pipe holds.
  const ChildOutput output =
      Shell("cat; echo oops >&2; exit 3", options).value();
  EXPECT_EQ(output.out, options.input);
  EXPECT_EQ(output.errors, "oops\n");
  EXPECT_EQ(output.exit_code, 3);
}

TEST(ChildTest, VariablesTakeTheirPlace) {
  ChildOptions options;
  options.environment = ChildEnvironment::kOurs;
  options.variables = {"HOME=mine", "OTHER=a \"b\" $c"};
  EXPECT_EQ(Shell("echo \"$HOME $OTHER\"", options).value().out,
            "mine a \"b\" $c\n");
}

TEST(ChildTest, InputThatNobodyReadsIsNoError) {
  ChildOptions options;
  options.input = std::string(1 << 20, 'x');
  EXPECT_EQ(Shell("exit 0", options).value().exit_code, 0);
}

TEST(ChildTest, ASignalIsAnExitCodeToo) {
  EXPECT_EQ(Shell("kill -9 $$").value().exit_code, 128 + SIGKILL);
}

TEST(ChildTest, AProgramThatIsNotThereIsNotFound) {
  RealTimer timer;
  ChildOptions options;
  options.arguments = {"no-such-program-xyz"};
  const auto output = RunChild(options, timer);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Errc::kNotFound);
  EXPECT_THAT(output.error().what, HasSubstr("no-such-program-xyz"));
}

TEST(ChildTest, TheEnvironmentIsScrubbed) {
  setenv("COPPICE_TEST_SECRET", "sk-secret", 1);
  EXPECT_THAT(Shell("env").value().out,
              AllOf(HasSubstr("PATH="), Not(HasSubstr("sk-secret"))));
  ChildOptions passed;
  passed.passed = {"COPPICE_TEST_SECRET"};
  EXPECT_THAT(Shell("env", passed).value().out, HasSubstr("sk-secret"));
  ChildOptions ours;
  ours.environment = ChildEnvironment::kOurs;
  EXPECT_THAT(Shell("env", ours).value().out, HasSubstr("sk-secret"));
  unsetenv("COPPICE_TEST_SECRET");
}

TEST(ChildTest, ItInheritsNoDescriptors) {
  EXPECT_EQ(Shell("ls /proc/self/fd | tr '\\n' ' '").value().out, "0 1 2 3 ");
}

TEST(ChildTest, TooMuchOutputEndsIt) {
  ChildOptions options;
  options.output_limit = 100'000;
  const auto output = Shell("yes", options);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Errc::kCorrupt);
}

TEST(ChildTest, OfItsComplaintsTheLastAreKept) {
  const std::string errors =
      Shell("yes complaint | head -c 200000 >&2; echo last >&2").value().errors;
  EXPECT_LE(errors.size(), 16384u);
  EXPECT_TRUE(errors.ends_with("last\n"));
}

TEST(ChildTest, TimeIsLimited) {
  ChildOptions options;
  options.timeout_s = 0.1;
  // One that ignores the polite signal is killed.
  const auto output =
      Shell("trap '' TERM; sleep 100 & wait; sleep 100", options);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Errc::kTimeout);
}

// The grandchild holds the output open and notes that it lives.
TEST(ChildTest, NothingIsLeftOfItsGroup) {
  const std::string note =
      testing::TempDir() + "coppice_child_" + std::to_string(getpid());
  const ChildOutput output =
      Shell("sleep 1000 & echo $! > " + note + "; echo done").value();
  EXPECT_EQ(output.out, "done\n");
  pid_t grandchild = 0;
  std::ifstream(note) >> grandchild;
  std::filesystem::remove(note);
  ASSERT_GT(grandchild, 0);
  // Killed; whoever adopted it reaps it soon.
  RealTimer timer;
  for (int i = 0; i < 100 && kill(grandchild, 0) == 0; ++i) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string id, name, state;
    if (stat >> id >> name >> state && state == "Z") break;
    timer.Wait(0.05, nullptr);
    ASSERT_LT(i, 99) << "it lives";
  }
}

// Then the system reaps children, and nobody can wait for one.
TEST(ChildTest, WhereChildrenAreNotWaitedForItsEndIsSeenAllTheSame) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  ChildOptions options;
  options.timeout_s = 5;
  const auto output = Shell("exit 3", options);
  std::signal(SIGCHLD, before);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Errc::kIo);
}

TEST(ChildTest, CancellingEndsIt) {
  std::atomic<bool> cancel = false;
  ChildOptions options;
  options.cancel = &cancel;
  options.on_output = [&](std::size_t) { cancel = true; };
  const auto output = Shell("echo started; sleep 1000", options);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Errc::kCancelled);
}

}  // namespace
}  // namespace coppice::agents
