#include "eval/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/formats/test_tasks.h"
#include "eval/judge/evaluators.h"
#include "eval/null_candidates.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class AdmissionTest : public testing::Test {
 protected:
  static std::vector<Finding> Examine(const Task& task) {
    CpuEvaluatorOptions options;
    options.cache_directory = COPPICE_TEST_CACHE;
    options.runner = COPPICE_RUNNER;
    options.input_seed = 1;
    auto evaluator = MakeCpuEvaluator(options);
    EXPECT_TRUE(evaluator) << evaluator.error().what;
    auto findings = ExamineTask(**evaluator, task);
    EXPECT_TRUE(findings) << findings.error().what;
    return findings.value_or(std::vector<Finding>{});
  }

  static std::vector<Finding> Objections(const Task& task) {
    std::vector<Finding> findings = Examine(task);
    std::erase_if(findings, [](const Finding& f) { return f.Good(); });
    return findings;
  }
};

// 9 null candidates and the root.
TEST_F(AdmissionTest, AFitTaskHasGoodFindingsOnEveryWorkload) {
  const std::vector<Finding> findings = Examine(ScaleTask());
  EXPECT_EQ(findings.size(), 10u * 2);
  for (const Finding& finding : findings) {
    EXPECT_TRUE(finding.Good())
        << finding.candidate << " on " << finding.workload;
    EXPECT_EQ(finding.log, "");
  }
  EXPECT_EQ(findings.back().candidate, "root");
  EXPECT_EQ(findings.back().workload, "pages");
  EXPECT_LE(findings.back().worst_error_ratio, 1.0);
  EXPECT_THAT(Objections(RowSumTask()), IsEmpty());
}

// Whatever the operation, its mean is right, and its first half twice.
TEST_F(AdmissionTest, OneNumberIsItsOwnMean) {
  Task task = RowSumTask();
  task.workloads = {MakeWorkload("rows", {{"R", 33}}),
                    MakeWorkload("row", {{"R", 1}})};
  std::vector<std::string> excused;
  for (const Finding& finding : Examine(task)) {
    EXPECT_TRUE(finding.Good())
        << finding.candidate << " on " << finding.workload;
    if (finding.log.empty()) continue;
    EXPECT_EQ(finding.workload, "row");
    EXPECT_EQ(finding.log,
              "right by construction, since each output is one number");
    excused.push_back(finding.candidate);
  }
  EXPECT_THAT(excused, testing::ElementsAre("the mean of the right output",
                                            "the first half twice"));
}

// y = 0 x: zeros are the right answer, and so is what repeats, averages or
// rounds them.
TEST_F(AdmissionTest, ADegenerateTaskIsObjectedTo) {
  Task task = ScaleTask();
  task.workloads.resize(1);
  task.workloads[0].inputs = {{"a", ScalarInput{0.0}}};
  const std::vector<Finding> objections = Objections(task);
  ASSERT_FALSE(objections.empty());
  EXPECT_EQ(objections[0].candidate, "zeros");
  EXPECT_EQ(objections[0].workload, "short");
  EXPECT_EQ(objections[0].found, Verdict::kPassed);
  EXPECT_EQ(objections[0].expected, Verdict::kWrongOutput);
  std::vector<std::string> names;
  for (const Finding& finding : objections) names.push_back(finding.candidate);
  EXPECT_THAT(names, testing::Contains("the mean of the right output"));
  EXPECT_THAT(names, testing::Contains("rounded to bfloat16"));
  EXPECT_THAT(names, testing::Not(testing::Contains("ones")));
}

// A tolerance of 2^17 units is as wide as one of bfloat16.
TEST_F(AdmissionTest, AToleranceThatHidesFewerBitsIsObjectedTo) {
  Task task = ScaleTask();
  task.tolerance.factor = 131072.0;
  const std::vector<Finding> objections = Objections(task);
  ASSERT_THAT(objections, testing::SizeIs(2));
  EXPECT_EQ(objections[0].candidate, "rounded to bfloat16");
}

TEST_F(AdmissionTest, ARootThatFailsItsOwnTaskIsObjectedTo) {
  Task task = RowSumTask();
  task.root = MakeSolution("run", R"(
    #include <cstdint>
    extern "C" void run(const float* x, float* y, int64_t R) {
      for (int64_t i = 0; i < R; ++i) y[i] = x[i];
    })");
  const std::vector<Finding> objections = Objections(task);
  ASSERT_THAT(objections, testing::SizeIs(1));
  EXPECT_EQ(objections[0].candidate, "root");
  EXPECT_THAT(objections[0].log, HasSubstr("output y[0]"));
}

