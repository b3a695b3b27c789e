#include "eval/sandbox/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace coppice::eval {
namespace {

using testing::HasSubstr;

struct Ended {
  int status = -1;
  std::string output;
};

// Every rule holds whoever sets the sandbox up.
class SandboxTest : public testing::TestWithParam<Jailer> {
 protected:
  enum class Proc { kNone, kOwn };

  // The script has these descriptors as 3, 4, ...
  Ended RunScript(const std::string& script, std::vector<int> descriptors = {},
                  Proc proc = Proc::kNone, std::vector<Bind> binds = {});
};

INSTANTIATE_TEST_SUITE_P(, SandboxTest,
                         testing::Values(Jailer::kBubblewrap, Jailer::kOwn),
                         [](const auto& tested) {
                           return tested.param == Jailer::kOwn ? "Own"
                                                               : "Bubblewrap";
                         });

Ended SandboxTest::RunScript(const std::string& script,
                             std::vector<int> descriptors, Proc proc,
                             std::vector<Bind> binds) {
  binds.push_back({"/usr/bin", "/usr/bin"});
  auto process =
      Sandboxed::Launch({.arguments = {"/usr/bin/bash", "-c", script},
                         .environment = {{"WORD", "given"}},
                         .binds = std::move(binds),
                         .descriptors = std::move(descriptors),
                         .own_proc = proc == Proc::kOwn,
                         .jailer = GetParam()});
  EXPECT_TRUE(process) << process.error().what;
  if (!process) return {};
  EXPECT_EQ(process->Wait(For(10.0, nullptr)), Waited::kReady);
  return {process->ExitStatus().value_or(-1), process->Output()};
}

TEST_P(SandboxTest, AProbeOfThisMachinePasses) {
  auto probe = ProbeSandbox(GetParam());
  EXPECT_TRUE(probe) << probe.error().what;
}

TEST_P(SandboxTest, ReportsStatusAndSignals) {
  EXPECT_EQ(RunScript("exit 7").status, 7);
  EXPECT_EQ(RunScript("kill -SEGV $$").status, 128 + 11);
  EXPECT_EQ(SignalName(11), "SIGSEGV");
}

// A terminal sends them to whatever is of our process group still.
TEST_P(SandboxTest, SignalsThatAskUsToStopDoNotEndIt) {
  EXPECT_EQ(RunScript("for s in INT QUIT TERM HUP; do kill -$s $$; done; "
                      "echo lives")
                .output,
            "lives\n");
}

TEST_P(SandboxTest, AnEndWithoutAWordHasAReason) {
  const auto why = [](const std::string& script) {
    auto process =
        Sandboxed::Launch({.arguments = {"/usr/bin/bash", "-c", script},
                           .environment = {},
                           .binds = {{"/usr/bin", "/usr/bin"}},
                           .descriptors = {},
                           .jailer = GetParam()});
    if (!process) return process.error().what;
    process->Wait(For(10.0, nullptr));
    return process->WhyItEnded();
  };
  EXPECT_EQ(why("echo no memory; exit 1"), "no memory");
  EXPECT_EQ(why("exit 7"), "it ended with status 7, and said nothing");
  EXPECT_EQ(why("kill -SEGV $$"),
            "it was killed by SIGSEGV, and had said nothing");
  EXPECT_EQ(why("kill -KILL $$"),
            "it was killed by SIGKILL, as for want of memory, and had said "
            "nothing");
}

TEST_P(SandboxTest, CollectsBothOutputs) {
  EXPECT_EQ(RunScript("echo one; echo two >&2").output, "one\ntwo\n");
}

TEST_P(SandboxTest, HasAnEmptyEnvironmentButWhatIsGiven) {
  setenv("COPPICE_SECRET", "leaked", 1);
  const Ended ended = RunScript("echo $WORD $COPPICE_SECRET $HOME");
  EXPECT_EQ(ended.output, "given\n");
}

TEST_P(SandboxTest, SeesNoFilesOfTheHost) {
  const Ended ended = RunScript("cd /; echo *; echo /tmp/* /usr/*");
  EXPECT_EQ(ended.output,
            "lib lib64 tmp usr\n/tmp/* /usr/bin /usr/lib /usr/lib64\n");
}

// A shell needs more than a kernel, so that a program that lists them is
// given by itself.
TEST_P(SandboxTest, OffersAKernelOnlyWhatItIsLinkedWith) {
  const auto run = [](const char* program) {
    auto process = Sandboxed::Launch({.arguments = {"/program"},
                                      .environment = {},
                                      .binds = {{program, "/program"}},
                                      .descriptors = {},
                                      .libraries = Libraries::kRuntime,
                                      .jailer = GetParam()});
    EXPECT_TRUE(process) << process.error().what;
    EXPECT_EQ(process->Wait(For(10.0, nullptr)), Waited::kReady);
    return Ended{process->ExitStatus().value_or(-1), process->Output()};
  };
  EXPECT_EQ(run("/usr/bin/true").status, 0);
  const Ended bash = run("/usr/bin/bash");
  EXPECT_EQ(bash.status, 127);
  EXPECT_THAT(bash.output, HasSubstr("libtinfo.so"));
}

TEST_P(SandboxTest, WritesOnlyToItsOwnTmp) {
  EXPECT_EQ(RunScript("echo x > /tmp/file && cat /tmp/file").output, "x\n");
  EXPECT_NE(RunScript("echo x > /file").status, 0);
  EXPECT_NE(RunScript("echo x > /usr/lib/file").status, 0);
}

TEST_P(SandboxTest, InheritsNoDescriptorThatWasNotPassed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // Without O_CLOEXEC.
  const Ended ended = RunScript(
      "exec 2>/tmp/errors; for ((i = 3; i < 100; ++i)); do : >&$i && echo $i; "
      "done; true",
      {ends[1]});
  EXPECT_EQ(ended.output, "3\n");
  close(ends[0]);
  close(ends[1]);
}

TEST_P(SandboxTest, ShowsItsOwnProcessesOnlyIfAsked) {
  const std::string script = "cd /proc && echo $$ [0-9]*";
  EXPECT_NE(RunScript(script).status, 0);
  EXPECT_EQ(RunScript(script, {}, Proc::kOwn).output, "2 1 2\n");
}

TEST_P(SandboxTest, HasNoRightsAndCanGetNone) {
  const Ended ended = RunScript(
      "while read name value; do case $name in Cap*|NoNew*) echo "
      "$name $value;; esac; done < /proc/self/status",
      {}, Proc::kOwn);
  EXPECT_EQ(ended.output,
            "CapInh: 0000000000000000\nCapPrm: 0000000000000000\n"
            "CapEff: 0000000000000000\nCapBnd: 0000000000000000\n"
            "CapAmb: 0000000000000000\nNoNewPrivs: 1\n");
}

// Root may write some of the kernel's settings without any right.
TEST_P(SandboxTest, ChangesNoSettingOfTheKernel) {
  EXPECT_NE(
      RunScript("echo x > /proc/sys/kernel/domainname", {}, Proc::kOwn).status,
      0);
}

TEST(ChosenJailerTest, IsOurOwnWhereThatCanSetASandboxUp) {
  if (!ProbeSandbox(Jailer::kOwn)) GTEST_SKIP() << "our own jail cannot";
  EXPECT_EQ(ChosenJailer(), Jailer::kOwn);
}

// Bubblewrap's can be, and written to as well: see ChosenJailer.
TEST_P(SandboxTest, CannotLookIntoTheFirstProcessOfOurOwn) {
  if (GetParam() == Jailer::kBubblewrap) return;
  EXPECT_NE(RunScript(": < /proc/1/mem", {}, Proc::kOwn).status, 0);
}

TEST_P(SandboxTest, OpensDevicesOnlyIfTheyAreBoundAsSuch) {
  const std::string script = "exec 3</dev/zero";
  const Bind zero{"/dev/zero", "/dev/zero"};
  EXPECT_NE(RunScript(script, {}, Proc::kNone, {zero}).status, 0);
  Bind device = zero;
  device.access = BindMode::kDevice;
  EXPECT_EQ(RunScript(script, {}, Proc::kNone, {device}).status, 0);
}

TEST_P(SandboxTest, AProgramThatIsNotThereHasNoStatus) {
  auto process = Sandboxed::Launch({.arguments = {"/usr/bin/absent"},
                                    .environment = {},
                                    .binds = {{"/usr/bin", "/usr/bin"}},
                                    .descriptors = {},
                                    .jailer = GetParam()});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_EQ(process->Wait(For(10.0, nullptr)), Waited::kReady);
  EXPECT_NE(process->ExitStatus().value_or(1), 0);
  EXPECT_THAT(process->Output(), HasSubstr("/usr/bin/absent"));
}

TEST_P(SandboxTest, HasNoNetwork) {
  EXPECT_NE(RunScript("exec 3<>/dev/tcp/127.0.0.1/22").status, 0);
}

TEST_P(SandboxTest, KillEndsEveryProcessInside) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  auto process =
      Sandboxed::Launch({.arguments = {"/usr/bin/bash", "-c",
                                       "(sleep 100 & sleep 100) & sleep 100"},
                         .environment = {},
                         .binds = {{"/usr/bin", "/usr/bin"}},
                         .descriptors = {ends[1]},
                         .jailer = GetParam()});
  ASSERT_TRUE(process) << process.error().what;
  close(ends[1]);
  EXPECT_EQ(process->Wait(For(0.05, nullptr)), Waited::kTimedOut);
  process->Kill();
  EXPECT_FALSE(process->ExitStatus().has_value());
  // The last writer's death is the end of the pipe.
  EXPECT_EQ(WaitReadable(ends[0], For(5.0, nullptr)), Waited::kReady);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

// However far its set-up had come: 40 kills, 0 to 4 ms after the launch.
TEST_P(SandboxTest, AnEarlyKillLeavesNobodyBehind) {
  for (int i = 0; i < 40; ++i) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    auto process = Sandboxed::Launch({.arguments = {"/usr/bin/sleep", "100"},
                                      .environment = {},
                                      .binds = {{"/usr/bin", "/usr/bin"}},
                                      .descriptors = {ends[1]},
                                      .jailer = GetParam()});
    ASSERT_TRUE(process) << process.error().what;
    close(ends[1]);
    usleep(static_cast<useconds_t>(i * 100));
    process->Kill();
    EXPECT_EQ(WaitReadable(ends[0], For(5.0, nullptr)), Waited::kReady);
    close(ends[0]);
  }
}

