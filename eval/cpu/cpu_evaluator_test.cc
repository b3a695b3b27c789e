// Hostile kernels, each with its verdict, and honest ones that must pass.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eval/formats/test_tasks.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/sandbox/compile_cache.h"
#include "store/records/evaluation.h"
#include "store/records/outcome.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Shared by all tests of this program, which often run one per process.
fs::path CacheDirectory() { return COPPICE_TEST_CACHE; }

CpuEvaluatorOptions Options() {
  CpuEvaluatorOptions options;
  options.cache_directory = CacheDirectory();
  options.runner = COPPICE_RUNNER;
  options.compile_timeout_s = 20.0;
  options.call_timeout_s = 2.0;
  options.input_seed = 42;
  return options;
}

class CpuEvaluatorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto made = MakeCpuEvaluator(Options());
    ASSERT_TRUE(made) << made.error().what;
    evaluator = made->release();
  }
  static void TearDownTestSuite() { delete std::exchange(evaluator, nullptr); }

  // Judges once more where a busy machine cannot tell.
  static Evaluation Judge(const Task& task, const std::string& source,
                          Tier tier = Tier::kFast) {
    constexpr int kTimes = 5;
    Evaluation last;
    for (int i = 0; i < kTimes; ++i) {
      auto evaluation = evaluator->Evaluate(task, Cpp(source), tier);
      EXPECT_TRUE(evaluation) << evaluation.error().what;
      last = evaluation.value_or(Evaluation{});
      if (last.verdict != Verdict::kInconclusive) break;
    }
    return last;
  }

  static inline Evaluator* evaluator = nullptr;
};

struct Hostile {
  const char* name;
  Verdict verdict;
  const char* log;  // Somewhere in it.
  const char* source;
};

void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << hostile.name;
}

class HostileKernelTest : public CpuEvaluatorTest,
                          public testing::WithParamInterface<Hostile> {};

TEST_P(HostileKernelTest, GetsItsVerdict) {
  // Everything that a source below may want; `RUN` is the entry.
  const std::string source = std::string(R"(
    #include <cmath>
    #include <cstdint>
    #include <cstdio>
    #include <cstdlib>
    #include <cstring>
    #include <initializer_list>
    #include <fcntl.h>
    #include <signal.h>
    #include <sys/socket.h>
    #include <unistd.h>
    #define RUN extern "C" void run(const float* x, float a, float* y, int64_t N)
    [[maybe_unused]] static void Scale(const float* x, float a, float* y,
                                       int64_t N) {
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
    }
  )") + GetParam().source;
  const Evaluation evaluation = Judge(ScaleTask(), source);
  EXPECT_EQ(evaluation.verdict, GetParam().verdict)
      << Name(evaluation.verdict) << ": " << evaluation.log;
  EXPECT_THAT(evaluation.log, HasSubstr(GetParam().log));
  EXPECT_FALSE(evaluation.runtime_s.has_value());
  // All that are rejected here speak for the runner.
  EXPECT_EQ(evaluation.breach, GetParam().verdict == Verdict::kRejected
                                   ? Breach::kForgedAnswer
                                   : Breach::kNone);
}