// Right for N(0, 1), where the sum of 300 is never beyond 200.
TEST_F(AdmissionTest, ARootThatIsRightForPlainInputsAloneIsObjectedTo) {
  Task task = RowSumTask();
  task.root = MakeSolution("run", R"(
    #include <cstdint>
    extern "C" void run(const float* x, float* y, int64_t R) {
      for (int64_t i = 0; i < R; ++i) {
        float sum = 0.0f;
        for (int64_t j = 0; j < 300; ++j) sum += x[i * 300 + j];
        y[i] = sum > 200.0f ? 200.0f : sum;
      }
    })");
  const std::vector<Finding> objections = Objections(task);
  ASSERT_THAT(objections, testing::SizeIs(1));
  EXPECT_THAT(objections[0].log, HasSubstr("on inputs "));
}

// Says what is written for a source, on each workload of the task it is given.
class Scripted : public Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override {
    EXPECT_EQ(candidate.language, Language::kCuda);
    asked.push_back(task.workloads.front().uuid + ".." +
                    task.workloads.back().uuid + " " +
                    std::string(tier == Tier::kFull ? "full" : "fast"));
    const bool is_root = candidate.source == task.root.sources[0].content;
    Evaluation evaluation;
    evaluation.verdict = is_root ? Verdict::kPassed : Verdict::kWrongOutput;
    for (const Workload& workload : task.workloads) {
      WorkloadResult result;
      result.workload = workload.uuid;
      result.verdict = evaluation.verdict;
      result.worst_error_ratio = is_root ? 0.5 : 9.0;
      if (!is_root && candidate.source == passes && workload.uuid == "pages") {
        result.verdict = Verdict::kPassed;
      }
      evaluation.workloads.push_back(result);
    }
    evaluation.log = "what it did\n";
    return evaluation;
  }

  std::string passes;  // On the workload "pages".
  std::vector<std::string> asked;
};

// A candidate for a GPU is dropped at the first workload that it fails on.
TEST(CudaAdmissionTest, NullCandidatesAreJudgedOnEachWorkloadAlone) {
  Scripted evaluator;
  const auto findings = ExamineTask(evaluator, CudaScaleTask());
  ASSERT_TRUE(findings) << findings.error().what;
  // 9 on each of two workloads, and the root on both.
  ASSERT_EQ(evaluator.asked.size(), 19u);
  EXPECT_EQ(evaluator.asked[0], "short..short fast");
  EXPECT_EQ(evaluator.asked[8], "short..short fast");
  EXPECT_EQ(evaluator.asked[9], "pages..pages fast");
  EXPECT_EQ(evaluator.asked[18], "short..pages full");
  // A candidate's findings stand together.
  ASSERT_EQ(findings->size(), 20u);
  EXPECT_EQ((*findings)[0].candidate, "zeros");
  EXPECT_EQ((*findings)[1].candidate, "zeros");
  EXPECT_EQ((*findings)[1].workload, "pages");
  EXPECT_EQ((*findings)[2].candidate, "ones");
  EXPECT_EQ(findings->back().candidate, "root");
  EXPECT_EQ(findings->back().worst_error_ratio, 0.5);
  for (const Finding& finding : *findings) {
    EXPECT_TRUE(finding.Good()) << finding.candidate;
    EXPECT_EQ(finding.log, "");
  }
}

TEST(CudaAdmissionTest, ANullCandidateThatPassesOnOneWorkloadIsObjectedTo) {
  const Task task = CudaScaleTask();
  const auto nulls = NullCandidates(task);
  ASSERT_TRUE(nulls) << nulls.error().what;
  Scripted evaluator;
  evaluator.passes = (*nulls)[4].source;
  auto findings = ExamineTask(evaluator, task);
  ASSERT_TRUE(findings) << findings.error().what;
  std::erase_if(*findings, [](const Finding& f) { return f.Good(); });
  ASSERT_THAT(*findings, testing::SizeIs(1));
  EXPECT_EQ((*findings)[0].candidate, "the mean of the right output");
  EXPECT_EQ((*findings)[0].workload, "pages");
  EXPECT_EQ((*findings)[0].found, Verdict::kPassed);
  EXPECT_EQ((*findings)[0].log, "what it did\n");
}

Finding Found(const char* candidate, const char* workload, Verdict expected,
              Verdict found) {
  return {candidate, workload, expected, found, 0.0, ""};
}

