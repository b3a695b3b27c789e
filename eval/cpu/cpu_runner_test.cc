#include "eval/cpu/cpu_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "eval/cpu/bench_fixture.h"
#include "eval/host/affinity.h"

namespace coppice::eval {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint32_t kSlots = 3;

class CpuRunnerTest : public BenchFixture {
 protected:
  CpuRunnerTest() {
    const Shapes shapes = Resolve(task_.definition, task_.workloads[0]).value();
    plan_ = PlanCall(shapes, Precision::kKernel).value();
    inputs_ =
        SharedMemory::Create("inputs", FileBytes(plan_.input_stride, kSlots),
                             Sharing::kReadOnly)
            .value();
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      Put(slot, 0, static_cast<float>(10 * (slot + 1)));
      Put(slot, 1, 2.0f);
    }
  }

  // The first element of x, or the scalar a.
  void Put(std::uint32_t slot, std::size_t input, float value) {
    std::memcpy(
        inputs_.data() + slot * plan_.input_stride + plan_.inputs[input].offset,
        &value, sizeof value);
  }
  // An element of y.
  float Get(std::uint32_t slot, std::size_t element = 0) const {
    const std::size_t begin =
        plan_.outputs[0].offset - plan_.outputs[0].pages.offset;
    float value;
    std::memcpy(&value,
                session_->OutputPages(slot, 0).data() + begin + 4 * element,
                sizeof value);
    return value;
  }

  void Launch(const CpuRunnerOptions& options) {
    auto session = CpuRunner::Launch(options, plan_, inputs_, kSlots);
    ASSERT_TRUE(session) << session.error().what;
    session_ = std::move(*session);
    const auto ready = session_->Ready();
    ASSERT_TRUE(ready) << ready.error().what;
  }
  ObservedCall Load(const Program& program, const CpuRunnerOptions& options) {
    Launch(options);
    if (HasFatalFailure()) return {};
    const auto loaded = session_->Load(program);
    EXPECT_TRUE(loaded) << loaded.error().what;
    return loaded.value_or(ObservedCall{});
  }
  ObservedCall Load(const std::string& body) {
    return Load(Kernel(body), Processes());
  }
  ObservedCall Call(std::uint32_t first = 0, std::uint32_t count = 1) {
    const auto armed = session_->Arm(first + count);
    EXPECT_TRUE(armed) << armed.error().what;
    if (armed->verdict != Verdict::kPassed) return *armed;
    const auto called = session_->Call(first, count);
    EXPECT_TRUE(called) << called.error().what;
    return called.value_or(ObservedCall{});
  }
  // What becomes of a kernel when it is called.
  ObservedCall Run(const std::string& body) {
    EXPECT_EQ(Load(body).verdict, Verdict::kPassed);
    return Call();
  }

  CallPlan plan_;
  SharedMemory inputs_;
  std::unique_ptr<CpuRunner> session_;
};

TEST_F(CpuRunnerTest, EachSlotIsCalledOnceInOrder) {
  ASSERT_EQ(Load("y[0] = a * x[0]; y[1] = calls; y[2] = N;").verdict,
            Verdict::kPassed);
  const ObservedCall called = Call(1, 2);
  EXPECT_EQ(called.verdict, Verdict::kPassed) << called.log;
  EXPECT_EQ(Get(1), 40.0f);
  EXPECT_EQ(Get(2), 60.0f);
  EXPECT_EQ(Get(1, 1), 1.0f);
  EXPECT_EQ(Get(2, 1), 2.0f);
  EXPECT_EQ(Get(1, 2), 1000.0f);
  EXPECT_EQ(Get(0), 0.0f);  // Nobody wrote there.
}

TEST_F(CpuRunnerTest, WithoutACallThereIsTheDoorbellAlone) {
  ASSERT_EQ(Load("y[0] = calls;").verdict, Verdict::kPassed);
  EXPECT_EQ(Call(0, 0).verdict, Verdict::kPassed);
  EXPECT_EQ(Get(0), 0.0f);
  EXPECT_EQ(Call().verdict, Verdict::kPassed);
  EXPECT_EQ(Get(0), 1.0f);
}

