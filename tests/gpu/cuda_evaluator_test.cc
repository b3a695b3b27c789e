// Verdicts of the CUDA evaluator on a device.  Each test's candidate is judged
// on y[N] = a * max(x[N], 0).

#include <gtest/gtest.h>

#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "eval/formats/test_tasks.h"
#include "eval/host/devices.h"
#include "eval/host/nvml.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

const char kRoot[] = R"(
//@ launch relu<<<ceil_div(N, 256), 256>>>(x, a, y, N)
extern "C" __global__ void relu(const float* x, float a, float* y,
                                long long n) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) y[i] = a * fmaxf(x[i], 0.0f);
}
)";

Task ReluTask() {
  Task task;
  task.definition.name = "cuda_scaled_relu";
  task.definition.axes = {{"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {Tensor("x", {"N"}), Scalar("a")};
  task.definition.outputs = {Tensor("y", {"N"})};
  task.workloads = {MakeWorkload("large", {{"N", 1 << 22}}),
                    MakeWorkload("odd", {{"N", 100'003}})};
  task.root = MakeSolution("run", kRoot);
  task.oracle = MakeSolution("oracle", R"(
//@ launch oracle<<<ceil_div(N, 256), 256>>>(x, a, y, y_m, N)
extern "C" __global__ void oracle(const float* x, float a, double* y,
                                  double* y_m, long long n) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  y[i] = double(a) * fmax(double(x[i]), 0.0);
  y_m[i] = fabs(y[i]);
}
)");
  task.root.language = task.oracle.language = Language::kCuda;
  return task;
}

class CudaEvaluatorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!cuda::Nvml::Open()) return;
    CudaEvaluatorOptions options;
    options.cache_directory = "cuda-test-cache";
    options.runner = COPPICE_CUDA_RUNNER;
    options.nvrtc = COPPICE_NVRTC;
    // A library of CUDA's may have to come from a cold disk.
    options.call_timeout_s = 5.0;
    auto made = MakeCudaEvaluator(options);
    ASSERT_TRUE(made) << made.error().what;
    evaluator_ = std::move(*made);
  }
  static void TearDownTestSuite() { evaluator_.reset(); }

  void SetUp() override {
    if (evaluator_ == nullptr) GTEST_SKIP() << "skipped: no CUDA device";
  }

  Evaluation Judge(const std::string& source, Tier tier = Tier::kFast) {
    auto judged = evaluator_->Evaluate(ReluTask(),
                                       {Language::kCuda, source, "run"}, tier);
    EXPECT_TRUE(judged) << judged.error().what;
    return judged ? *judged : Evaluation{};
  }

  // The verdict, and that its log mentions `why`.
  void Expect(Verdict verdict, const std::string& why,
              const std::string& source) {
    const Evaluation evaluation = Judge(source);
    EXPECT_EQ(Name(evaluation.verdict), Name(verdict)) << evaluation.log;
    EXPECT_NE(evaluation.log.find(why), std::string::npos) << evaluation.log;
    // It left nothing behind, whatever it did.
    EXPECT_EQ(Name(Judge(kRoot).verdict), "passed");
  }

  static std::unique_ptr<Evaluator> evaluator_;
};

std::unique_ptr<Evaluator> CudaEvaluatorTest::evaluator_;

// A kernel relu with the plan's usual launch and this body.
std::string Body(const std::string& body) {
  return "//@ launch relu<<<ceil_div(N, 256), 256>>>(x, a, y, N)\n"
         "__device__ int calls;\n"
         "extern \"C\" __global__ void relu(const float* x, float a, float* y,"
         " long long n) {\n"
         "  const long long i = blockIdx.x * 256ll + threadIdx.x;\n" +
         body + "\n}\n";
}

const char kCorrect[] = "  if (i < n) y[i] = a * fmaxf(x[i], 0.0f);\n";

// An entry with this body; launches Relu(...).
std::string HostCode(const std::string& body) {
  return "#include <cstdint>\n#include <unistd.h>\n#include <cstdlib>\n"
         "__global__ void Relu(const float* x, float a, float* y, int64_t n) {"
         "\n  const int64_t i = blockIdx.x * int64_t{256} + threadIdx.x;\n" +
         std::string(kCorrect) +
         "}\nextern \"C\" void run(const float* x, float a, float* y,"
         " int64_t n, cudaStream_t s) {\n" +
         body + "\n}\n";
}

const char kHostLaunch[] = "Relu<<<(n + 255) / 256, 256, 0, s>>>(x, a, y, n);";

TEST_F(CudaEvaluatorTest, TheRootPassesWithSamplesOfBoth) {
  const Evaluation evaluation = Judge(kRoot);
  ASSERT_EQ(Name(evaluation.verdict), "passed") << evaluation.log;
  ASSERT_EQ(evaluation.workloads.size(), 2u);
  for (const WorkloadResult& result : evaluation.workloads) {
    EXPECT_GE(result.samples_s.size(), 10u);
    EXPECT_EQ(result.samples_s.size(), result.root_samples_s.size());
    EXPECT_EQ(result.samples_s.size(), result.readings.size());
    EXPECT_GE(result.calls_verified,
              static_cast<std::int64_t>(result.samples_s.size()) + 5);
    EXPECT_LE(result.worst_error_ratio, 1.0);
    EXPECT_GT(result.readings.front().clock_mhz.value_or(0.0), 100.0);
  }
  // The same code twice: within a few percent of itself.
  EXPECT_NEAR(*evaluation.runtime_s / *evaluation.root_runtime_s, 1.0, 0.05);
}

TEST_F(CudaEvaluatorTest, TheFullTierSitsTwice) {
  const Evaluation evaluation = Judge(kRoot, Tier::kFull);
  ASSERT_EQ(Name(evaluation.verdict), "passed") << evaluation.log;
  EXPECT_EQ(evaluation.workloads[0].readings.back().session, 1);
}

TEST_F(CudaEvaluatorTest, TheFullTierDrawsShapesThatWereNotShown) {
  const Evaluation root = Judge(kRoot, Tier::kFull);
  EXPECT_EQ(Name(root.verdict), "passed") << root.log;
  EXPECT_NE(root.log.find("also right on shapes that were not shown: N="),
            std::string::npos)
      << root.log;
  // 2^22 is a multiple of 256, and 100'003 is 163 more than one.
  const std::string slips[] = {
      Body("  if (i < n && (n == 4194304 || n == 100003))\n"
           "    y[i] = a * fmaxf(x[i], 0.0f);"),
      Body("  if (i < n && n >= 1024) y[i] = a * fmaxf(x[i], 0.0f);"),
      Body("  if (i < n && (n % 256 == 0 || n % 256 == 163))\n"
           "    y[i] = a * fmaxf(x[i], 0.0f);"),
  };
  for (const std::string& slip : slips) {
    const Evaluation evaluation = Judge(slip, Tier::kFull);
    EXPECT_EQ(Name(evaluation.verdict), "wrong_output") << evaluation.log;
    EXPECT_NE(evaluation.log.find("on a shape that was not shown, N="),
              std::string::npos)
        << evaluation.log;
  }
  const Evaluation host = Judge(
      HostCode("  if (n >= 1024) " + std::string(kHostLaunch)), Tier::kFull);
  EXPECT_EQ(Name(host.verdict), "wrong_output") << host.log;
}

TEST_F(CudaEvaluatorTest, LaunchesRunInOrderWithScratchBetween) {
  const Evaluation evaluation = Judge(R"(
//@ scratch float positive[N]
//@ launch clip<<<ceil_div(N, 256), 256>>>(x, positive, N)
//@ launch scale<<<ceil_div(N, 128), 128>>>(positive, a, y, int32(N))
extern "C" __global__ void clip(const float* x, float* p, long long n) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) p[i] = fmaxf(x[i], 0.0f);
}
extern "C" __global__ void scale(const float* p, float a, float* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = a * p[i];
}
)");
  EXPECT_EQ(Name(evaluation.verdict), "passed") << evaluation.log;
}