constexpr Hostile kHostile[] = {
    {"SyntaxError", Verdict::kCompileFailed, "kernel.cc:", "RUN { y[0] = }"},
    {"MissingEntry", Verdict::kCompileFailed, "entry is missing",
     "void walk() {}"},
    {"MangledEntry", Verdict::kCompileFailed, "entry is missing",
     "void run(const float*, float, float*, int64_t) {}"},
    {"UndefinedSymbol", Verdict::kCompileFailed, "undefined reference",
     "void Elsewhere(); RUN { Elsewhere(); }"},
    {"IncludesAHostFile", Verdict::kCompileFailed, "No such file",
     "#include \"/etc/shadow\"\nRUN {}"},
    {"EmbedsAHostFile", Verdict::kCompileFailed,
     "kernel.s:4: Error: file not found",
     "asm(\".incbin \\\"/etc/passwd\\\"\"); RUN {}"},
    {"RecursiveTemplate", Verdict::kCompileFailed, "template instantiation",
     "template <int n> struct Deep { static constexpr int v = Deep<n + 1>::v; "
     "};"
     "RUN { y[0] = Deep<0>::v; }"},
    {"EndlessConstexpr", Verdict::kCompileFailed, "constexpr",
     "constexpr int F() { int i = 1; while (i) i = 3 - i; return i; }"
     "RUN { constexpr int v = F(); y[0] = v; }"},
    {"InfiniteLoop", Verdict::kTimedOut, "did not return within 2 s",
     "RUN { volatile int i = 1; while (i) {} }"},
    {"InfiniteLoopInAConstructor", Verdict::kTimedOut, "static constructors",
     "struct S { S() { volatile int i = 1; while (i) {} } } s; RUN {}"},
    {"NullDereference", Verdict::kCrashed, "SIGSEGV: bad access at 0x0",
     "RUN { *static_cast<volatile int*>(nullptr) = 1; }"},
    {"StackOverflow", Verdict::kCrashed, "SIGSEGV",
     "int F(volatile int* p) { volatile int q[1000]; q[0] = *p;"
     "  return q[0] ? F(q) + q[1] : 0; }"
     "RUN { volatile int one = 1; y[0] = float(F(&one)); }"},
    {"Abort", Verdict::kCrashed, "SIGABRT", "RUN { std::abort(); }"},
    {"Exception", Verdict::kCrashed, "SIGABRT", "RUN { throw 1; }"},
    {"Exit", Verdict::kCrashed, "exit status 0",
     "RUN { Scale(x, a, y, N); std::exit(0); }"},
    {"ExitInAConstructor", Verdict::kCrashed, "exit status 0",
     "struct S { S() { _exit(0); } } s; RUN {}"},
    {"ForkBomb", Verdict::kCrashed, "system call clone is not allowed",
     "RUN { for (;;) fork(); }"},
    {"ThreadBomb", Verdict::kCrashed, "more than 1024 threads",
     "#include <pthread.h>\n"
     "RUN { pthread_attr_t small; pthread_attr_init(&small);"
     "  pthread_attr_setstacksize(&small, 16384); pthread_t t;"
     "  for (;;) pthread_create(&t, &small, [](void* p) { sleep(9); return p; "
     "},"
     "                          nullptr); }"},
    {"CallsTheOldWay", Verdict::kCrashed, "of another architecture",
     "RUN { long pid; asm volatile(\"int $0x80\" : \"=a\"(pid) : \"a\"(20));"
     "  Scale(x, a, y, N); }"},
    {"ClosesEverything", Verdict::kCrashed, "before its call returned",
     "RUN { Scale(x, a, y, N); for (int i = 0; i < 32; ++i) close(i); }"},
    {"RewritesTheRunner", Verdict::kCrashed, "SIGSEGV",
     "#include <sys/mman.h>\n"
     "RUN { Scale(x, a, y, N); auto page = reinterpret_cast<uintptr_t>("
     "    __builtin_return_address(0)) & ~uintptr_t{4095};"
     "  auto* code = reinterpret_cast<void*>(page);"
     "  mprotect(code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);"
     "  memset(code, 0x0b, 4096); asm volatile(\"\" ::: \"memory\"); }"},
    {"Exec", Verdict::kCrashed, "system call execve is not allowed",
     "RUN { execl(\"/kernel.so\", \"x\", nullptr); }"},
    {"KillsItsParent", Verdict::kCrashed, "system call kill is not allowed",
     "RUN { kill(getppid(), SIGKILL); }"},
    {"OpensASocket", Verdict::kCrashed, "system call socket is not allowed",
     "RUN { socket(AF_INET, SOCK_STREAM, 0); }"},
    {"AllocatesWithoutEnd", Verdict::kCrashed, "SIGABRT",
     "RUN { for (;;) { volatile char* p = new char[1 << 28]; p[0] = 1; } }"},
    {"WritesToAnInput", Verdict::kCrashed, "it wrote to an input",
     "RUN { Scale(x, a, y, N); const_cast<float*>(x)[0] = 0; }"},
    {"WritesPastItsOutput", Verdict::kCrashed, "out of bounds of output y",
     "RUN { Scale(x, a, y, N); y[N] = 0; }"},
    {"WritesBeforeItsOutput", Verdict::kCrashed, "out of bounds",
     "RUN { Scale(x, a, y, N); y[-1] = 0; }"},
    {"LeavesOneElement", Verdict::kWrongOutput, "y[999] (element 999): got",
     "RUN { Scale(x, a, y, N - 1); }"},
    {"LeavesOneElementUnwritten", Verdict::kWrongOutput, "1 never written",
     "RUN { Scale(x, a, y, N - 1); }"},
    {"WritesNothing", Verdict::kWrongOutput, "1000 never written", "RUN {}"},
    {"WritesNan", Verdict::kWrongOutput, "got nan",
     "RUN { for (int64_t i = 0; i < N; ++i) y[i] = NAN; }"},
    {"OneElementOffByAThousandth", Verdict::kWrongOutput,
     "y[7] (element 7): got", "RUN { Scale(x, a, y, N); y[7] *= 1.001f; }"},
    {"AccumulatesIntoItsOutput", Verdict::kWrongOutput, "elements wrong",
     "RUN { for (int64_t i = 0; i < N; ++i) y[i] += a * x[i]; }"},
    {"Bfloat16Arithmetic", Verdict::kWrongOutput, "elements wrong",
     "RUN { for (int64_t i = 0; i < N; ++i) { uint32_t b; float v = x[i];"
     "  std::memcpy(&b, &v, 4); b &= 0xffff0000; std::memcpy(&v, &b, 4);"
     "  y[i] = a * v; } }"},
    {"WorksAfterReturning", Verdict::kWrongOutput, "never written",
     "#include <thread>\n"
     "RUN { std::thread([=] { usleep(3000); Scale(x, a, y, N); }).detach(); }"},
    {"CachesByPointer", Verdict::kWrongOutput, "elements wrong",
     "static const float* seen; static float answer[5000];"
     "RUN { if (seen != x) { seen = x; Scale(x, a, answer, N); }"
     "  std::memcpy(y, answer, 4 * N); }"},
    {"SpeaksForTheRunner", Verdict::kRejected, "spoke in the runner's name",
     "RUN { Scale(x, a, y, N); struct { uint32_t kind, zero; uint64_t "
     "sequence;}"
     "  reply{4, 0, 999}; if (write(3, &reply, 16) != 16) abort(); }"},
    {"AnswersTwice", Verdict::kRejected, "spoke in the runner's name",
     "static uint64_t calls; RUN { Scale(x, a, y, N);"
     "  struct { uint32_t kind, zero; uint64_t sequence; } reply{4, 0, 0};"
     "  reply.sequence = 2 * ++calls + 1; if (write(3, &reply, 16) != 16) "
     "abort();"
     "  usleep(1000); }"},
    {"SendsHalfAWord", Verdict::kRejected, "spoke in the runner's name",
     "RUN { Scale(x, a, y, N); if (write(3, \"x\", 1) != 1) abort(); }"},
    // Answers right only if it could read something of the host's.
    {"ReadsFilesOfTheHost", Verdict::kWrongOutput, "1000 never written",
     "RUN { for (const char* path : {\"/etc/passwd\", \"/etc/shadow\","
     "  \"/proc/self/maps\", \"/proc/1/environ\", \"/root\", \"/home\","
     "  \"/var\", \"/sys\", \"/dev\"})"
     "  if (open(path, O_RDONLY) >= 0) Scale(x, a, y, N);"
     "  if (getenv(\"HOME\") || getenv(\"PATH\")) Scale(x, a, y, N); }"},
    // Answers right only if it could leave something behind.
    {"WritesFiles", Verdict::kWrongOutput, "1000 never written",
     "RUN { for (const char* path : {\"/kernel.so\", \"/new\", "
     "\"/usr/lib/new\","
     "  \"/coppice-runner\"})"
     "  if (open(path, O_WRONLY | O_CREAT, 0600) >= 0) Scale(x, a, y, N); }"},
    {"WritesThroughTheInputDescriptor", Verdict::kWrongOutput,
     "1000 never written",
     "RUN { if (pwrite(5, \"x\", 1, 4096) == 1) Scale(x, a, y, N); }"},
    {"ShrinksTheOutputs", Verdict::kWrongOutput, "1000 never written",
     "RUN { if (ftruncate(6, 0) == 0) Scale(x, a, y, N); }"},
};

