#include "eval/cuda/runner_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "eval/cuda/runner_fixture.h"

namespace coppice::eval::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Pair;

class RunnerProcessTest : public RunnerFixture {
 protected:
  // What comes of a call of code with this script.
  Outcome CallOf(const std::string& script) {
    const auto process = Started();
    EXPECT_TRUE(OpenKernel(process, script));
    const auto answer = process->Ask(RequestFor(RequestKind::kGo), 10.0);
    EXPECT_TRUE(answer) << answer.error().what;
    return *answer;
  }

  // Why it cannot be started.
  std::string WhyNot(const std::string& script) {
    auto started = RunnerProcess::Start(Options(script));
    EXPECT_TRUE(started);
    const auto ready = (*started)->Ready();
    EXPECT_FALSE(ready);
    EXPECT_EQ(ready.error().code, Errc::kUnavailable);
    return ready.error().what;
  }
};

TEST_F(RunnerProcessTest, AnAnswerIsWhatTheRunnerSaidByOurClock) {
  const auto process = Started();
  ASSERT_TRUE(OpenKernel(process, "go event=5"));
  const auto answer = process->Ask(RequestFor(RequestKind::kGo, 1), 10.0);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->verdict, Verdict::kPassed);
  EXPECT_EQ(answer->reply.sample.event_ps, 5u);
  EXPECT_GT(answer->wall_s, 0.0);
  EXPECT_EQ(process->Output(), "open 0 0 0\ngo 0 1 0\n");
}

TEST_F(RunnerProcessTest, WhatEndsItIsAVerdictWithItsReason) {
  const struct {
    const char* script;
    Verdict verdict;
    std::string log;
  } cases[] = {
      {"go fail=1 stage=2", Verdict::kCrashed,
       "invalid value: the driver does not take this launch (CUDA error 1, at "
       "a launch)"},
      {"go fail=2 stage=4", Verdict::kCrashed,
       "out of device memory (CUDA error 2, for its memory)"},
      {"go fail=200 stage=1", Verdict::kCrashed,
       "the code is not for this device (CUDA error 200, when it was loaded)"},
      {"go fail=700 stage=3", Verdict::kCrashed,
       "a kernel accessed memory out of bounds (CUDA error 700, while it ran)"},
      // A driver and a runner that come after us say so.
      {"go fail=4242 stage=9", Verdict::kCrashed,
       "see cuda.h (CUDA error 4242, some time)"},
      {"go refuse=no_kernel_is_there", Verdict::kCompileFailed,
       "no kernel is there"},
      {"go endless", Verdict::kCompileFailed, std::string(512, 'x')},
      {"go die=3", Verdict::kCrashed,
       "it ended the process with exit status 3 before its call returned"},
      {"go kill=11", Verdict::kCrashed, "killed by SIGSEGV"},
  };
  for (const auto& [script, verdict, log] : cases) {
    const Outcome outcome = CallOf(script);
    EXPECT_EQ(outcome.verdict, verdict) << script;
    EXPECT_EQ(outcome.log, log) << script;
  }
}

// Every status that has words of its own, by them.
TEST_F(RunnerProcessTest, ErrorsOfTheDriverAreSaidInWords) {
  constexpr std::pair<int, const char*> kWords[] = {
      {209, "not for this device"}, {214, "uncorrectable memory error"},
      {701, "more registers"},      {702, "ran too long"},
      {715, "illegal instruction"}, {716, "misaligned"},
      {717, "wrong space"},         {718, "jumped out"},
      {719, "a kernel failed"},     {912, "cluster"}};
  for (const auto& [status, words] : kWords) {
    EXPECT_THAT(CallOf("go fail=" + std::to_string(status)).log,
                HasSubstr(words));
  }
}

TEST_F(RunnerProcessTest, WhoSpeaksInTheRunnersNameIsRejected) {
  // Another request's answer, a part of one, and a greeting in its place.
  for (const char* script : {"go forge", "go short", "go greet"}) {
    const Outcome outcome = CallOf(script);
    EXPECT_EQ(outcome.verdict, Verdict::kRejected) << script;
    EXPECT_EQ(outcome.breach, Breach::kForgedAnswer) << script;
  }
}

// The second answer lies there when the next request is made.
TEST_F(RunnerProcessTest, AnAnswerAheadOfItsRequestIsForged) {
  const auto process = Started();
  ASSERT_TRUE(OpenKernel(process, "go twice\nwake event=1"));
  const RunnerRequest go = RequestFor(RequestKind::kGo);
  ASSERT_EQ(process->Ask(go, 10.0)->verdict, Verdict::kPassed);
  const auto answer = process->Ask(RequestFor(RequestKind::kWake), 10.0);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->breach, Breach::kForgedAnswer);
  EXPECT_EQ(answer->log,
            "it spoke in the runner's name: an answer without a request");
}

