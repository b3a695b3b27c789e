#include "eval/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "eval/test_tasks.h"

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
  EXPECT_THAT(objections[0].log, HasSubstr("on inputs of the distribution"));
}

TEST(NullCandidatesTest, FollowTheDefinitionsSignature) {
  auto nulls = NullCandidates(RowSumTask());
  ASSERT_TRUE(nulls);
  ASSERT_EQ(nulls->size(), 9u);
  EXPECT_EQ((*nulls)[3].name, "copy of the first input");
  EXPECT_EQ((*nulls)[3].source, R"(#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t R) {
  for (int64_t i_ = 0; i_ < int64_t(1) * int64_t(R); ++i_) {
    y[i_] = static_cast<float>(x[i_ % (int64_t(1) * int64_t(R) * int64_t(300))]);
  }
}
)");
}

TEST(NullCandidatesTest, WrapTheRootUnderAnotherName) {
  auto nulls = NullCandidates(RowSumTask());
  ASSERT_TRUE(nulls);
  EXPECT_EQ((*nulls)[7].name, "all but the last element");
  EXPECT_THAT((*nulls)[7].source, HasSubstr("#define run right_\n"));
  EXPECT_THAT((*nulls)[7].source, HasSubstr(R"(#undef run

extern "C" void run(const float* x, float* y, int64_t R) {
  right_(x, y, R);
  {
    using T_ = float;
    T_* y_ = y;
    const int64_t n_ = int64_t(1) * int64_t(R);
    y_[n_ - 1] = T_();
  }
}
)"));
}

TEST(NullCandidatesTest, ExistForCppTasks) {
  Task task = RowSumTask();
  task.root.language = Language::kCuda;
  const auto nulls = NullCandidates(task);
  ASSERT_FALSE(nulls);
  EXPECT_EQ(nulls.error().code, Errc::kUnavailable);
}

}  // namespace
}  // namespace coppice::eval