// Its last byte is still there when the next call asks for as much, which by
// malloc's own rule it would not be: the first large block goes back to the
// system, and with it the pages that a second one must fault in anew.
TEST_F(CpuRunnerTest, WhatItsFirstCallFreesStaysMapped) {
  ASSERT_EQ(Load("volatile char* block = static_cast<char*>(malloc(4000000));"
                 "y[0] = block[3999999];"
                 "block[3999999] = 7;"
                 "free(const_cast<char*>(block));")
                .verdict,
            Verdict::kPassed);
  EXPECT_EQ(Call(0, 2).verdict, Verdict::kPassed);
  EXPECT_EQ(Get(0), 0.0f);
  EXPECT_EQ(Get(1), 7.0f);
}

TEST_F(CpuRunnerTest, InputsAreSeenAsTheyAreWhenItIsCalled) {
  ASSERT_EQ(Load("y[0] = a * x[0];").verdict, Verdict::kPassed);
  Call();
  Put(0, 0, 7.0f);
  Put(0, 1, 3.0f);
  Call();
  EXPECT_EQ(Get(0), 21.0f);
}

// It spins for 20 ms of a processor, by its own account.
TEST_F(CpuRunnerTest, ProcessorTimeIsByTheKernelsAccount) {
  const ObservedCall called = Run(R"(
    timespec t;
    do { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); }
    while (t.tv_sec == 0 && t.tv_nsec < 20'000'000);)");
  ASSERT_EQ(called.verdict, Verdict::kPassed) << called.log;
  EXPECT_GT(called.cpu_s, 0.005);
  EXPECT_TRUE(std::isfinite(called.cpu_s));
  EXPECT_GE(called.wall_s, called.cpu_s * 0.9);
  EXPECT_GE(called.waited_s, 0.0);
}

TEST_F(CpuRunnerTest, WhatItPrintsIsKept) {
  Run("printf(\"%g\\n\", a);");
  EXPECT_EQ(session_->Output(), "2\n");
}

TEST_F(CpuRunnerTest, HasOnlyTheGivenEnvironment) {
  setenv("COPPICE_SECRET", "leaked", 1);
  CpuRunnerOptions options = Processes();
  options.environment = {{"WORD", "given"}};
  options.threads = 2;
  ASSERT_EQ(Load(Kernel(R"(
              for (const char* name : {"OMP_NUM_THREADS", "GOMP_SPINCOUNT",
                                       "WORD", "COPPICE_SECRET", "HOME"}) {
                const char* value = getenv(name);
                printf("%s\n", value ? value : "-");
              })"),
                 options)
                .verdict,
            Verdict::kPassed);
  Call();
  EXPECT_EQ(session_->Output(), "2\n1000000\ngiven\n-\n-\n");
}

TEST_F(CpuRunnerTest, WhatCannotBeLoadedIsToldWhy) {
  const auto path = std::filesystem::path(testing::TempDir()) / "no_object";
  std::ofstream(path) << "text";
  const ObservedCall text = Load({path, "run"}, Processes());
  EXPECT_EQ(text.verdict, Verdict::kCrashed);
  EXPECT_THAT(text.log, StartsWith("it could not be loaded: "));
  Program walk = Scale();
  walk.entry = "walk";
  const ObservedCall missing = Load(walk, Processes());
  EXPECT_EQ(missing.verdict, Verdict::kCrashed);
  EXPECT_THAT(missing.log, HasSubstr("undefined symbol: walk"));
}

TEST_F(CpuRunnerTest, AnObjectThatIsNotThereIsOurFault) {
  Launch(Processes());
  const auto loaded = session_->Load({"/nowhere/kernel.so", "run"});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().what,
            "/nowhere/kernel.so: No such file or directory");
}

// Where it stands, no file of ours is left.
TEST_F(CpuRunnerTest, LeavesNoFile) {
  CpuRunnerOptions options = Processes();
  options.scratch = std::filesystem::path(testing::TempDir()) / "scratch";
  std::filesystem::create_directories(options.scratch);
  Launch(options);
  EXPECT_TRUE(std::filesystem::is_empty(options.scratch));
  {  // Nor of one that was not waited for.
    const auto early = CpuRunner::Launch(options, plan_, inputs_, kSlots);
    ASSERT_TRUE(early);
    EXPECT_FALSE(std::filesystem::is_empty(options.scratch));
  }
  EXPECT_TRUE(std::filesystem::is_empty(options.scratch));
  std::filesystem::remove_all(options.scratch);
}