TEST_F(CudaEvaluatorTest, HostCodePasses) {
  const Evaluation evaluation = Judge(HostCode(kHostLaunch));
  ASSERT_EQ(Name(evaluation.verdict), "passed") << evaluation.log;
  EXPECT_NEAR(*evaluation.runtime_s / *evaluation.root_runtime_s, 1.0, 0.05)
      << evaluation.log;
}

// It cannot be held back; its waiting is charged to it.
TEST_F(CudaEvaluatorTest, HostCodeThatWaitsForTheDevicePasses) {
  const Evaluation evaluation =
      Judge(HostCode(std::string("cudaStreamSynchronize(s);") + kHostLaunch +
                     "cudaStreamSynchronize(s);"));
  EXPECT_EQ(Name(evaluation.verdict), "passed") << evaluation.log;
}

TEST_F(CudaEvaluatorTest, AnExpertMayCallItsLibrary) {
  Candidate expert{
      Language::kCuda,
      "#include <cublas_v2.h>\n" +
          HostCode("static cublasHandle_t h = [] { cublasHandle_t c;"
                   " cublasCreate(&c); return c; }();"
                   "cublasSetStream(h, s);"
                   "Relu<<<(n + 255) / 256, 256, 0, s>>>(x, 1.0f, y,"
                   " n); cublasSscal(h, (int)n, &a, y, 1);"),
      "run",
      {"cublas"}};
  const auto judged = evaluator_->Evaluate(ReluTask(), expert, Tier::kFast);
  ASSERT_TRUE(judged) << judged.error().what;
  EXPECT_EQ(Name(judged->verdict), "passed") << judged->log;
}

