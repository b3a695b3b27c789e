#include "engine/own/task_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "eval/judge/same_task.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"

namespace coppice::engine::own {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kTwice =
    "void scale(int n, const float* x, float* y) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n";

Evaluation Passed(double root_s, double error_ratio = 0.1) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::kPassed;
  evaluation.root_runtime_s = root_s;
  evaluation.workloads.emplace_back();
  evaluation.workloads.back().verdict = Verdict::kPassed;
  evaluation.workloads.back().worst_error_ratio = error_ratio;
  return evaluation;
}

Evaluation Failed(Verdict verdict, const std::string& log,
                  double error_ratio = 0.0) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.log = log;
  evaluation.workloads.emplace_back();
  evaluation.workloads.back().verdict = verdict;
  evaluation.workloads.back().worst_error_ratio = error_ratio;
  return evaluation;
}

// Says of the root what `judge_root` does, and that other kernels are wrong but
// for those whose source has `passing` in it.
class ScriptedJudge : public eval::Evaluator {
 public:
  using JudgeRoot = std::function<Result<Evaluation>(const Task&)>;
  explicit ScriptedJudge(JudgeRoot judge_root)
      : judge_root_(std::move(judge_root)) {}

  std::string passing;

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier /*tier*/) override {
    if (candidate.source == eval::SourceOf(task.root)) return judge_root_(task);
    const bool passes =
        !passing.empty() && candidate.source.find(passing) != std::string::npos;
    Evaluation evaluation =
        passes ? Passed(0.002) : Failed(Verdict::kWrongOutput, "");
    evaluation.workloads.front().workload = task.workloads.front().uuid;
    return evaluation;
  }

 private:
  JudgeRoot judge_root_;
};

Result<TrialResult> Try(ScriptedJudge& judge, const std::string& text = kTwice,
                        const Wishes& wishes = {}) {
  const auto pieces = CutSource(text);
  auto reading = Read(pieces, wishes);
  EXPECT_TRUE(reading) << reading.error().what;
  Drafting drafting;
  drafting.name = "mine";
  drafting.file = "mine.c";
  return TryOut(judge, pieces, *std::move(reading), wishes, drafting,
                [](const std::string&) {});
}

double SizeOf(const Task& task) {
  return static_cast<double>(task.workloads.front().axes.front().second);
}

// At 20 ns an element 2.5 ms are 125,000, of which both the input and the
// output have 4 bytes: the first of three shapes takes 1 to 10 ms.
TEST(TaskTrialTest, SizesGrowUntilACallTakesMilliseconds) {
  ScriptedJudge judge([](const Task& task) -> Result<Evaluation> {
    return Passed(20e-9 * SizeOf(task));
  });
  const auto tried = Try(judge);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(tried->task.workloads.size(), 3u);
  EXPECT_GE(tried->root_s, 0.001);
  EXPECT_LE(tried->root_s, 0.010);
  EXPECT_EQ(tried->why_unfit, "");
  EXPECT_EQ(tried->nulls, 9);  // As many as `task check` has of float32.
  EXPECT_THAT(tried->notes, testing::IsEmpty());
}

TEST(TaskTrialTest, SizesThatAreGivenStay) {
  ScriptedJudge judge(
      [](const Task&) -> Result<Evaluation> { return Passed(1.0); });
  Wishes wishes;
  wishes.sizes["n"] = 100;
  const auto tried = Try(judge, kTwice, wishes);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(SizeOf(tried->task), 100.0);
}