TEST(WhyUnfitTest, NamesWhatPassesAndWhatFailsOnAllWorkloads) {
  constexpr Verdict kRight = Verdict::kPassed;
  constexpr Verdict kWrong = Verdict::kWrongOutput;
  EXPECT_EQ(WhyUnfit({}), "");
  EXPECT_EQ(WhyUnfit({Found("zeros", "a", kWrong, kWrong),
                      Found("root", "a", kRight, kRight)}),
            "");
  // A candidate would have to be right on b.
  EXPECT_EQ(WhyUnfit({Found("zeros", "a", kWrong, kRight),
                      Found("zeros", "b", kWrong, kWrong)}),
            "");
  EXPECT_EQ(WhyUnfit({Found("zeros", "a", kWrong, kRight),
                      Found("zeros", "b", kWrong, kRight),
                      Found("ones", "a", kWrong, kRight),
                      Found("ones", "b", kWrong, kRight)}),
            "measures nothing, since these pass: zeros, ones");
  EXPECT_EQ(WhyUnfit({Found("the previous output", "a", kWrong, kRight)}),
            "measures nothing, since these pass: the previous output (its "
            "outputs hardly depend on its inputs)");
  // It is right by construction.
  EXPECT_EQ(WhyUnfit({Found("the mean of the output", "a", kRight, kRight)}),
            "");
  EXPECT_EQ(WhyUnfit({Found("in double precision", "a", kRight, kWrong)}),
            "measures nothing, since it fails in double precision");
  EXPECT_EQ(WhyUnfit({Found("zeros", "a", kWrong, kRight),
                      Found("in double precision", "a", kRight, kWrong)}),
            "measures nothing, since these pass: zeros; and it fails in double "
            "precision");
}

TEST(WhyUnfitTest, SaysByHowMuchAProblemFailsInDoublePrecision) {
  Finding one = Found("in double precision", "a", Verdict::kPassed,
                      Verdict::kWrongOutput);
  Finding other = one;
  one.worst_error_ratio = 1.07;
  one.log = "on inputs as drawn: element 5";
  other.workload = "b";
  other.worst_error_ratio = 4.19;
  other.log = "on inputs as drawn: element 8";
  EXPECT_EQ(WhyUnfit({one, other}),
            "measures nothing, since it fails in double precision by 4.2 times "
            "the allowed error, on inputs as drawn: element 8");
}

TEST(FindingTest, OnlyWhatTellsOfTheTaskCondemnsIt) {
  constexpr Verdict kRight = Verdict::kPassed;
  constexpr Verdict kWrong = Verdict::kWrongOutput;
  EXPECT_TRUE(Found("zeros", "a", kWrong, kRight).Condemns());
  EXPECT_TRUE(Found("in double precision", "a", kRight, kWrong).Condemns());
  EXPECT_TRUE(Found("root", "a", kRight, Verdict::kCrashed).Condemns());
  EXPECT_FALSE(Found("zeros", "a", kWrong, kWrong).Condemns());
  EXPECT_FALSE(Found("zeros", "a", kWrong, Verdict::kCrashed).Condemns());
  EXPECT_FALSE(Found("zeros", "a", kWrong, Verdict::kTimedOut).Condemns());
  EXPECT_FALSE(Found("root", "a", kRight, Verdict::kInconclusive).Condemns());
}

// `task check` and `new` say the same of the same findings.
TEST(FitnessTest, OneFindingCondemnsAndOneThatTellsNothingLeavesItUnknown) {
  constexpr auto kWrong = Verdict::kWrongOutput;
  const Finding good = Found("zeros", "a", kWrong, kWrong);
  const Finding bad = Found("ones", "b", kWrong, Verdict::kPassed);
  const Finding mute = Found("ones", "b", kWrong, Verdict::kTimedOut);
  EXPECT_EQ(FitnessOf({good}), Fitness::kFit);
  EXPECT_EQ(FitnessOf({good, mute}), Fitness::kUnknown);
  EXPECT_EQ(FitnessOf({good, mute, bad}), Fitness::kUnfit);
}

TEST(WhyUnfitTest, WhatCannotBeJudgedShowsNothing) {
  for (const Verdict found :
       {Verdict::kCrashed, Verdict::kTimedOut, Verdict::kInconclusive}) {
    EXPECT_EQ(WhyUnfit({Found("zeros", "a", Verdict::kWrongOutput, found),
                        Found("root", "a", Verdict::kPassed, found)}),
              "");
  }
}

}  // namespace
}  // namespace coppice::eval