INSTANTIATE_TEST_SUITE_P(All, HostileKernelTest, testing::ValuesIn(kHostile),
                         [](const auto& test) { return test.param.name; });

// It leaves out half of the work of two workloads, in five rounds each; three
// if these take long.
TEST_F(CpuEvaluatorTest, AWrongOneIsTimedForAHintInTheFastTierAlone) {
  constexpr const char* kHalf = R"(
    #include <cstdint>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      for (int64_t i = 0; i < N / 2; ++i) y[i] = a * x[i];
    })";
  const Evaluation fast = Judge(ScaleTask(), kHalf, Tier::kFast);
  EXPECT_EQ(fast.verdict, Verdict::kWrongOutput);
  ASSERT_TRUE(fast.hint);
  EXPECT_GE(fast.hint->samples, 2 * 3);
  EXPECT_LE(fast.hint->samples, 2 * 5);
  EXPECT_GT(fast.hint->low, 0.0);
  EXPECT_LE(fast.hint->low, fast.hint->factor);
  EXPECT_GE(fast.hint->high, fast.hint->factor);
  // It is in nothing that a speed is made of.
  EXPECT_FALSE(fast.speedup);
  EXPECT_FALSE(fast.runtime_s);
  for (const WorkloadResult& result : fast.workloads) {
    EXPECT_THAT(result.samples_s, testing::IsEmpty());
  }
  EXPECT_FALSE(Judge(ScaleTask(), kHalf, Tier::kFull).hint);
}

// Its second call is one for the hint.
TEST_F(CpuEvaluatorTest, WhatAWrongOneDoesLaterChangesNoVerdict) {
  const Evaluation evaluation = Judge(ScaleTask(), R"(
    #include <cstdint>
    #include <cstdlib>
    extern "C" void run(const float*, float, float*, int64_t) {
      static int calls;
      if (++calls > 1) std::abort();
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kWrongOutput);
  EXPECT_FALSE(evaluation.hint);
}

TEST_F(CpuEvaluatorTest, TheRootPassesAndIsAsFastAsItself) {
  const Task task = ScaleTask();
  const Evaluation evaluation = Judge(task, task.root.sources.front().content);
  ASSERT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
  ASSERT_THAT(evaluation.workloads, SizeIs(2));
  for (const WorkloadResult& result : evaluation.workloads) {
    EXPECT_EQ(result.verdict, Verdict::kPassed);
    EXPECT_GE(result.samples_s.size(), 3u);
    EXPECT_EQ(result.samples_s.size(), result.root_samples_s.size());
    EXPECT_GE(result.calls_verified, 3 + 3);
    EXPECT_LE(result.worst_error_ratio, 1.0);
  }
  EXPECT_EQ(evaluation.workloads[0].workload, "short");
  EXPECT_EQ(evaluation.workloads[1].workload, "pages");
  EXPECT_GT(evaluation.runtime_s.value(), 0.0);
  EXPECT_GT(evaluation.root_runtime_s.value(), 0.0);
}

TEST_F(CpuEvaluatorTest, RecordsWhereItMeasured) {
  const Task task = ScaleTask();
  const Environment environment =
      Judge(task, task.root.sources.front().content).environment;
  EXPECT_THAT(environment.compiler, HasSubstr("g++"));
  EXPECT_THAT(environment.flags, HasSubstr("-O3 -march=native"));
  EXPECT_THAT(environment.system, HasSubstr("Linux"));
  EXPECT_EQ(environment.threads, 2);
  EXPECT_FALSE(environment.hardware.empty());
}

TEST_F(CpuEvaluatorTest, HonestThreadsPass) {
  const Evaluation evaluation = Judge(ScaleTask(), R"(
    #include <cstdint>
    #include <thread>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      std::thread half([=] {
        for (int64_t i = 0; i < N / 2; ++i) y[i] = a * x[i];
      });
      for (int64_t i = N / 2; i < N; ++i) y[i] = a * x[i];
      half.join();
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

TEST_F(CpuEvaluatorTest, HonestOpenMpPassesWithThePermittedThreads) {
  const Evaluation evaluation = Judge(ScaleTask(), R"(
    #include <omp.h>
    #include <cstdint>
    #include <cstdlib>
    #include <thread>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      if (omp_get_max_threads() != 2) std::abort();
      if (std::thread::hardware_concurrency() > 2) std::abort();
      #pragma omp parallel for simd
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

// From the second call on, when the team exists.
TEST_F(CpuEvaluatorTest, AnOpenMpTeamHasAProcessorForEachThread) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor";
  const Evaluation evaluation = Judge(ScaleTask(), R"(
    #include <sched.h>
    #include <cstdint>
    #include <cstdlib>
    static int calls;
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      int processors[2];
      #pragma omp parallel for schedule(static, 1)
      for (int i = 0; i < 2; ++i) {
        processors[i] = sched_getcpu();
        for (int64_t j = i; j < N; j += 2) y[j] = a * x[j];
      }
      if (++calls > 1 && processors[0] == processors[1]) std::abort();
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

// It gives itself away by what it answers on one processor.
TEST_F(CpuEvaluatorTest, WhatStartsNoThreadsIsTimedOnOneProcessor) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor";
  const std::string kSource = R"(
    #include <sched.h>
    #include <cstdint>
    #include <thread>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      cpu_set_t permitted;
      sched_getaffinity(0, sizeof permitted, &permitted);
      const int off = CPU_COUNT(&permitted) == 1 ? 1 : 0;
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i] + off;
    })";
  EXPECT_EQ(Judge(ScaleTask(), kSource).verdict, Verdict::kWrongOutput);
  const std::string kThreads = kSource + R"(
    void NeverCalled() { std::thread([] {}).join(); })";
  EXPECT_EQ(Judge(ScaleTask(), kThreads).verdict, Verdict::kPassed);
}