TEST_F(CudaEvaluatorTest, LibrariesAreForExpertsOnly) {
  EXPECT_NE(Name(Judge("#include <cublas_v2.h>\n" +
                       HostCode("cublasHandle_t h; cublasCreate(&h);"))
                     .verdict),
            "passed");
}

TEST_F(CudaEvaluatorTest, WhatDoesNotCompileHasItsLine) {
  Expect(Verdict::kCompileFailed, "kernel.cu(2)",
         "//@ launch relu<<<1, 1>>>()\nnonsense\n");
}
TEST_F(CudaEvaluatorTest, APlanMustNameAKernel) {
  Expect(Verdict::kCompileFailed, "no kernel rule",
         "//@ launch rule<<<1, 1>>>()\n"
         "extern \"C\" __global__ void relu() {}");
}
TEST_F(CudaEvaluatorTest, APlanMustGiveAllArguments) {
  Expect(Verdict::kCompileFailed, "takes 2 parameters, the launch gives 1",
         "//@ launch relu<<<1, 1>>>(x)\n"
         "extern \"C\" __global__ void relu(const float*, float*) {}");
}
TEST_F(CudaEvaluatorTest, AnOutputThatIsNeverWrittenIsWrong) {
  Expect(Verdict::kWrongOutput, "never written", Body(""));
}
TEST_F(CudaEvaluatorTest, OneWrongElementIsFound) {
  Expect(Verdict::kWrongOutput, "1 of",
         Body(std::string(kCorrect) + "if (i == n / 3) y[i] += 1.0f;"));
}
TEST_F(CudaEvaluatorTest, AnInfiniteLoopTimesOut) {
  Expect(Verdict::kTimedOut, "did not return within 5 s",
         Body("while (((volatile float*)y)[0] != 12345.0f) {}"));
}
TEST_F(CudaEvaluatorTest, AWildReadIsACrash) {
  Expect(Verdict::kCrashed, "out of bounds", Body("y[0] = *(float*)16;"));
}
TEST_F(CudaEvaluatorTest, ATrapIsACrash) {
  Expect(Verdict::kCrashed, "a kernel", Body("__trap();"));
}
TEST_F(CudaEvaluatorTest, AWriteToAnInputIsACrash) {
  Expect(Verdict::kCrashed, "out of bounds",
         Body("((float*)x)[0] = 1.0f;" + std::string(kCorrect)));
}
TEST_F(CudaEvaluatorTest, AWriteFarBeyondTheOutputIsACrash) {
  Expect(Verdict::kCrashed, "out of bounds",
         Body(std::string(kCorrect) + "if (i == 0) y[n + (1 << 18)] = 1.0f;"));
}
// 100003 floats leave 36 bytes to a multiple of 256, within the same page.
TEST_F(CudaEvaluatorTest, AWriteJustBeyondTheOutputIsACrash) {
  Expect(
      Verdict::kCrashed, "out of bounds of output y",
      Body(std::string(kCorrect) + "if (i == 0 && n == 100003) y[n] = 1.0f;"));
}
TEST_F(CudaEvaluatorTest, AWriteJustBeforeTheOutputIsACrash) {
  Expect(
      Verdict::kCrashed, "out of bounds of output y",
      Body(std::string(kCorrect) + "if (i == 0 && n == 100003) y[-1] = 1.0f;"));
}
// Right on the first calls only.
TEST_F(CudaEvaluatorTest, WhatGoesByTheNumberOfTheCallIsWrong) {
  Expect(Verdict::kWrongOutput, "output y",
         Body(std::string("  if (i == 0) ++calls;\n") + kCorrect +
              "if (calls > 12 && i == 1) y[i] = 7.0f;"));
}
std::string OnSideStream(const std::string& body) {
  return HostCode(
      "static cudaStream_t side = [] { cudaStream_t c;"
      "cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking); return c;"
      "}(); " +
      body);
}
const char kSideLaunch[] =
    "Relu<<<(n + 255) / 256, 256, 0, side>>>(x, a, y, n);";

