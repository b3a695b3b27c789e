#include "engine/campaign/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "store/read/history.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using testing::ElementsAre;

// What a source does when it is looked at again; it passes if nothing is said.
class SecondLook final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task&, const Candidate& candidate,
                              Tier tier) override {
    asked.push_back(candidate.source);
    const auto found = verdicts.find(candidate.source);
    const Verdict verdict =
        found == verdicts.end() ? Verdict::kPassed : found->second;
    Evaluation evaluation = store::EvaluationOf(
        verdict,
        verdict == Verdict::kPassed ? std::optional(1.0) : std::nullopt);
    evaluation.tier = tier;
    return evaluation;
  }
  std::map<std::string, Verdict> verdicts;
  std::vector<std::string> asked;
};

// Root 4 s; a 1 s, b 1.5 s, c 2 s, d 3 s.
class VerificationTest : public testing::Test {
 protected:
  VerificationTest() {
    for (const auto& [source, runtime_s] :
         {std::pair("a", 1.0), std::pair("b", 1.5), std::pair("c", 2.0),
          std::pair("d", 3.0)}) {
      store::Grow(database_, campaign_, kRootNode,
                  {.source = source, .runtime_s = runtime_s});
    }
  }
  Verification Verify(std::size_t top) {
    return store::Must(
        VerifyLeaders(evaluator_, task_, database_, campaign_, top, clock_,
                      drain_, [this](NodeId) { drain_ = stop_at_once_; }));
  }

  std::vector<std::int64_t> Leaders() {
    std::vector<std::int64_t> nodes;
    for (const auto& leader :
         store::Must(store::ReadLeaders(database_, campaign_))) {
      nodes.push_back(Index(leader.line.node));
    }
    return nodes;
  }

  Task task_;
  SystemClock clock_;
  std::atomic<bool> drain_{false};
  bool stop_at_once_ = false;
  SecondLook evaluator_;
  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  CampaignId campaign_ = store::Plant(database_, "a");
};

TEST_F(VerificationTest, TheFirstLeadersAreEvaluatedAgain) {
  const Verification found = Verify(2);
  EXPECT_THAT(evaluator_.asked, ElementsAre("a", "b"));
  ASSERT_EQ(found.nodes.size(), 2u);
  EXPECT_EQ(found.nodes[1].node, NodeId{2});
  EXPECT_DOUBLE_EQ(found.nodes[0].claimed.ratio, 4.0);
  EXPECT_FALSE(found.nodes[0].IsQuarantined());
  EXPECT_FALSE(found.is_cut);
}

// a goes, so c moves up among the first two.
TEST_F(VerificationTest, WhoMovesUpIsEvaluatedToo) {
  evaluator_.verdicts["a"] = Verdict::kWrongOutput;
  const Verification found = Verify(2);
  EXPECT_THAT(evaluator_.asked, ElementsAre("a", "b", "c"));
  EXPECT_TRUE(found.nodes[0].IsQuarantined());
  EXPECT_THAT(Leaders(), ElementsAre(2, 3, 4, 0));
}

TEST_F(VerificationTest, WhatCannotBeDecidedStays) {
  evaluator_.verdicts["a"] = Verdict::kInconclusive;
  const Verification found = Verify(1);
  EXPECT_THAT(evaluator_.asked, ElementsAre("a"));
  EXPECT_FALSE(found.nodes[0].IsQuarantined());
}

TEST_F(VerificationTest, AllMayGoButTheRoot) {
  for (const char* source : {"a", "b", "c", "d"}) {
    evaluator_.verdicts[source] = Verdict::kCrashed;
  }
  EXPECT_EQ(Verify(3).nodes.size(), 4u);
  EXPECT_THAT(Leaders(), ElementsAre(0));
}

TEST_F(VerificationTest, AStopKeepsWhatIsDone) {
  stop_at_once_ = true;
  const Verification found = Verify(3);
  EXPECT_TRUE(found.is_cut);
  EXPECT_EQ(found.nodes.size(), 1u);
  EXPECT_EQ(store::Must(store::ReadEvaluations(database_, campaign_, NodeId{1}))
                .size(),
            2u);
}

}  // namespace
}  // namespace coppice::engine