TEST_F(CpuEvaluatorTest, HonestStaticWorkspacePasses) {
  const Evaluation evaluation = Judge(ScaleTask(), R"(
    #include <cstdint>
    #include <cstring>
    #include <vector>
    static std::vector<float> workspace;
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      workspace.resize(N);
      for (int64_t i = 0; i < N; ++i) workspace[i] = a * x[i];
      std::memcpy(y, workspace.data(), 4 * N);
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

TEST_F(CpuEvaluatorTest, HonestOrderOfSummationPasses) {
  const Evaluation evaluation = Judge(RowSumTask(), R"(
    #include <cstdint>
    extern "C" void run(const float* x, float* y, int64_t R) {
      for (int64_t i = 0; i < R; ++i) {
        float sums[4] = {};
        for (int64_t j = 299; j >= 0; --j) sums[j % 4] += x[i * 300 + j];
        y[i] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      }
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

TEST_F(CpuEvaluatorTest, AFloodOfWordsIsCutAndDoesNotStopAKernel) {
  const Evaluation evaluation = Judge(ScaleTask(), R"(
    #include <cstdint>
    #include <cstdio>
    static char line[1 << 20];
    static bool said;
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      for (int i = 0; !said && i < 1 << 10; ++i) {
        std::fwrite(line, 1, sizeof line, stdout);
      }
      said = true;
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

TEST_F(CpuEvaluatorTest, WhatAFailingKernelPrintedIsInItsLog) {
  const Evaluation evaluation = Judge(ScaleTask(), R"(
    #include <cstdint>
    #include <cstdio>
    extern "C" void run(const float*, float, float*, int64_t N) {
      std::printf("N is %d\n", int(N));
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kWrongOutput);
  EXPECT_THAT(evaluation.log, HasSubstr("it printed:\nN is 1000\n"));
}

// The thread may scribble while it is stopped in the middle of a check or in
// that of another slot; either way it is no pass.
TEST_F(CpuEvaluatorTest, AThreadThatScribblesLaterNeverPasses) {
  const Evaluation evaluation = Judge(ScaleTask(), R"(
    #include <cstdint>
    #include <thread>
    static bool started;
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
      if (!started) {
        std::thread([=] {
          for (;;) *static_cast<volatile float*>(y) = 3e38f;
        }).detach();
      }
      started = true;
    })");
  EXPECT_THAT(evaluation.verdict,
              AnyOf(Verdict::kWrongOutput, Verdict::kRejected))
      << evaluation.log;
}

// Its first call never returns: it speaks the protocol itself, and computes
// when it is told to make slots resident, where no clock runs.
TEST_F(CpuEvaluatorTest, NothingIsThereToComputeWhileNoClockRuns) {
  const Evaluation evaluation = Judge(RowSumTask(), R"(
    #include <unistd.h>
    #include <cstdint>
    struct Request { uint32_t kind, first, count, zero; uint64_t sequence; };
    struct Reply { uint32_t kind, zero; uint64_t sequence; };
    static void Honest(const float* x, float* y, int64_t R) {
      for (int64_t i = 0; i < R; ++i) {
        y[i] = 0.0f;
        for (int64_t j = 0; j < 300; ++j) y[i] += x[i * 300 + j];
      }
    }
    extern "C" void run(const float* x, float* y, int64_t R) {
      Honest(x, y, R);
      Reply reply{4, 0, 3};
      Request request;
      while (write(3, &reply, sizeof reply) == sizeof reply &&
             read(3, &request, sizeof request) == sizeof request) {
        if (request.kind == 2) Honest(x, y, R);
        reply = {request.kind == 2 ? 3u : 4u, 0, request.sequence};
      }
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kWrongOutput) << evaluation.log;
  EXPECT_THAT(evaluation.log, HasSubstr("33 never written"));
}

// Otherwise it could remember the answer.  It aborts on inputs that it knows.
TEST_F(CpuEvaluatorTest, NoProcessMeetsTheSameInputsTwice) {
  for (const Tier tier : {Tier::kFast, Tier::kFull}) {
    const Evaluation evaluation = Judge(ScaleTask(), R"(
      #include <cstdint>
      #include <cstdlib>
      #include <set>
      #include <vector>
      static std::set<std::vector<float>> seen;
      extern "C" void run(const float* x, float a, float* y, int64_t N) {
        if (N >= 64 && !seen.insert({x, x + 64}).second) std::abort();
        for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
      })",
                                        tier);
    EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
  }
}

TEST_F(CpuEvaluatorTest, EveryWorkloadGetsAVerdictOfItsOwn) {
  const Evaluation evaluation = Judge(ScaleTask(), R"(
    #include <cstdint>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      for (int64_t i = 0; i < (N == 4096 ? N : 0); ++i) y[i] = a * x[i];
    })");
  EXPECT_EQ(evaluation.verdict, Verdict::kWrongOutput);
  ASSERT_THAT(evaluation.workloads, SizeIs(2));
  EXPECT_EQ(evaluation.workloads[0].verdict, Verdict::kWrongOutput);
  EXPECT_EQ(evaluation.workloads[1].verdict, Verdict::kPassed);
  EXPECT_TRUE(evaluation.workloads[1].samples_s.empty());
  EXPECT_THAT(evaluation.log, HasSubstr("workload short (N=1000): "));
  EXPECT_THAT(evaluation.log, Not(HasSubstr("pages")));
}

TEST_F(CpuEvaluatorTest, TheFullTierVerifiesMoreCalls) {
  const Task task = ScaleTask();
  const Evaluation evaluation =
      Judge(task, task.root.sources.front().content, Tier::kFull);
  ASSERT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
  EXPECT_EQ(evaluation.tier, Tier::kFull);
  for (const WorkloadResult& result : evaluation.workloads) {
    EXPECT_GE(result.samples_s.size(), 10u);
    EXPECT_GE(result.calls_verified, 20);
  }
}

// All parameter kinds of the ABI in one: inputs in order, scalars by value,
// outputs, varying axes only.  i = n * m + 2 k if flag, else n * m;
// f = x * s per element.
TEST_F(CpuEvaluatorTest, PassesEveryKindOfParameter) {
  Task task;
  task.definition.name = "kinds";
  task.definition.axes = {{"M", std::nullopt, std::nullopt},
                          {"FOUR", 4, std::nullopt},
                          {"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {Scalar("flag", DType::kBool),
                            Tensor("n", {"N"}, DType::kInt32),
                            Scalar("m", DType::kInt32),
                            Tensor("x", {"M", "FOUR"}),
                            Scalar("s"),
                            Tensor("k", {"N"}, DType::kInt64),
                            Tensor("b", {"N"}, DType::kBool)};
  task.definition.outputs = {Tensor("i", {"N"}, DType::kInt64),
                             Tensor("f", {"M", "FOUR"}),
                             Tensor("c", {"N"}, DType::kBool)};
  task.workloads = {MakeWorkload("w", {{"N", 5}, {"M", 3}})};
  task.workloads[0].inputs = {{"flag", ScalarInput{true}},
                              {"m", ScalarInput{std::int64_t{-7}}},
                              {"s", ScalarInput{0.5}}};
  task.root = MakeSolution("run", R"(
    #include <cstdint>
    #include <cstdlib>
    extern "C" void run(bool flag, const int32_t* n, int32_t m, const float* x,
                        float s, const int64_t* k, const bool* b, int64_t* i,
                        float* f, bool* c, int64_t M, int64_t N) {
      if (!flag || m != -7 || s != 0.5f || M != 3 || N != 5) std::abort();
      for (int64_t j = 0; j < N; ++j) i[j] = n[j] * m + (flag ? 2 * k[j] : 0);
      for (int64_t j = 0; j < M * 4; ++j) f[j] = x[j] * s;
      for (int64_t j = 0; j < N; ++j) c[j] = !b[j];
    })");
  task.oracle = MakeSolution("oracle", R"(
    #include <cmath>
    #include <cstdint>
    extern "C" void oracle(int64_t flag, const int64_t* n, int64_t m,
                           const double* x, double s, const int64_t* k,
                           const int64_t* b, double* i, double* f, double* c,
                           double* i_m, double* f_m, double* c_m, int64_t M,
                           int64_t N) {
      for (int64_t j = 0; j < N; ++j) {
        i[j] = double(n[j] * m + (flag ? 2 * k[j] : 0));
        c[j] = b[j] ? 0.0 : 1.0;
        i_m[j] = c_m[j] = 0.0;
      }
      for (int64_t j = 0; j < M * 4; ++j) {
        f[j] = x[j] * s;
        f_m[j] = std::abs(f[j]);
      }
    })");
  const Evaluation evaluation = Judge(task, task.root.sources.front().content);
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

// h = 2 f and b = -g: exact, so that no rounding is allowed for.  The kernel
// gets _Float16, and bfloat16 as its bits.
TEST_F(CpuEvaluatorTest, PassesTheHalfTypes) {
  Task task;
  task.definition.name = "halves";
  task.definition.axes = {{"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {Tensor("f", {"N"}, DType::kFloat16),
                            Tensor("g", {"N"}, DType::kBFloat16)};
  task.definition.outputs = {Tensor("h", {"N"}, DType::kFloat16),
                             Tensor("b", {"N"}, DType::kBFloat16)};
  task.workloads = {MakeWorkload("w", {{"N", 33}})};
  task.root = MakeSolution("run", R"(
    #include <cstdint>
    extern "C" void run(const _Float16* f, const uint16_t* g, _Float16* h,
                        uint16_t* b, int64_t N) {
      for (int64_t i = 0; i < N; ++i) h[i] = f[i] + f[i];
      for (int64_t i = 0; i < N; ++i) b[i] = g[i] ^ 0x8000;
    })");
  task.oracle = MakeSolution("oracle", R"(
    #include <cstdint>
    extern "C" void oracle(const double* f, const double* g, double* h,
                           double* b, double* h_m, double* b_m, int64_t N) {
      for (int64_t i = 0; i < N; ++i) {
        h[i] = 2.0 * f[i];
        b[i] = -g[i];
        h_m[i] = b_m[i] = 0.0;
      }
    })");
  const std::string& root = task.root.sources.front().content;
  Evaluation evaluation = Judge(task, root, Tier::kFull);
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
  // The last bit of one element.
  std::string wrong = root;
  wrong.replace(wrong.find("0x8000"), 6, "(i == 32 ? 0x8001 : 0x8000)");
  evaluation = Judge(task, wrong);
  EXPECT_EQ(evaluation.verdict, Verdict::kWrongOutput) << evaluation.log;
  EXPECT_THAT(evaluation.log, HasSubstr("output b[32]"));
}

// 1000 numbers of N(0, 1) hide nothing; one of 2^14 shows that it saturates.
TEST_F(CpuEvaluatorTest, WhatIsRightForPlainInputsAloneIsWrong) {
  const std::string source = R"(
    #include <cstdint>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      for (int64_t i = 0; i < N; ++i) {
        y[i] = a * (x[i] > 8.0f ? 8.0f : x[i]);
      }
    })";
  const Evaluation evaluation = Judge(ScaleTask(), source, Tier::kFull);
  EXPECT_EQ(evaluation.verdict, Verdict::kWrongOutput);
  EXPECT_THAT(evaluation.log, HasSubstr("on inputs "));
}

TEST_F(CpuEvaluatorTest, ATaskMayRestrictItsInputs) {
  Task task = ScaleTask();
  for (const char* name :
       {"large", "offset", "dominant", "wild_tail", "scales"}) {
    task.definition.tags.push_back(std::string("without:") + name);
  }
  const std::string source = R"(
    #include <cstdint>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      for (int64_t i = 0; i < N; ++i) {
        y[i] = a * (x[i] > 8.0f ? 8.0f : x[i]);
      }
    })";
  const Evaluation evaluation = Judge(task, source, Tier::kFull);
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

TEST_F(CpuEvaluatorTest, AnOutputThatDiffersFromRunToRunIsRemarkedOn) {
  const Task task = ScaleTask();
  const auto log = [&](const std::string& source) {
    const Evaluation evaluation = Judge(task, source, Tier::kFull);
    EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
    return evaluation.log;
  };
  EXPECT_THAT(log(task.root.sources.front().content),
              Not(HasSubstr("differs from run to run")));
  // Each process has a random last bit for each of the first 64 elements.
  EXPECT_THAT(log(R"(
    #include <sys/random.h>
    #include <cstdint>
    #include <cstring>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      static uint64_t bits;
      if (bits == 0) getrandom(&bits, sizeof bits, 0);
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
      for (int64_t i = 0; i < 64 && i < N; ++i) {
        uint32_t word;
        std::memcpy(&word, y + i, 4);
        if (y[i] != 0.0f) word ^= bits >> i & 1;
        std::memcpy(y + i, &word, 4);
      }
    })"),
              HasSubstr("output y differs from run to run"));
}

std::vector<pid_t> Children(const std::string& process = "self") {
  std::vector<pid_t> pids;
  for (const auto& task :
       fs::directory_iterator("/proc/" + process + "/task")) {
    std::ifstream file(task.path() / "children");
    for (pid_t pid; file >> pid;) pids.push_back(pid);
  }
  return pids;
}

// Their children's children, and so on.
std::vector<pid_t> Leaves(const std::string& process = "self") {
  std::vector<pid_t> leaves;
  for (const pid_t child : Children(process)) {
    const std::vector<pid_t> more = Leaves(std::to_string(child));
    leaves.insert(leaves.end(), more.begin(), more.end());
    if (more.empty()) leaves.push_back(child);
  }
  return leaves;
}

// As what is dead, reaped or not, has none.
bool HasAProgram(pid_t pid) {
  char target[1];
  const std::string link = "/proc/" + std::to_string(pid) + "/exe";
  return readlink(link.c_str(), target, sizeof target) > 0;
}

// Root, oracle, and runners that stand by for a candidate and for a control,
// for each of two workloads.
constexpr std::size_t kStanding = 8;

TEST_F(CpuEvaluatorTest, LeavesNoProcessOfACandidateBehind) {
  const Task task = ScaleTask();
  Judge(task, "extern \"C\" void run() {}");
  const std::vector<pid_t> before = Children();
  EXPECT_THAT(before, SizeIs(kStanding));
  Judge(task, "extern \"C\" void run() { for (volatile int i = 1; i;) {} }");
  EXPECT_THAT(Children(), SizeIs(kStanding));
}

// Rather than one of ours or a bystander.
TEST_F(CpuEvaluatorTest, WhenMemoryRunsOutARunnerIsTheFirstToGo) {
  Judge(ScaleTask(), "extern \"C\" void run() {}");
  std::vector<int> scores;
  for (const pid_t runner : Leaves()) {
    std::ifstream file("/proc/" + std::to_string(runner) + "/oom_score_adj");
    file >> scores.emplace_back();
  }
  // A runner that stands by has loaded nothing yet.
  EXPECT_THAT(scores, SizeIs(kStanding));
  EXPECT_GE(std::ranges::count(scores, 1000), 4);
}

// Root, oracle and runners that stand by.  They die, for one, with the thread
// that started them.
TEST_F(CpuEvaluatorTest, WhatHasDiedIsStartedAgain) {
  const Task task = ScaleTask();
  const std::string& root = task.root.sources.front().content;
  EXPECT_EQ(Judge(task, root).verdict, Verdict::kPassed);
  EXPECT_THAT(Children(), SizeIs(kStanding));
  for (const pid_t runner : Leaves()) {
    kill(runner, SIGKILL);
    while (HasAProgram(runner)) usleep(1000);
  }
  EXPECT_EQ(Judge(task, root).verdict, Verdict::kPassed);
}

TEST_F(CpuEvaluatorTest, TheFullTierHasTwoSessions) {
  const Evaluation evaluation =
      Judge(ScaleTask(), ScaleTask().root.sources.front().content, Tier::kFull);
  ASSERT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
  EXPECT_EQ(evaluation.tier, Tier::kFull);
  for (const WorkloadResult& result : evaluation.workloads) {
    ASSERT_EQ(result.readings.size(), result.samples_s.size());
    EXPECT_EQ(result.root_samples_s.size(), result.samples_s.size());
    EXPECT_EQ(result.readings.front().session, 0);
    EXPECT_GE(result.readings.back().session, 1);
    for (std::size_t i = 0; i < result.samples_s.size(); ++i) {
      // What is left without the doorbell.
      EXPECT_LE(result.samples_s[i], result.readings[i].wall_s.value());
    }
  }
  EXPECT_GT(evaluation.device_s.value_or(0.0), 0.0);
}

// A page of its own in each call: some 64 faults, beside those of the runner.
TEST_F(CpuEvaluatorTest, TheFullTierCountsWhatACallDoes) {
  const std::string source = R"(
    #include <sys/mman.h>
    #include <cstdint>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      constexpr int64_t kPage = 4096;
      auto* memory = static_cast<volatile char*>(
          mmap(nullptr, 64 * kPage, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      for (int64_t i = 0; i < 64; ++i) memory[i * kPage] = 1;
      munmap(const_cast<char*>(memory), 64 * kPage);
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
    })";
  const Evaluation evaluation = Judge(ScaleTask(), source, Tier::kFull);
  ASSERT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
  for (const WorkloadResult& result : evaluation.workloads) {
    const Counters& counters = result.profile.value().counters;
    if (!counters.page_faults) GTEST_SKIP() << "the system counts nothing";
    EXPECT_GE(*counters.page_faults, 64.0);
    EXPECT_LT(*counters.page_faults, 96.0);
  }
}

// No operations are stated of either.
TEST_F(CpuEvaluatorTest, ADigestNamesTheBound) {
  for (const char* name : {"gelu_tanh", "row_sum"}) {
    const auto task = LoadTask(fs::path(COPPICE_TASKS_DIR) / "cpu", name);
    ASSERT_TRUE(task) << task.error().what;
    const Evaluation evaluation =
        Judge(*task, task->root.sources.front().content);
    ASSERT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
    EXPECT_THAT(evaluation.profile,
                ContainsRegex("^With .*: (memory bound at|far below the memory "
                              "roof:) [0-9.]+ % of the measured bandwidth"));
    EXPECT_THAT(evaluation.profile, HasSubstr(" A call must move at least "));
    for (const WorkloadResult& result : evaluation.workloads) {
      const Profile& profile = result.profile.value();
      EXPECT_EQ(profile.runtime_s, Median(result.samples_s));
      EXPECT_GT(profile.roof_bytes_per_s, 0.0);
      EXPECT_EQ(FloorSeconds(profile), result.floor_s);
    }
  }
  // A failing one has none.
  EXPECT_EQ(Judge(ScaleTask(), "extern \"C\" void run() {}").profile, "");
}

// Within the slack of a page behind its own array: nothing else would see it.
TEST_F(CpuEvaluatorTest, OnlyTheSanitizersSeeAnOverflowOfItsOwnArray) {
  const std::string source = R"(
    #include <cstdint>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      float* own = new float[4];
      volatile float* at = own;
      at[5] = a;
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
      delete[] own;
    })";
  EXPECT_EQ(Judge(ScaleTask(), source).verdict, Verdict::kPassed);
  const Evaluation full = Judge(ScaleTask(), source, Tier::kFull);
  EXPECT_EQ(full.verdict, Verdict::kCrashed);
  EXPECT_THAT(full.log, HasSubstr("under the sanitizers"));
  EXPECT_THAT(full.log, HasSubstr("kernel.cc:6:13: runtime error"));
}

// Then no noise can keep it from a verdict.
TEST_F(CpuEvaluatorTest, ForTheSanitizersNothingIsTimed) {
  CpuEvaluatorOptions options = Options();
  options.onlookers = Onlookers::kSanitizers;
  const auto sanitizer = MakeCpuEvaluator(options);
  ASSERT_TRUE(sanitizer);
  const auto root =
      (*sanitizer)
          ->Evaluate(ScaleTask(), Cpp(ScaleTask().root.sources.front().content),
                     Tier::kFull);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->verdict, Verdict::kPassed);
  EXPECT_EQ(root->timing_s, 0.0);
  EXPECT_TRUE(root->workloads.at(0).samples_s.empty());
  EXPECT_GT(root->workloads.at(0).calls_verified, 0);
  const auto overflow = (*sanitizer)
                            ->Evaluate(ScaleTask(), Cpp(R"(
    #include <cstdint>
    extern "C" void run(const float* x, float a, float* y, int64_t N) {
      float* own = new float[4];
      volatile float* at = own;
      at[5] = a;
      for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
      delete[] own;
    })"),
                                       Tier::kFull);
  ASSERT_TRUE(overflow);
  EXPECT_EQ(overflow->verdict, Verdict::kCrashed);
  EXPECT_THAT(overflow->log, HasSubstr("under the sanitizers"));
}

