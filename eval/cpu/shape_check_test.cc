// Ten slips, each of which is right on all shapes that it was shown, and the
// same kernels without them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "eval/formats/test_tasks.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// y[N, M] = x[M, N] transposed, at 32 x 32 and 64 x 64.
Task TransposeTask() {
  Task task;
  task.definition.name = "transpose";
  task.definition.axes = {{"M", std::nullopt, std::nullopt},
                          {"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {Tensor("x", {"M", "N"})};
  task.definition.outputs = {Tensor("y", {"N", "M"})};
  task.workloads = {MakeWorkload("small", {{"M", 32}, {"N", 32}}),
                    MakeWorkload("large", {{"M", 64}, {"N", 64}})};
  task.root = MakeSolution("run", R"(
    #include <cstdint>
    extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
      for (int64_t i = 0; i < M; ++i) {
        for (int64_t j = 0; j < N; ++j) y[j * M + i] = x[i * N + j];
      }
    })");
  task.oracle = MakeSolution("oracle", R"(
    #include <cstdint>
    extern "C" void oracle(const double* x, double* y, double* y_m, int64_t M,
                           int64_t N) {
      for (int64_t i = 0; i < M; ++i) {
        for (int64_t j = 0; j < N; ++j) {
          y[j * M + i] = x[i * N + j];
          y_m[j * M + i] = 0.0;
        }
      }
    })");
  return task;
}

struct Slip {
  const char* name;
  Task (*task)();
  const char* source;
};

void PrintTo(const Slip& slip, std::ostream* out) { *out << slip.name; }

Evaluation JudgeFully(const Task& task, const std::string& source) {
  static const std::unique_ptr<Evaluator> evaluator = [] {
    CpuEvaluatorOptions options;
    options.cache_directory = COPPICE_TEST_CACHE;
    options.runner = COPPICE_RUNNER;
    options.call_timeout_s = 2.0;
    options.shapes_seed = 1;
    auto made = MakeCpuEvaluator(options);
    EXPECT_TRUE(made) << made.error().what;
    return std::move(made).value_or(nullptr);
  }();
  const std::string prelude = R"(
    #include <cstdint>
    #include <vector>
    #define SCALE extern "C" void run(const float* x, float a, float* y, \
                                      int64_t N)
    #define ROW_SUM extern "C" void run(const float* x, float* y, int64_t R)
    #define TRANSPOSE extern "C" void run(const float* x, float* y, int64_t M, \
                                          int64_t N)
    [[maybe_unused]] static float Sum(const float* row) {
      float sum = 0.0f;
      for (int j = 0; j < 300; ++j) sum += row[j];
      return sum;
    }
  )";
  auto evaluation =
      evaluator->Evaluate(task, Cpp(prelude + source), Tier::kFull);
  EXPECT_TRUE(evaluation) << evaluation.error().what;
  return std::move(evaluation).value_or(Evaluation{});
}

class SlipTest : public testing::TestWithParam<Slip> {};

// What is written out of bounds crashes.
TEST_P(SlipTest, IsFoundOnAShapeThatWasNotShown) {
  const Evaluation evaluation =
      JudgeFully(GetParam().task(), GetParam().source);
  EXPECT_THAT(evaluation.verdict,
              AnyOf(Verdict::kWrongOutput, Verdict::kCrashed))
      << Name(evaluation.verdict) << ": " << evaluation.log;
  EXPECT_THAT(evaluation.log, HasSubstr("on a shape that was not shown, "));
  EXPECT_THAT(evaluation.log, HasSubstr("(--shapes-seed 1 draws it again)"));
}

