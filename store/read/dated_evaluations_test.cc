#include "store/read/dated_evaluations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "store/scratch.h"
#include "store/write/baselines.h"
#include "store/write/nodes.h"

namespace coppice::store {
namespace {

using testing::ElementsAre;

using Seen = std::vector<std::tuple<double, bool, bool, Verdict>>;
Seen SeenOf(const Result<std::vector<DatedEvaluation>>& read) {
  Seen seen;
  for (const DatedEvaluation& one : Must(read)) {
    seen.emplace_back(one.evaluated_at_s, one.further, one.decides,
                      one.evaluation.verdict);
  }
  return seen;
}

class DatedEvaluationsTest : public testing::Test {
 protected:
  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

// A root that was screened by nobody, confirmed twice: its first stays.
TEST_F(DatedEvaluationsTest, TheOneThatANodeWasCommittedWithDecides) {
  Nodes nodes(database_);
  for (const double at_s : {50.0, 60.0}) {
    Must(nodes.AddEvaluation(campaign_, kRootNode,
                             EvaluationOf(Verdict::kPassed, 0.5), at_s));
  }
  const Seen seen =
      SeenOf(ReadDatedEvaluations(database_, campaign_, kRootNode));
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(std::get<1>(seen[0]), false);
  EXPECT_EQ(std::get<2>(seen[0]), true);
  EXPECT_EQ(seen[1], std::tuple(50.0, true, false, Verdict::kPassed));
  EXPECT_EQ(seen[2], std::tuple(60.0, true, false, Verdict::kPassed));
}

TEST_F(DatedEvaluationsTest, TheLatestOfABaselineDecides) {
  for (const Verdict verdict : {Verdict::kCrashed, Verdict::kRejected}) {
    Must(AddBaselineEvaluation(database_, campaign_, kExpertBaseline,
                               EvaluationOf(verdict, {}),
                               verdict == Verdict::kCrashed ? 70.0 : 80.0));
  }
  EXPECT_THAT(
      SeenOf(ReadDatedEvaluations(database_, campaign_, kExpertBaseline)),
      ElementsAre(std::tuple(70.0, false, false, Verdict::kCrashed),
                  std::tuple(80.0, false, true, Verdict::kRejected)));
}

}  // namespace
}  // namespace coppice::store