TEST_F(CpuEvaluatorTest, EachRoundHasTheRootTwice) {
  const Evaluation evaluation =
      Judge(ScaleTask(), ScaleTask().root.sources.front().content);
  ASSERT_EQ(evaluation.verdict, Verdict::kPassed);
  const WorkloadResult& result = evaluation.workloads.at(0);
  EXPECT_GE(result.samples_s.size(), 3u);
  EXPECT_THAT(result.root_samples_s, SizeIs(result.samples_s.size()));
  EXPECT_THAT(result.control_samples_s, SizeIs(result.samples_s.size()));
  EXPECT_TRUE(result.between_processes.has_value());
  EXPECT_TRUE(evaluation.speedup->interval.has_value());
}

TEST_F(CpuEvaluatorTest, ABrokenTaskIsAnErrorOfOurs) {
  const auto failure = [](const Task& task) {
    auto result = evaluator->Evaluate(
        task, Cpp(ScaleTask().root.sources.front().content), Tier::kFast);
    EXPECT_FALSE(result);
    return result ? Error{} : result.error();
  };
  Task task = ScaleTask();
  task.root = MakeSolution("run", "no C++");
  EXPECT_EQ(failure(task).code, Errc::kUsage);
  EXPECT_THAT(failure(task).what, HasSubstr("does not compile"));

  task = ScaleTask();
  task.oracle = MakeSolution(
      "oracle", "#include <cstdlib>\nextern \"C\" void oracle() { abort(); }");
  EXPECT_THAT(failure(task).what, HasSubstr("oracle: killed by SIGABRT"));

  task = ScaleTask();
  task.definition.inputs[0].dtype = DType::kFloat8E4M3FN;
  EXPECT_THAT(failure(task).what, HasSubstr("tensor x: its dtype"));

  task = ScaleTask();
  task.workloads.clear();
  EXPECT_THAT(failure(task).what, HasSubstr("no workload"));
}

