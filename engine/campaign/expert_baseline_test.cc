#include "engine/campaign/expert_baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "store/scratch.h"
#include "store/write/baselines.h"

namespace coppice::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Task TaskWithExpert() {
  Task task;
  Solution& expert = task.expert.emplace();
  expert.language = Language::kCuda;
  expert.entry_file = "expert.cu";
  expert.entry_symbol = "run";
  expert.dependencies = {"coppice-cuda", "cublas"};
  expert.sources = {{"notes.txt", "no"}, {"expert.cu", "call cublas"}};
  return task;
}

class Judge final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task&, const Candidate& candidate,
                              Tier tier) override {
    asked.push_back(candidate.source);
    EXPECT_EQ(tier, Tier::kFull);
    EXPECT_THAT(candidate.libraries, ElementsAre("cublas"));
    return store::EvaluationOf(verdict, verdict == Verdict::kPassed
                                            ? std::optional(0.5)
                                            : std::nullopt);
  }
  Verdict verdict = Verdict::kPassed;
  std::vector<std::string> asked;
};

class ExpertBaselineTest : public testing::Test {
 protected:
  std::optional<Evaluation> Judged(const Task& task) {
    return store::Must(JudgeExpert(judge_, task, database_, campaign_, clock_));
  }

  SystemClock clock_;
  Judge judge_;
  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  CampaignId campaign_ = store::Plant(database_, "a");
};

TEST_F(ExpertBaselineTest, IsJudgedOnceAndStored) {
  for (int i = 0; i < 2; ++i) {
    const auto judged = Judged(TaskWithExpert());
    ASSERT_TRUE(judged);
    EXPECT_EQ(judged->runtime_s, 0.5);
  }
  EXPECT_THAT(judge_.asked, ElementsAre("call cublas"));
  EXPECT_TRUE(store::Must(store::ReadBaselineEvaluation(
      database_, campaign_, store::kExpertBaseline)));
}

TEST_F(ExpertBaselineTest, IsJudgedAgainWhereItDidNotPass) {
  judge_.verdict = Verdict::kInconclusive;
  EXPECT_EQ(Judged(TaskWithExpert())->verdict, Verdict::kInconclusive);
  judge_.verdict = Verdict::kPassed;
  EXPECT_EQ(Judged(TaskWithExpert())->verdict, Verdict::kPassed);
  EXPECT_THAT(judge_.asked, testing::SizeIs(2));
}

TEST_F(ExpertBaselineTest, ATaskMayComeWithNone) {
  EXPECT_FALSE(ExpertOf(Task{}).has_value());
  EXPECT_FALSE(Judged(Task{}).has_value());
  EXPECT_THAT(judge_.asked, IsEmpty());
}

// An expert may have several files, say, with a binding of its own.
TEST_F(ExpertBaselineTest, OfATraceSetItIsTheDocument) {
  Task task = TaskWithExpert();
  task.format = TaskFormat::kFlashInferBench;
  const auto expert = ExpertOf(task);
  ASSERT_TRUE(expert);
  EXPECT_THAT(expert->source, testing::HasSubstr("notes.txt"));
  EXPECT_THAT(expert->libraries, IsEmpty());
}

}  // namespace
}  // namespace coppice::engine