// Nobody's clock would see it.
TEST_F(CudaEvaluatorTest, ASideStreamOfItsOwnIsRejected) {
  // It is late for the copy that counts, or seen to be busy behind the events.
  Expect(Verdict::kRejected, "it ", OnSideStream(kSideLaunch));
}
TEST_F(CudaEvaluatorTest, ASideStreamThatIsJoinedPasses) {
  const Evaluation evaluation = Judge(OnSideStream(
      "static cudaEvent_t e = [] { cudaEvent_t c; cudaEventCreate(&c);"
      "return c; }(); cudaEventRecord(e, s); cudaStreamWaitEvent(side, e, 0);" +
      std::string(kSideLaunch) +
      "cudaEventRecord(e, side); cudaStreamWaitEvent(s, e, 0);"));
  ASSERT_EQ(Name(evaluation.verdict), "passed") << evaluation.log;
  EXPECT_GT(*evaluation.runtime_s / *evaluation.root_runtime_s, 0.95);
}
TEST_F(CudaEvaluatorTest, HostCodeThatForksIsACrash) {
  Expect(Verdict::kCrashed, "SIGSYS", HostCode("fork();"));
}
TEST_F(CudaEvaluatorTest, HostCodeThatExitsIsACrash) {
  Expect(Verdict::kCrashed, "exit status 0", HostCode("_exit(0);"));
}
TEST_F(CudaEvaluatorTest, HostCodeThatHangsTimesOut) {
  Expect(Verdict::kTimedOut, "did not return", HostCode("for (;;) sleep(1);"));
}
TEST_F(CudaEvaluatorTest, HostCodeThatAnswersForTheRunnerIsRejected) {
  Expect(Verdict::kRejected, "in the runner's name",
         HostCode("static char reply[4096]; write(3, reply, 2000);" +
                  std::string(kHostLaunch)));
}

// All that are visible, at the same time, with root and candidate on each.
TEST(CudaDevicesTest, EachDeviceJudgesAndIsNamed) {
  const auto devices = VisibleDevices();
  if (!devices) GTEST_SKIP() << "skipped: no CUDA device";
  std::vector<std::future<Result<Evaluation>>> judged;
  for (const Device& device : *devices) {
    judged.push_back(
        std::async(std::launch::async, [&device]() -> Result<Evaluation> {
          CudaEvaluatorOptions options;
          options.cache_directory = "cuda-test-cache";
          options.runner = COPPICE_CUDA_RUNNER;
          options.nvrtc = COPPICE_NVRTC;
          options.device_uuid = device.uuid;
          TRY(evaluator, MakeCudaEvaluator(options));
          return evaluator->Evaluate(
              ReluTask(), {Language::kCuda, kRoot, "run"}, Tier::kFast);
        }));
  }
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const auto evaluation = judged[i].get();
    ASSERT_TRUE(evaluation) << evaluation.error().what;
    EXPECT_EQ(Name(evaluation->verdict), "passed") << evaluation->log;
    EXPECT_EQ(evaluation->device, (*devices)[i].uuid);
    EXPECT_EQ(evaluation->environment.hardware, (*devices)[i].name);
  }
}

}  // namespace
}  // namespace coppice::eval