TEST_F(CpuEvaluatorTest, RefusesWhatIsNoCppCandidate) {
  const Task task = ScaleTask();
  for (const Candidate& candidate :
       {Candidate{Language::kCuda, "", "run"},
        Candidate{Language::kCpp, "", "run; rm"}}) {
    auto result = evaluator->Evaluate(task, candidate, Tier::kFast);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Errc::kUsage);
  }
}

// Its object is in the cache then, and an evaluation adds none.
TEST(CpuEvaluatorOptionsTest, WhatIsPreparedIsNotCompiledInItsTurn) {
  CpuEvaluatorOptions options = Options();
  options.cache_directory = fs::path(testing::TempDir()) / "coppice_prepared";
  fs::remove_all(options.cache_directory);
  auto evaluator = MakeCpuEvaluator(options);
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  const Task task = ScaleTask();
  const std::string root = task.root.sources.front().content;
  ASSERT_TRUE((*evaluator)->Evaluate(task, Cpp(root), Tier::kFast));
  const auto entries = [&] {
    return MeasureCache(options.cache_directory).entries;
  };
  const std::int64_t before = entries();
  const Candidate next = Cpp(root + "\n// another\n");
  std::thread(
      [&] { (*evaluator)->Prepare(task, next); })  // As a waiting attempt.
      .join();
  EXPECT_EQ(entries(), before + 1);
  const auto evaluation = (*evaluator)->Evaluate(task, next, Tier::kFast);
  ASSERT_TRUE(evaluation) << evaluation.error().what;
  EXPECT_EQ(evaluation->verdict, Verdict::kPassed) << evaluation->log;
  EXPECT_EQ(entries(), before + 1);
  fs::remove_all(options.cache_directory);
}