// At 1 us an element the first 16,384 take more than 10 ms: 2.5 ms are 2,500,
// in whole sixteens.
TEST(TaskTrialTest, SizesShrinkWhereACallTakesTooLong) {
  ScriptedJudge judge([](const Task& task) -> Result<Evaluation> {
    return Passed(1e-6 * SizeOf(task));
  });
  const auto tried = Try(judge);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(SizeOf(tried->task), 2'496.0);
}

// However little a call takes, inputs stay within some megabytes.
TEST(TaskTrialTest, SizesEndWhereInputsAreLarge) {
  ScriptedJudge judge(
      [](const Task&) -> Result<Evaluation> { return Passed(1e-6); });
  const auto tried = Try(judge);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_GT(8.0 * SizeOf(tried->task), 2 << 20);
  EXPECT_LT(8.0 * SizeOf(tried->task), 5 << 20);
}

TEST(TaskTrialTest, SizesOfEachShapeBindWhoeverJudgesItLater) {
  ScriptedJudge judge(
      [](const Task&) -> Result<Evaluation> { return Passed(0.002); });
  Wishes wishes;
  wishes.sizes["n"] = 64;
  wishes.all_sizes["n"] = {64, 32, 64};
  const auto tried = Try(judge, kTwice, wishes);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_THAT(tried->task.definition.constraints,
              ElementsAre("n in (64, 32, 64)"));
  EXPECT_EQ(tried->task.workloads.size(), 2u);  // The third is the first.
}

TEST(TaskTrialTest, EachStepIsToldBeforeItIsDone) {
  ScriptedJudge judge(
      [](const Task&) -> Result<Evaluation> { return Passed(0.002); });
  std::vector<std::string> told;
  const auto pieces = CutSource(kTwice);
  Wishes wishes;
  wishes.sizes["n"] = 1024;
  Drafting drafting;
  drafting.name = "mine";
  drafting.file = "mine.c";
  ASSERT_TRUE(TryOut(judge, pieces, *Read(pieces, wishes), wishes, drafting,
                     [&](const std::string& step) { told.push_back(step); }));
  EXPECT_THAT(
      told,
      ElementsAre("timing the function, with inputs of 8 KiB",
                  "judging the function on three shapes, and on shapes between "
                  "them",
                  "judging kernels that must fail"));
}

// Only that one of two results is to be updated which is named.
TEST(TaskTrialTest, AResultThatIsNamedIsUpdatedAlone) {
  ScriptedJudge judge([](const Task& task) -> Result<Evaluation> {
    if (task.definition.inputs.size() == 2) return Passed(0.002);
    return Failed(Verdict::kWrongOutput, "output z[3] is 0 and should be 1");
  });
  const auto tried =
      Try(judge,
          "void scale(int n, const float* x, float* y, float* z) {\n"
          "  for (int i = 0; i < n; ++i) { y[i] = x[i]; z[i] = x[i]; }\n}\n");
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(tried->reading.arguments[2].part, ArgumentRole::kResult);
  EXPECT_EQ(tried->reading.arguments[3].part, ArgumentRole::kInPlace);
}

TEST(TaskTrialTest, AResultThatIsNotWrittenAsAWholeIsUpdated) {
  ScriptedJudge judge([](const Task& task) -> Result<Evaluation> {
    if (task.definition.inputs.size() == 2) return Passed(0.002);
    return Failed(Verdict::kWrongOutput, "output y[3] was never written");
  });
  const auto tried = Try(judge);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(tried->reading.arguments[2].part, ArgumentRole::kInPlace);
  EXPECT_EQ(tried->reading.arguments[2].part_how,
            "tried: not all of it is written");
  EXPECT_EQ(tried->task.workloads.front().inputs.size(), 2u);
}

TEST(TaskTrialTest, InputsOnWhichItIsNotDefinedAreLeftOut) {
  ScriptedJudge judge([](const Task& task) -> Result<Evaluation> {
    const auto& tags = task.definition.tags;
    if (std::ranges::find(tags, "without:huge") != tags.end()) {
      return Passed(0.002);
    }
    return Failed(Verdict::kWrongOutput, "on inputs huge: output y[0] is inf",
                  1e300);
  });
  const auto tried = Try(judge);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_THAT(tried->notes, ElementsAre("it is not held to inputs \"huge\": "
                                        "there its own numbers are wrong"));
}

// Its error is 3 of the 8 that are allowed once: 8 * 3 / 0.4 is 60, and 64 the
// next power of two.  Then it is 3 / 8 of that.
TEST(TaskTrialTest, TheToleranceGrowsUntilTheFunctionItselfHasRoom) {
  ScriptedJudge judge([](const Task& task) -> Result<Evaluation> {
    const double ratio = 3.0 * 8.0 / task.tolerance.factor;
    if (ratio > 1.0) {
      return Failed(Verdict::kWrongOutput, "output y[0] is off", ratio);
    }
    return Passed(0.002, ratio);
  });
  // Where all results are updated already, only the bound can be at fault.
  const auto tried = Try(judge,
                         "void scale(int n, float* y) {\n"
                         "  for (int i = 0; i < n; ++i) y[i] *= 2;\n}\n");
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(tried->task.tolerance.factor, 64.0);
}

TEST(TaskTrialTest, AResultNearTheBoundWidensIt) {
  ScriptedJudge judge([](const Task& task) -> Result<Evaluation> {
    return Passed(0.002, 3.0 * 8.0 / task.tolerance.factor);
  });
  const auto tried = Try(judge);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(tried->task.tolerance.factor, 64.0);
  EXPECT_EQ(tried->worst_error_ratio, 0.375);  // 24 / 64
  EXPECT_THAT(tried->notes,
              ElementsAre(HasSubstr("allowed for: tolerance 64")));
}

// 8 * 0.9 / 0.4 is 18, so 32; then 128, 512 and 2048: the next is beyond 4096.
TEST(TaskTrialTest, TheBoundGrowsNoFurtherThanItMay) {
  ScriptedJudge judge(
      [](const Task&) -> Result<Evaluation> { return Passed(0.002, 0.9); });
  const auto tried = Try(judge);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(tried->task.tolerance.factor, 2048.0);
  EXPECT_THAT(tried->notes, ElementsAre(HasSubstr("tolerance 2048")));
}

// A hash of which the upper half is 0 on all inputs that it is tried on.
TEST(TaskTrialTest, SixtyFourBitsOfWhichHalfIsUnusedAreOneNumber) {
  ScriptedJudge judge(
      [](const Task&) -> Result<Evaluation> { return Passed(0.002); });
  judge.passing = "uint32_t* result";
  const auto tried = Try(judge,
                         "unsigned long sum(int n, const int* x) {\n"
                         "  unsigned long s = 0;\n"
                         "  for (int i = 0; i < n; ++i) s += x[i];\n"
                         "  return s;\n}\n");
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(tried->why_unfit, "");
  EXPECT_FALSE(tried->reading.arguments.back().is_pair);
  EXPECT_EQ(tried->reading.arguments.back().dtype, DType::kInt64);
  EXPECT_THAT(tried->notes,
              Contains("what is returned is taken to be below 2^53"));
}

// "zeros" assigns 0; what passes on any shape makes the task unfit.
TEST(TaskTrialTest, AKernelThatMustFailAndPassesMakesItUnfit) {
  ScriptedJudge judge(
      [](const Task&) -> Result<Evaluation> { return Passed(0.002); });
  judge.passing = "static_cast<float>(0)";
  const auto tried = Try(judge);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_THAT(tried->why_unfit, testing::StartsWith("zeros passes on mine_n"));
  EXPECT_EQ(tried->nulls, 8);
}

// `task check` says so, too: no note, and what can be done.
TEST(TaskTrialTest, ASumThatFewerBitsPassForIsUnfit) {
  ScriptedJudge judge(
      [](const Task&) -> Result<Evaluation> { return Passed(0.002); });
  judge.passing = "0xffff0000";
  const auto tried = Try(judge);
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_THAT(tried->why_unfit, HasSubstr("rounded to bfloat16 passes"));
  EXPECT_THAT(tried->why_unfit, HasSubstr("--input ARRAY=positive"));
}

// First with sizes as tasks have them, then as the function has them.
TEST(TaskTrialTest, SizesAreTypedAsTheFunctionHasThemWhereItDoesNotCompile) {
  ScriptedJudge judge([](const Task& task) -> Result<Evaluation> {
    if (eval::SourceOf(task.root).find("const int n =") != std::string::npos) {
      return Passed(0.002);
    }
    return Failed(Verdict::kCompileFailed, "narrowing");
  });
  EXPECT_TRUE(Try(judge));
}

TEST(TaskTrialTest, SaysWhyThereIsNoTask) {
  const auto complaint = [](Verdict verdict, const std::string& log) {
    ScriptedJudge judge([&](const Task&) -> Result<Evaluation> {
      return Failed(verdict, log);
    });
    const auto tried = Try(judge);
    return tried ? "" : tried.error().what;
  };
  EXPECT_THAT(complaint(Verdict::kCrashed, "signal 11"),
              HasSubstr("it is crashed (is each size right that was read? "
                        "--shape says one): signal 11"));
  EXPECT_THAT(complaint(Verdict::kCompileFailed, "no alhpa"),
              HasSubstr("compile_failed: no alhpa"));
  EXPECT_THAT(complaint(Verdict::kTimedOut, "signed integer overflow"),
              HasSubstr("integers:0..99"));
  // Left out once, it is still wrong there.
  EXPECT_THAT(complaint(Verdict::kWrongOutput, "on inputs huge: y[0] is inf"),
              HasSubstr("it is wrong_output: on inputs huge: y[0] is inf"));
}

TEST(TaskTrialTest, OfACompilersManyLinesTheFirstErrorIsTold) {
  const std::string log =
      "kernel.cc: In function 'void run(const int8_t*)':\n"
      "kernel.cc:9:20: error: invalid conversion to 'const char*'\n"
      "    9 |   out[i] = up(in + i);\n"
      "kernel.cc:12:1: error: another\n";
  for (const bool is_root : {true, false}) {
    ScriptedJudge judge([&](const Task&) -> Result<Evaluation> {
      if (is_root) return Failed(Verdict::kCompileFailed, log);
      return Fail(Errc::kUsage,
                  "mine: solution mine_root: does not compile: " + log);
    });
    const auto tried = Try(judge);
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.error().what,
              is_root ? "scale: judged against itself in wider numbers it is "
                        "compile_failed: invalid conversion to 'const char*'"
                      : "scale: no task as it is: mine: solution mine_root: "
                        "does not compile: invalid conversion to 'const "
                        "char*'");
  }
}