TEST_P(SandboxTest, WaitingCanBeCancelled) {
  std::atomic<bool> cancelled = true;
  auto process = Sandboxed::Launch({.arguments = {"/usr/bin/sleep", "100"},
                                    .environment = {},
                                    .binds = {{"/usr/bin", "/usr/bin"}},
                                    .descriptors = {},
                                    .jailer = GetParam()});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_EQ(process->Wait(For(50.0, &cancelled)), Waited::kCancelled);
}

TEST_P(SandboxTest, AFailedSetUpIsNoExitStatus) {
  auto process = Sandboxed::Launch({.arguments = {"/usr/bin/true"},
                                    .environment = {},
                                    .binds = {{"/nowhere/at/all", "/usr/bin"}},
                                    .descriptors = {},
                                    .jailer = GetParam()});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_EQ(process->Wait(For(10.0, nullptr)), Waited::kReady);
  EXPECT_FALSE(process->ExitStatus().has_value());
  EXPECT_THAT(process->Output(), HasSubstr("/nowhere/at/all"));
}

TEST_P(SandboxTest, BeginsInItsTmpOnAHostWithoutAName) {
  EXPECT_EQ(RunScript("pwd; read -r name < /proc/sys/kernel/hostname; "
                      "echo $name",
                      {}, Proc::kOwn)
                .output,
            "/tmp\nsandbox\n");
}