TEST_F(CpuRunnerTest, WhatIsNoRunnerDoesNotStart) {
  CpuRunnerOptions options = Processes();
  options.runner = "/usr/bin/true";
  auto session = CpuRunner::Launch(options, plan_, inputs_, kSlots);
  ASSERT_TRUE(session) << session.error().what;
  const auto ready = (*session)->Ready();
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::kUnavailable);
  EXPECT_THAT(ready.error().what,
              StartsWith("coppice-runner: did not start: "));
}

TEST_F(CpuRunnerTest, AScratchFolderThatIsNotThereIsNamed) {
  CpuRunnerOptions options = Processes();
  options.scratch = "/nowhere";
  const auto session = CpuRunner::Launch(options, plan_, inputs_, kSlots);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().what, "/nowhere: No such file or directory");
}

TEST_F(CpuRunnerTest, WaitingCanBeCancelled) {
  std::atomic<bool> cancelled = false;
  CpuRunnerOptions options = Processes();
  options.cancelled = &cancelled;
  ASSERT_EQ(Load(Kernel("for (volatile int i = 0;;) i = 1;"), options).verdict,
            Verdict::kPassed);
  ASSERT_TRUE(session_->Arm(1));
  cancelled = true;
  const auto called = session_->Call(0, 1);
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().code, Errc::kCancelled);
  auto early = CpuRunner::Launch(options, plan_, inputs_, kSlots);
  ASSERT_TRUE(early);
  EXPECT_EQ((*early)->Ready().error().code, Errc::kCancelled);
}

TEST_F(CpuRunnerTest, WhoDoesNotReturnIsStopped) {
  CpuRunnerOptions options = Processes();
  options.timeout_s = 0.25;
  ASSERT_EQ(Load(Kernel("for (volatile int i = 0;;) i = 1;"), options).verdict,
            Verdict::kPassed);
  const ObservedCall called = Call();
  EXPECT_EQ(called.verdict, Verdict::kTimedOut);
  EXPECT_EQ(called.log, "did not return within 0.25 s");
  const ObservedCall loaded =
      Load(Build("struct S { S() { for (volatile int i = 0;;) i = 1; } } s;"
                 "extern \"C\" void run() {}"),
           options);
  EXPECT_EQ(loaded.verdict, Verdict::kTimedOut);
  EXPECT_EQ(loaded.log,
            "loading it (its static constructors) did not return within 0.25 "
            "s");
}

struct KernelDeath {
  const char* name;
  const char* body;
  const char* log;
};

class DeadKernelTest : public CpuRunnerTest,
                       public testing::WithParamInterface<KernelDeath> {};

TEST_P(DeadKernelTest, IsExplained) {
  const ObservedCall called = Run(GetParam().body);
  EXPECT_EQ(called.verdict, Verdict::kCrashed);
  EXPECT_EQ(called.breach, Breach::kNone);
  EXPECT_THAT(called.log, StartsWith(GetParam().log));
}

// x and y begin 64 bytes within their pages: 1008 floats further is the guard
// behind them, and 1024 before is the one before.
constexpr KernelDeath kDeaths[] = {
    {"Exit", "_exit(3);",
     "it ended the process with exit status 3 before its call returned"},
    {"Null", "*(volatile int*)0 = 1;", "killed by SIGSEGV: bad access at 0x0"},
    {"Input", "((volatile float*)x)[0] = 1;",
     "killed by SIGSEGV: it wrote to an input or accessed one out of bounds, "
     "at 0x"},
    {"BeyondAnInput", "y[0] = ((volatile const float*)x)[1008];",
     "killed by SIGSEGV: it wrote to an input or accessed one out of bounds, "
     "at 0x"},
    {"BeyondAnOutput", "((volatile float*)y)[1008] = 1;",
     "killed by SIGSEGV: it accessed an output out of bounds, at 0x"},
    {"BeforeAnOutput", "((volatile float*)y)[-1024] = 1;",
     "killed by SIGSEGV: it accessed an output out of bounds, at 0x"},
    {"Abort", "abort();", "killed by SIGABRT"},
    {"Division", "volatile int zero = 0; y[0] = 7 / zero;", "killed by SIGFPE"},
    {"Socket", "socket(AF_INET, SOCK_STREAM, 0);",
     "killed by SIGSYS: the system call socket is not allowed"},
    {"OldCall", "long p; asm volatile(\"int $0x80\" : \"=a\"(p) : \"a\"(20));",
     "killed by SIGSYS: a system call of another architecture is not allowed"},
};