// No bound is wide enough for what is not finite.
TEST(TaskTrialTest, AFunctionThatIsWrongBesideItselfIsNoTask) {
  for (const double ratio : {HUGE_VAL, std::nan(""), 1e9, 0.5}) {
    ScriptedJudge judge([&](const Task&) -> Result<Evaluation> {
      return Failed(Verdict::kWrongOutput, "output y[0] is off", ratio);
    });
    const auto tried = Try(judge,
                           "void scale(int n, float* y) {\n"
                           "  for (int i = 0; i < n; ++i) y[i] *= 2;\n}\n");
    ASSERT_FALSE(tried) << ratio;
    EXPECT_EQ(tried.error().what,
              "scale: judged against itself in wider numbers it is "
              "wrong_output: output y[0] is off");
  }
}

// x has 16384 elements by the first size of one loop.  The root and the oracle
// are told of in different ways.
TEST(TaskTrialTest, AnAccessBeyondASizeThatWasSaidNamesIt) {
  const std::string log = "mine_n16384: killed by SIGSEGV: bad access at 0x10";
  Wishes wishes;
  wishes.shapes["x"] = {"n", "2"};
  for (const bool is_root : {true, false}) {
    ScriptedJudge judge([&](const Task&) -> Result<Evaluation> {
      if (is_root) return Failed(Verdict::kCrashed, log);
      return Fail(Errc::kUsage, log);
    });
    const auto tried = Try(judge, kTwice, wishes);
    ASSERT_FALSE(tried);
    EXPECT_THAT(tried.error().what,
                testing::EndsWith("0x10; x had 32768 elements by --shape "
                                  "x=n,2: are those too few?"));
  }
}

