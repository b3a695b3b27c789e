#include "store/read/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SeriesKey KeyOf(const std::string& contender,
                const std::string& definition = "as it is",
                std::int64_t rules = 1) {
  return {{"sim:hill/1", Sha256(definition), rules}, contender};
}

const SeriesRequest kTwoSeeds{1, 2, 30};

class SeriesTest : public ::testing::Test {
 protected:
  SeriesId Enter(Database& database, const SeriesKey& key) {
    return Must(SeriesScores(database).Enter({key}, {kTwoSeeds})).front();
  }
  static std::vector<SeriesScore> ScoresOf(Database& database,
                                           SeriesId series) {
    std::vector<SeriesScore> scores;
    Must(SeriesScores(database).ForEach(
        series, [&](const SeriesScore& score) { scores.push_back(score); }));
    return scores;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  SeriesScores scores_{database_};
};

TEST_F(SeriesTest, WhatIsAddedIsReadBackToTheLastBit) {
  const SeriesId stark = Enter(database_, KeyOf("stark"));
  const SeriesScore second{2, 30, 0.1 + 0.2, 27, 12};
  const SeriesScore first{1, 30, std::nullopt, 3, 0};
  Must(scores_.Add({{stark, {second, first}}}));
  EXPECT_THAT(ScoresOf(database_, stark), ElementsAre(first, second));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(SeriesTest, ASeriesIsMadeOnceForEachDefinitionAndRules) {
  const SeriesId stark = Enter(database_, KeyOf("stark"));
  EXPECT_EQ(Enter(database_, KeyOf("stark")), stark);
  EXPECT_NE(Enter(database_, KeyOf("greedy")), stark);
  EXPECT_NE(Enter(database_, KeyOf("stark", "another table")), stark);
  EXPECT_NE(Enter(database_, KeyOf("stark", "as it is", 2)), stark);
  const auto rows = Must(scores_.List());
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].key, KeyOf("stark"));
  EXPECT_EQ(rows[3].key, KeyOf("stark", "as it is", 2));
  ASSERT_EQ(rows[0].requests.size(), 1u);
  EXPECT_EQ(rows[0].requests[0].attempts, 30);
}

TEST_F(SeriesTest, AScoreIsAddedOnceAndAnotherIsRefused) {
  const SeriesId stark = Enter(database_, KeyOf("stark"));
  const SeriesScore score{1, 30, 0.5, 20, 10};
  Must(scores_.Add({{stark, {score}}}));
  Must(scores_.Add({{stark, {score}}}));
  SeriesScore other = score;
  other.log_speedup = 0.6;
  const auto refused = scores_.Add({{stark, {{2, 30, 0.1, 9, 9}, other}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kCorrupt);
  EXPECT_THAT(refused.error().what, HasSubstr("seed 1, 30 attempts"));
  EXPECT_THAT(ScoresOf(database_, stark), ElementsAre(score));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// Two machines had a seed each, and entered their policies in another order.
TEST_F(SeriesTest, MergedFilesHoldWhatOneMachineWouldHaveMade) {
  Database whole = NewFile(directory_.File("whole.db"));
  Database other = NewFile(directory_.File("other.db"));
  const SeriesScore first{1, 30, 0.5, 20, 10};
  const SeriesScore second{2, 30, std::nullopt, 5, 0};
  for (const char* policy : {"stark", "greedy"}) {
    Must(scores_.Add({{Enter(database_, KeyOf(policy)), {first}}}));
    Must(SeriesScores(whole).Add(
        {{Enter(whole, KeyOf(policy)), {first, second}}}));
  }
  for (const char* policy : {"greedy", "stark"}) {
    Must(SeriesScores(other).Add({{Enter(other, KeyOf(policy)), {second}}}));
  }
  EXPECT_NE(Must(scores_.Fingerprint()),
            Must(SeriesScores(whole).Fingerprint()));
  EXPECT_EQ(Must(scores_.Merge(other)).news, 2);
  EXPECT_EQ(Must(scores_.Merge(other)).news, 0);
  EXPECT_EQ(Must(scores_.Fingerprint()),
            Must(SeriesScores(whole).Fingerprint()));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(SeriesTest, FilesThatPlayedACampaignDifferentlyAreNotMerged) {
  Database other = NewFile(directory_.File("other.db"));
  Must(scores_.Add(
      {{Enter(database_, KeyOf("stark")), {{1, 30, 0.5, 20, 10}}}}));
  Must(SeriesScores(other).Add(
      {{Enter(other, KeyOf("greedy")), {{1, 30, 0.5, 20, 10}}}}));
  Must(SeriesScores(other).Add(
      {{Enter(other, KeyOf("stark")), {{1, 30, 0.5, 20, 11}}}}));
  const auto before = Must(scores_.Fingerprint());
  EXPECT_EQ(scores_.Merge(other).error().code, Errc::kCorrupt);
  EXPECT_EQ(Must(scores_.Fingerprint()), before);
}

TEST_F(SeriesTest, AChangedScoreIsFoundByItsSeal) {
  Must(scores_.Add(
      {{Enter(database_, KeyOf("stark")), {{1, 30, 0.5, 20, 10}}}}));
  Damage(directory_.File("x.db"), "UPDATE score SET log_speedup = 0.25");
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre(HasSubstr("rows of score (series_id 0 to 63)")));
}

// e^0.5 = 1.6487.
TEST_F(SeriesTest, SqlReadsScoresByTheirNames) {
  const SeriesId stark = Enter(database_, KeyOf("stark"));
  Must(scores_.Add({{stark, {{1, 30, 0.5, 20, 10}, {2, 30, {}, 4, 0}}}}));
  EXPECT_THAT(Rows(database_,
                   "SELECT landscape, length(definition), rules, policy, seed,"
                   " attempts, solved, log_speedup, round(speedup, 4),"
                   " compiled, correct FROM scores_in_memory ORDER BY seed"),
              ElementsAre("sim:hill/1|64|1|stark|1|30|1|0.5|1.6487|20|10",
                          "sim:hill/1|64|1|stark|2|30|0|0|1|4|0"));
}

}  // namespace
}  // namespace coppice::store