constexpr Slip kSlips[] = {
    {"KnowsTheSizes", ScaleTask, R"(
     template <int64_t n> static void Scale(const float* x, float a, float* y) {
       for (int64_t i = 0; i < n; ++i) y[i] = a * x[i];
     }
     SCALE {
       if (N == 1000) Scale<1000>(x, a, y);
       if (N == 4096) Scale<4096>(x, a, y);
     })"},
    {"DropsATail", ScaleTask,
     "SCALE { for (int64_t i = 0; i + 8 <= N; i += 8)"
     "  for (int j = 0; j < 8; ++j) y[i + j] = a * x[i + j]; }"},
    {"TakesAnAxisToBeEven", ScaleTask,
     "SCALE { for (int64_t i = 0; i < N; i += 2) {"
     "  y[i] = a * x[i]; y[i + 1] = a * x[i + 1]; } }"},
    {"HandsHalfToEach", ScaleTask,
     "SCALE { for (int part = 0; part < 2; ++part)"
     "  for (int64_t i = 0; i < N / 2; ++i)"
     "    y[part * (N / 2) + i] = a * x[part * (N / 2) + i]; }"},
    {"BeginsWithAWholeVector", ScaleTask,
     "SCALE { for (int i = 0; i < 16; ++i) y[i] = a * x[i];"
     "  for (int64_t i = 16; i < N; ++i) y[i] = a * x[i]; }"},
    {"DoesNothingForSmallOnes", ScaleTask,
     "SCALE { if (N < 256) return;"
     "  for (int64_t i = 0; i < N; ++i) y[i] = a * x[i]; }"},
    {"KnowsHowManyRows", RowSumTask,
     "ROW_SUM { (void)R; for (int i = 0; i < 33; ++i) y[i] = Sum(x + i * 300); "
     "}"},
    {"TakesThreeRowsAtATime", RowSumTask,
     "ROW_SUM { for (int64_t i = 0; i < R; i += 3)"
     "  for (int j = 0; j < 3; ++j) y[i + j] = Sum(x + (i + j) * 300); }"},
    {"TakesAMatrixToBeSquare", TransposeTask,
     "TRANSPOSE { for (int64_t i = 0; i < M; ++i)"
     "  for (int64_t j = 0; j < N; ++j) y[j * N + i] = x[i * M + j]; }"},
    {"DropsTheLastTile", TransposeTask, R"(
     TRANSPOSE {
       constexpr int64_t kTile = 16;
       for (int64_t i = 0; i < M / kTile * kTile; ++i)
         for (int64_t j = 0; j < N / kTile * kTile; ++j)
           y[j * M + i] = x[i * N + j];
     })"},
};

INSTANTIATE_TEST_SUITE_P(Slips, SlipTest, testing::ValuesIn(kSlips),
                         testing::PrintToStringParamName());

class HonestKernelTest : public testing::TestWithParam<Slip> {};

TEST_P(HonestKernelTest, PassesOnOtherShapes) {
  constexpr int kTimes = 5;  // Where a busy machine cannot tell.
  Evaluation evaluation;
  for (int i = 0; i < kTimes; ++i) {
    evaluation = JudgeFully(GetParam().task(), GetParam().source);
    if (evaluation.verdict != Verdict::kInconclusive) break;
  }
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed)
      << Name(evaluation.verdict) << ": " << evaluation.log;
  EXPECT_THAT(evaluation.log,
              HasSubstr("also right on shapes that were not shown: "));
}

constexpr Slip kHonest[] = {
    {"KnowsTheSizesAndTheRest", ScaleTask, R"(
     template <int64_t n> static void Scale(const float* x, float a, float* y) {
       for (int64_t i = 0; i < n; ++i) y[i] = a * x[i];
     }
     SCALE {
       if (N == 1000) return Scale<1000>(x, a, y);
       for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];
     })"},
    {"HasATail", ScaleTask,
     "SCALE { int64_t i = 0; for (; i + 8 <= N; i += 8)"
     "  for (int j = 0; j < 8; ++j) y[i + j] = a * x[i + j];"
     "  for (; i < N; ++i) y[i] = a * x[i]; }"},
    {"EndsWithAnOverlap", ScaleTask,
     "SCALE { if (N < 8) { for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];"
     "    return; }"
     "  for (int64_t i = 0; i < N; i += 8) { const int64_t at ="
     "    i + 8 <= N ? i : N - 8;"
     "    for (int j = 0; j < 8; ++j) y[at + j] = a * x[at + j]; } }"},
    {"HasRowsLeft", RowSumTask,
     "ROW_SUM { int64_t i = 0; for (; i + 3 <= R; i += 3)"
     "  for (int j = 0; j < 3; ++j) y[i + j] = Sum(x + (i + j) * 300);"
     "  for (; i < R; ++i) y[i] = Sum(x + i * 300); }"},
    {"HasPartialTiles", TransposeTask, R"(
     TRANSPOSE {
       constexpr int64_t kTile = 16;
       for (int64_t i = 0; i < M; i += kTile)
         for (int64_t j = 0; j < N; j += kTile)
           for (int64_t k = i; k < i + kTile && k < M; ++k)
             for (int64_t l = j; l < j + kTile && l < N; ++l)
               y[l * M + k] = x[k * N + l];
     })"},
};

INSTANTIATE_TEST_SUITE_P(Honest, HonestKernelTest, testing::ValuesIn(kHonest),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace coppice::eval