INSTANTIATE_TEST_SUITE_P(, DeadKernelTest, testing::ValuesIn(kDeaths),
                         [](const auto& tested) { return tested.param.name; });

// What a runner says: a kind, of which 4 is "done", and the number of the
// request.  Loading was the first, making slots resident the second, so that
// the call is the third.
constexpr char kSay[] = R"(
    struct { uint32_t kind, nothing; uint64_t number; } word{4, 0, 3};)";

TEST_F(CpuRunnerTest, AnAnswerInTheRunnersNameIsForged) {
  for (const char* speech : {"word.number = 99; write(3, &word, sizeof word);",
                             "word.kind = 3; write(3, &word, sizeof word);",
                             "write(3, &word, 5);"}) {
    const ObservedCall called = Run(std::string(kSay) + speech);
    EXPECT_EQ(called.verdict, Verdict::kRejected) << speech;
    EXPECT_EQ(called.breach, Breach::kForgedAnswer) << speech;
  }
}

// The right one: the runner's own is then an answer without a request.
TEST_F(CpuRunnerTest, AnAnswerTooManyIsForged) {
  Run(std::string(kSay) + "write(3, &word, sizeof word);");
  const ObservedCall next = Call();
  EXPECT_EQ(next.verdict, Verdict::kRejected);
  EXPECT_EQ(next.breach, Breach::kForgedAnswer);
}

TEST_F(CpuRunnerTest, ItsThreadsAreCounted) {
  constexpr char kThread[] = R"(
    static pthread_t thread;
    pthread_create(&thread, nullptr,
                   [](void* p) { for (;;) pause(); return p; }, nullptr);)";
  ASSERT_EQ(Load("").verdict, Verdict::kPassed);
  EXPECT_EQ(session_->CountThreads(), 1u);
  Run(kThread);
  EXPECT_EQ(session_->CountThreads(), 2u);
  Call();
  EXPECT_EQ(session_->CountThreads(), 3u);
}

TEST_F(CpuRunnerTest, ItIsKeptToAProcessor) {
  constexpr char kWhere[] = R"(
    cpu_set_t all; CPU_ZERO(&all);
    sched_getaffinity(0, sizeof all, &all);
    y[0] = CPU_COUNT(&all); y[1] = sched_getcpu();)";
  const std::vector<int> processors = ProcessorsOf(0);
  CpuRunnerOptions options = Processes();
  options.processors = processors;
  ASSERT_EQ(Load(Kernel(kWhere), options).verdict, Verdict::kPassed);
  Call();
  EXPECT_EQ(Get(0), static_cast<float>(processors.size()));
  session_->KeepTo(processors.back());
  Call();
  EXPECT_EQ(Get(0), 1.0f);
  EXPECT_EQ(Get(0, 1), static_cast<float>(processors.back()));
  session_->KeepTo(std::nullopt);
  Call();
  EXPECT_EQ(Get(0), static_cast<float>(processors.size()));
}

// One for each thread that it may have, if nothing else is said.
TEST_F(CpuRunnerTest, HasAsManyProcessorsAsThreads) {
  ASSERT_EQ(Load(R"(
    cpu_set_t all; CPU_ZERO(&all);
    sched_getaffinity(0, sizeof all, &all);
    y[0] = CPU_COUNT(&all);)")
                .verdict,
            Verdict::kPassed);
  Call();
  EXPECT_EQ(Get(0), 1.0f);
}

}  // namespace
}  // namespace coppice::eval