TEST(TaskTrialTest, ABadAccessBySubscriptsOfAnArrayNamesTheirForm) {
  ScriptedJudge judge([](const Task&) -> Result<Evaluation> {
    return Fail(Errc::kUsage, "mine_n16384: killed by SIGSEGV");
  });
  Wishes wishes;
  wishes.shapes["x"] = {"ROWS", "8"};
  const auto tried =
      Try(judge,
          "void f(int n, const int* at, const float* x, float* y) {\n"
          "  for (int i = 0; i < n; ++i) y[i] = x[8 * at[i] + 3];\n}",
          wishes);
  ASSERT_FALSE(tried);
  EXPECT_THAT(tried.error().what,
              testing::EndsWith(": are those too few?; elements of at are in "
                                "subscripts; perhaps --input at=index:ROWS"));
}

// A disk that is full is no fault of the function's.
TEST(TaskTrialTest, ErrorsOfOursAreHandedOn) {
  ScriptedJudge judge([](const Task&) -> Result<Evaluation> {
    return Fail(Errc::kIo, "disk full");
  });
  const auto tried = Try(judge);
  ASSERT_FALSE(tried);
  EXPECT_EQ(tried.error().code, Errc::kIo);
  EXPECT_EQ(tried.error().what, "disk full");
}

}  // namespace
}  // namespace coppice::engine::own