// 16 MiB of its own, of which 15 fit and 17 do not.
TEST_P(SandboxTest, ItsTmpHasTheSizeThatIsGiven) {
  const auto writes = [this](int mebibytes) {
    return RunScript("head -c " + std::to_string(mebibytes) +
                         "M </zero >/tmp/file 2>/dev/null",
                     {}, Proc::kNone,
                     {{"/dev/zero", "/zero", BindMode::kDevice},
                      {"/dev/null", "/dev/null", BindMode::kDevice}})
        .status;
  };
  EXPECT_EQ(writes(15), 0);
  EXPECT_NE(writes(17), 0);
}

TEST_P(SandboxTest, AFolderIsWrittenToOnlyIfThatIsGiven) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "sandbox_folder";
  std::filesystem::create_directories(folder);
  EXPECT_NE(
      RunScript("echo x > /out/a", {}, Proc::kNone, {{folder, "/out"}}).status,
      0);
  EXPECT_EQ(RunScript("echo x > /out/b", {}, Proc::kNone,
                      {{folder, "/out", BindMode::kWritable}})
                .status,
            0);
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_TRUE(std::filesystem::exists(folder / "b"));
  std::filesystem::remove_all(folder);
}

TEST_P(SandboxTest, ItsFoldersAreNobodyElsesToWriteIn) {
  EXPECT_EQ(RunScript("stat -c %a / /tmp").output, "755\n755\n");
}