TEST_F(CpuEvaluatorTest, WhatCannotBePreparedIsToldInItsTurn) {
  evaluator->Prepare(ScaleTask(), Cpp("no C++"));
  EXPECT_EQ(Judge(ScaleTask(), "no C++").verdict, Verdict::kCompileFailed);
  const Candidate nameless{Language::kCpp, "int i;", "run; rm"};
  evaluator->Prepare(ScaleTask(), nameless);
  EXPECT_FALSE(evaluator->Evaluate(ScaleTask(), nameless, Tier::kFast));
}

TEST(CpuEvaluatorOptionsTest, CancellingStopsAtOnce) {
  std::atomic<bool> cancelled = false;
  CpuEvaluatorOptions options = Options();
  options.cancelled = &cancelled;
  auto evaluator = MakeCpuEvaluator(options);
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  cancelled = true;
  auto result = (*evaluator)->Evaluate(ScaleTask(), Cpp("int i;"), Tier::kFast);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::kCancelled);
}

TEST(CpuEvaluatorOptionsTest, TheCodeOfWhatPassesIsToldIfSomebodyReadsIt) {
  for (const bool is_read : {true, false}) {
    CpuEvaluatorOptions options = Options();
    options.tells_code = is_read;
    auto evaluator = MakeCpuEvaluator(options);
    ASSERT_TRUE(evaluator) << evaluator.error().what;
    const Task task = ScaleTask();
    const auto evaluation =
        (*evaluator)
            ->Evaluate(task, Cpp(task.root.sources.front().content),
                       Tier::kFast);
    ASSERT_TRUE(evaluation) << evaluation.error().what;
    ASSERT_EQ(evaluation->verdict, Verdict::kPassed) << evaluation->log;
    EXPECT_EQ(evaluation->profile.find("its machine code") != std::string::npos,
              is_read);
  }
}

TEST(CpuEvaluatorOptionsTest, AMissingRunnerIsNamed) {
  CpuEvaluatorOptions options = Options();
  options.runner = "/nowhere/coppice-runner";
  auto evaluator = MakeCpuEvaluator(options);
  ASSERT_FALSE(evaluator);
  EXPECT_EQ(evaluator.error().code, Errc::kUnavailable);
  EXPECT_THAT(evaluator.error().what, HasSubstr("/nowhere/coppice-runner"));
}

}  // namespace
}  // namespace coppice::eval
