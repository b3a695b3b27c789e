#include "eval/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "eval/test_tasks.h"

namespace coppice::eval {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class AdmissionTest : public testing::Test {
 protected:
  static std::vector<Objection> Check(const Task& task) {
    CpuEvaluatorOptions options;
    options.cache_directory = COPPICE_TEST_CACHE;
    options.runner = COPPICE_RUNNER;
    options.input_seed = 1;
    auto evaluator = MakeCpuEvaluator(options);
    EXPECT_TRUE(evaluator) << evaluator.error().what;
    auto objections = CheckTask(**evaluator, task);
    EXPECT_TRUE(objections) << objections.error().what;
    return objections.value_or(std::vector<Objection>{});
  }
};

TEST_F(AdmissionTest, AFitTaskHasNoObjections) {
  EXPECT_THAT(Check(ScaleTask()), IsEmpty());
  EXPECT_THAT(Check(RowSumTask()), IsEmpty());
}

// y = 0 x: zeros are the right answer, and a tolerance as wide as the input's
// size lets a copy of the input pass too.
TEST_F(AdmissionTest, ADegenerateTaskIsObjectedTo) {
  Task task = ScaleTask();
  task.workloads.resize(1);
  task.workloads[0].inputs = {{"a", ScalarInput{0.0}}};
  EXPECT_THAT(Check(task),
              ElementsAre(testing::AllOf(
                  Field(&Objection::candidate, "zeros"),
                  Field(&Objection::workload, "short"),
                  Field(&Objection::what, HasSubstr("found passed")))));
}

TEST_F(AdmissionTest, ARootThatFailsItsOwnTaskIsObjectedTo) {
  Task task = RowSumTask();
  task.root = MakeSolution("run", R"(
    #include <cstdint>
    extern "C" void run(const float* x, float* y, int64_t R) {
      for (int64_t i = 0; i < R; ++i) y[i] = x[i];
    })");
  EXPECT_THAT(Check(task), ElementsAre(Field(&Objection::candidate, "root")));
}

TEST(NullCandidatesTest, FollowTheDefinitionsSignature) {
  auto nulls = NullCandidates(RowSumTask().definition);
  ASSERT_TRUE(nulls);
  ASSERT_EQ(nulls->size(), 4u);
  EXPECT_EQ((*nulls)[3].name, "copy of the first input");
  EXPECT_EQ((*nulls)[3].source, R"(#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t R) {
  for (int64_t i_ = 0; i_ < int64_t(1) * int64_t(R); ++i_) {
    y[i_] = static_cast<float>(x[i_ % (int64_t(1) * int64_t(R) * int64_t(300))]);
  }
}
)");
}

}  // namespace
}  // namespace coppice::eval