TEST_F(RunnerProcessTest, WhoDoesNotReturnInTimeIsEnded) {
  const auto process = Started();
  ASSERT_TRUE(OpenKernel(process, "go silent"));
  const auto answer = process->Ask(RequestFor(RequestKind::kGo), 0.05);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict, Verdict::kTimedOut);
  EXPECT_EQ(answer->log, "did not return within 0.05 s");
}

TEST_F(RunnerProcessTest, WaitingIsCancelledAtTheStartAndAtACall) {
  std::atomic<bool> cancelled = false;
  RunnerOptions options = Options();
  options.cancelled = &cancelled;
  const std::shared_ptr<RunnerProcess> process =
      std::move(RunnerProcess::Start(options).value());
  ASSERT_TRUE(process->Ready());
  ASSERT_TRUE(OpenKernel(process, "go silent"));
  cancelled = true;
  const auto answer = process->Ask(RequestFor(RequestKind::kGo), 10.0);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kCancelled);
  Write("helpers", "hello silent");
  auto silent = RunnerProcess::Start(options);
  const auto ready = (*silent)->Ready();
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::kCancelled);
}

TEST_F(RunnerProcessTest, WhyItDidNotStartIsSaidInALine) {
  EXPECT_EQ(WhyNot("hello fail=999"),
            "coppice-cuda-runner: did not start: see cuda.h (CUDA error 999, "
            "when it started)");
  EXPECT_EQ(WhyNot("hello refuse=cannot_confine_itself"),
            "coppice-cuda-runner: did not start: cannot confine itself");
  EXPECT_THAT(WhyNot("hello die=4"), HasSubstr("did not start: "));
}

TEST_F(RunnerProcessTest, AFileOfTheDriversThatIsMissingIsNamed) {
  std::filesystem::remove(folder_ / "nvidiactl");
  EXPECT_THAT(WhyNot(""), HasSubstr("nvidiactl"));
}

// It would otherwise not answer.
TEST_F(RunnerProcessTest, WhoWasStoppedGoesOnWhenItIsAsked) {
  const auto process = Started();
  ASSERT_TRUE(OpenKernel(process, ""));
  for (int i = 0; i < 3; ++i) {
    process->Stop();
    EXPECT_EQ(process->Ask(RequestFor(RequestKind::kGo), 10.0)->verdict,
              Verdict::kPassed);
  }
}

TEST_F(RunnerProcessTest, IsReadyForAsLongAsItIsThere) {
  const auto process = Started();
  EXPECT_TRUE(process->Ready());
}

// "from -> to" of what it binds, a device's with a star.
std::vector<std::string> BindsOf(const SandboxedProgram& program) {
  std::vector<std::string> lines;
  for (const Bind& bind : program.binds) {
    lines.push_back(bind.from.string() + " -> " + bind.to +
                    (bind.access == BindMode::kDevice ? " *" : ""));
  }
  return lines;
}

RunnerOptions OfTheSecondDevice() {
  RunnerOptions options{.runner = "/opt/runner",
                        .helpers = "/h",
                        .driver = "/usr/lib/x86_64-linux-gnu",
                        .libraries = {},
                        .device = {}};
  options.device.uuid = "GPU-1";
  options.device.minor = 1;
  return options;
}

// The driver of the system is among its libraries, which are there.
TEST(RunnerSandboxTest, HasTheDeviceAloneAndWhatItsDriverNeeds) {
  const SandboxedProgram program = SandboxOf(OfTheSecondDevice());
  EXPECT_THAT(BindsOf(program),
              ElementsAre("/opt/runner -> /coppice-cuda-runner",
                          "/dev/nvidia1 -> /dev/nvidia1 *",
                          "/dev/nvidiactl -> /dev/nvidiactl *",
                          "/dev/nvidia-uvm -> /dev/nvidia-uvm *"));
  EXPECT_THAT(
      program.environment,
      ElementsAre(Pair("CUDA_VISIBLE_DEVICES", "GPU-1"),
                  Pair("CUDA_MODULE_LOADING", "EAGER"),
                  Pair("CUDA_CACHE_DISABLE", "1"),
                  Pair("LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu")));
  EXPECT_TRUE(program.own_proc);
}

TEST(RunnerSandboxTest, ShowsWhatIsElsewhereWhereItIs) {
  RunnerOptions options = OfTheSecondDevice();
  options.driver = "/opt/driver";
  options.libraries = "/opt/cuda/lib64";
  options.profiler = "/opt/cuda/libcupti.so.13";
  const SandboxedProgram program = SandboxOf(options);
  EXPECT_THAT(BindsOf(program),
              IsSupersetOf({"/opt/driver -> /opt/driver",
                            "/opt/cuda/lib64 -> /opt/cuda/lib64",
                            "/opt/cuda/libcupti.so.13 -> /libcupti.so"}));
  EXPECT_THAT(
      program.environment,
      IsSupersetOf({Pair("LD_LIBRARY_PATH", "/opt/driver:/opt/cuda/lib64"),
                    Pair("COPPICE_CUPTI", "/libcupti.so")}));
}

}  // namespace
}  // namespace coppice::eval::cuda
