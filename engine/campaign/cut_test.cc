#include "engine/campaign/cut.h"

#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "store/records/evaluation.h"

namespace coppice::engine {
namespace {

Evaluation Passed() {
  Evaluation evaluation;
  evaluation.verdict = Verdict::kPassed;
  return evaluation;
}

TEST(FlagTest, ItIsUpUntilTheLastWhoRaisedItLowersIt) {
  Flag flag;
  EXPECT_FALSE(flag.up());
  flag.Raise();
  flag.Raise();
  EXPECT_TRUE(flag.up());
  flag.Lower();
  EXPECT_TRUE(flag.up());
  flag.Lower();
  EXPECT_FALSE(flag.up());
}

// What each says of the count has to be said in the order of the counts, or the
// last word is an older one's and the flag stays up for good.
TEST(FlagTest, WhoRaisesItBesideOthersLeavesItAsTheyAllWant) {
  Flag flag;
  const auto raise_and_lower = [&flag] {
    for (int i = 0; i < 1'000'000; ++i) {
      flag.Raise();
      if (!flag.up()) {
        ADD_FAILURE() << "it is down while somebody wants it up";
        return;
      }
      flag.Lower();
    }
  };
  {
    std::jthread other(raise_and_lower);
    raise_and_lower();
  }
  EXPECT_FALSE(flag.up());
}

TEST(CutTest, TheFlagIsUpFromTheStopToTheEndOfTheCut) {
  Flag flag;
  // g++ 12 warns of one that lies on the stack.
  const auto source = std::make_unique<std::stop_source>();
  {
    const Cut cut(flag, source->get_token());
    EXPECT_FALSE(flag.up());
    source->request_stop();
    EXPECT_TRUE(flag.up());
  }
  EXPECT_FALSE(flag.up());
  {
    const Cut late(flag, source->get_token());
    EXPECT_TRUE(flag.up());
  }
  EXPECT_FALSE(flag.up());
}

TEST(CutTest, OneThatNobodyStoppedLowersNothing) {
  Flag flag;
  flag.Raise();  // By somebody else.
  const auto source = std::make_unique<std::stop_source>();
  { const Cut cut(flag, source->get_token()); }
  EXPECT_TRUE(flag.up());
  source->request_stop();  // Too late to reach it.
  flag.Lower();
  EXPECT_FALSE(flag.up());
}

class EvaluateUntilTest : public testing::Test {
 protected:
  // "passed", or the error of the `calls`-th evaluation at last.
  std::string Outcome(const std::function<Result<Evaluation>()>& evaluate) {
    calls_ = 0;
    const auto evaluation =
        EvaluateUntil(source_->get_token(), flag_, &is_over_, [&] {
          ++calls_;
          return evaluate();
        });
    if (!evaluation) return evaluation.error().what;
    return std::string(Name(evaluation->verdict));
  }

  const std::unique_ptr<std::stop_source> source_ =
      std::make_unique<std::stop_source>();
  Flag flag_;
  std::atomic<bool> is_over_ = false;
  int calls_ = 0;
};

TEST_F(EvaluateUntilTest, WhatIsDoneIsDoneAtOnce) {
  EXPECT_EQ(Outcome(Passed), "passed");
  EXPECT_EQ(calls_, 1);
}

TEST_F(EvaluateUntilTest, NothingBeginsOnceItIsStopped) {
  source_->request_stop();
  EXPECT_EQ(Outcome(Passed), "evaluation: cancelled");
  EXPECT_EQ(calls_, 0);
  EXPECT_FALSE(flag_.up());
}

// The evaluator sees the flag, and ends.
TEST_F(EvaluateUntilTest, WhoIsStoppedMeanwhileRaisesTheFlagAndEnds) {
  bool was_up = false;
  EXPECT_EQ(Outcome([&]() -> Result<Evaluation> {
              source_->request_stop();
              was_up = flag_.up();
              return Fail(Errc::kCancelled, "cut");
            }),
            "cut");
  EXPECT_TRUE(was_up);
  EXPECT_EQ(calls_, 1);
  EXPECT_FALSE(flag_.up());
}

TEST_F(EvaluateUntilTest, WhatAnothersWishHasEndedIsBegunAgain) {
  EXPECT_EQ(Outcome([&]() -> Result<Evaluation> {
              if (calls_ < 3) return Fail(Errc::kCancelled, "another's");
              return Passed();
            }),
            "passed");
  EXPECT_EQ(calls_, 3);
}

TEST_F(EvaluateUntilTest, ItIsNotBegunAgainWhereAllAreToEnd) {
  EXPECT_EQ(Outcome([&]() -> Result<Evaluation> {
              is_over_ = true;
              return Fail(Errc::kCancelled, "all end");
            }),
            "all end");
  EXPECT_EQ(calls_, 1);
}

TEST_F(EvaluateUntilTest, AnotherErrorIsNoReasonToBeginAgain) {
  EXPECT_EQ(Outcome([]() -> Result<Evaluation> {
              return Fail(Errc::kFull, "disk full");
            }),
            "disk full");
  EXPECT_EQ(calls_, 1);
}

// What was done in time counts, though nobody waits for it any more.
TEST_F(EvaluateUntilTest, WhatIsDoneInSpiteOfAStopCounts) {
  EXPECT_EQ(Outcome([&]() -> Result<Evaluation> {
              source_->request_stop();
              return Passed();
            }),
            "passed");
}

}  // namespace
}  // namespace coppice::engine
