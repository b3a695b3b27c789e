#include "store/read/change_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"
#include "store/write/directives.h"

namespace coppice::store {
namespace {

class ChangeCounterTest : public ::testing::Test {
 protected:
  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  Database writer_ = NewFile(path_);
  CampaignId campaign_ = Plant(writer_, "a");
  Database watcher_ = Must(Database::Open(path_, Access::kWatch));
};

TEST_F(ChangeCounterTest, AnothersCommitChangesTheVersionAndALookDoesNot) {
  const std::int64_t before = Must(DataVersion(watcher_));
  Must(ReadChangeCounters(watcher_));
  EXPECT_EQ(Must(DataVersion(watcher_)), before);
  Grow(writer_, campaign_, kRootNode);
  EXPECT_NE(Must(DataVersion(watcher_)), before);
}

TEST_F(ChangeCounterTest, ItSaysHowFarACampaignIs) {
  Grow(writer_, campaign_, kRootNode);
  Must(Attempts(writer_).Reserve(campaign_, ReservationOf(1, kRootNode)));
  const auto change_counters = Must(ReadChangeCounters(watcher_));
  ASSERT_EQ(change_counters.size(), 1U);
  EXPECT_EQ(change_counters[0].name, "a");
  EXPECT_EQ(change_counters[0].nodes, 2);  // The root, and one.
  EXPECT_EQ(change_counters[0].attempts, 2);
  EXPECT_EQ(change_counters[0].in_flight, 1);
  EXPECT_EQ(change_counters[0].state, CampaignState::kRunning);
}

// It waits for nothing, and is told of all the same.
TEST_F(ChangeCounterTest, ANoteIsTheLastDirective) {
  EXPECT_EQ(Must(ReadChangeCounters(watcher_))[0].last_directive, 0);
  Directive note;
  note.kind = DirectiveKind::kNote;
  note.uuid = NextUuid();
  note.author = "ana";
  note.text = "Look here.";
  const Appended appended = Must(AppendDirective(writer_, campaign_, note));
  const ChangeCounter change_counter = Must(ReadChangeCounters(watcher_))[0];
  EXPECT_EQ(change_counter.last_directive, Index(appended.id));
  EXPECT_EQ(change_counter.directives, 0);
}

TEST_F(ChangeCounterTest, EventsAreReadOnFromTheLastOnes) {
  const CampaignId other = Plant(writer_, "b");
  const auto before = Must(ReadChangeCounters(watcher_));
  Grow(writer_, other, kRootNode);
  const auto after = Must(ReadChangeCounters(watcher_, before));
  EXPECT_EQ(after[0].last_event, before[0].last_event);
  EXPECT_GT(after[1].last_event, before[1].last_event);
  const auto afresh = Must(ReadChangeCounters(watcher_));
  EXPECT_EQ(after[0].last_event, afresh[0].last_event);
  EXPECT_EQ(after[1].last_event, afresh[1].last_event);
}

TEST_F(ChangeCounterTest, AWatcherMayNotWrite) {
  const auto created = Campaigns(watcher_).Create(SpecNamed("b"));
  EXPECT_FALSE(created.has_value());
}

TEST_F(ChangeCounterTest, AQuestionIsGivenUpOnceItsTimeIsOver) {
  watcher_.GiveUpWhen([] { return true; });
  const auto asked = Query(watcher_,
                           "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL"
                           " SELECT i + 1 FROM n) SELECT count(*) FROM n",
                           {});
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().code, Errc::kTimeout);
  watcher_.GiveUpWhen({});
  Must(ReadChangeCounters(watcher_));
}

// What campaigns of outside agents cost is their own affair.
TEST_F(ChangeCounterTest, EachCampaignIsCountedByItself) {
  const CampaignId other = PlantBeside(writer_);
  Grow(writer_, campaign_, kRootNode);
  Change(writer_,
         "UPDATE call_sum SET provider = 'outside'"
         " WHERE campaign_id = 2 AND role = 0");
  Directive note;
  note.kind = DirectiveKind::kNote;
  note.uuid = NextUuid();
  note.author = "ana";
  note.text = "Look here.";
  Must(AppendDirective(writer_, other, note));
  note.kind = DirectiveKind::kAdvise;
  note.uuid = NextUuid();
  Must(AppendDirective(writer_, other, note));
  const auto counters = Must(ReadChangeCounters(watcher_));
  ASSERT_EQ(counters.size(), 2U);
  EXPECT_EQ(counters[0].campaign, campaign_);
  EXPECT_EQ(counters[0].nodes, 2);
  EXPECT_EQ(counters[0].further, 0);
  EXPECT_EQ(counters[0].in_flight, 0);
  EXPECT_EQ(counters[0].spent_usd, 0.5);
  EXPECT_EQ(counters[0].directives, 0);
  EXPECT_EQ(counters[0].last_directive, 0);
  EXPECT_EQ(counters[1].nodes, 3);
  EXPECT_EQ(counters[1].further, 1);
  EXPECT_EQ(counters[1].in_flight, 1);
  EXPECT_EQ(counters[1].spent_usd, 0.5);  // Of its code agents.
  EXPECT_EQ(counters[1].directives, 1);
  EXPECT_EQ(counters[1].last_directive, 2);
}

}  // namespace
}  // namespace coppice::store