// Deep in folders that are not there, and of a file alone.
TEST_P(SandboxTest, ABindMakesItsPlace) {
  EXPECT_EQ(RunScript("read -r word < /a/b/c; echo $word; echo /a/*; "
                      "echo x 2>/dev/null > /a/d || echo no",
                      {}, Proc::kNone,
                      {{"/proc/sys/kernel/ostype", "/a/b/c"},
                       {"/dev/null", "/dev/null", BindMode::kDevice}})
                .output,
            "Linux\n/a/b\nno\n");
}

// 64 KiB, where it goes on.
TEST_P(SandboxTest, OfManyWordsTheFirstAreKept) {
  const Ended ended =
      RunScript("for ((i = 0; i < 7000; ++i)); do echo 0123456789; done");
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.output.size(), 65536u);
}

TEST_P(SandboxTest, WhoGoesOnOrWasEndedHasNoStatus) {
  auto process = Sandboxed::Launch({.arguments = {"/usr/bin/sleep", "100"},
                                    .environment = {},
                                    .binds = {{"/usr/bin", "/usr/bin"}},
                                    .descriptors = {},
                                    .jailer = GetParam()});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_FALSE(process->ExitStatus().has_value());
  EXPECT_EQ(process->WhyItEnded(), "it has not ended, and says nothing");
  Sandboxed moved = std::move(*process);
  process->Kill();  // It has nothing any more.
  EXPECT_EQ(moved.Wait(For(0.0, nullptr)), Waited::kTimedOut);
  moved.Kill();
  EXPECT_EQ(moved.WhyItEnded(), "it was ended, and had said nothing");
  moved.Kill();
  EXPECT_FALSE(moved.ExitStatus().has_value());
}

TEST_P(SandboxTest, StatusesAreThoseOfTheProgram) {
  EXPECT_EQ(RunScript("exit 0").status, 0);
  EXPECT_EQ(RunScript("exit 255").status, 255);
  EXPECT_EQ(RunScript("kill -KILL $$").status, 128 + 9);
  // Children that outlive it change nothing.
  EXPECT_EQ(RunScript("(exit 3) & wait; exit 5").status, 5);
}

TEST(SignalNameTest, WhatHasNoNameIsANumber) {
  EXPECT_EQ(SignalName(9), "SIGKILL");
  EXPECT_EQ(SignalName(99), "signal 99");
}

}  // namespace
}  // namespace coppice::eval
