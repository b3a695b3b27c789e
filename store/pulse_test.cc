#include "store/pulse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/directives.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

class PulseTest : public ::testing::Test {
 protected:
  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  Database writer_ = NewFile(path_);
  CampaignId campaign_ = Plant(writer_, "a");
  Database watcher_ = Must(Database::Open(path_, Access::kWatch));
};

TEST_F(PulseTest, AnothersCommitChangesTheVersionAndALookDoesNot) {
  const std::int64_t before = Must(DataVersion(watcher_));
  Must(ReadPulses(watcher_));
  EXPECT_EQ(Must(DataVersion(watcher_)), before);
  Grow(writer_, campaign_, kRootNode);
  EXPECT_NE(Must(DataVersion(watcher_)), before);
}

TEST_F(PulseTest, ItSaysHowFarACampaignIs) {
  Grow(writer_, campaign_, kRootNode);
  Must(Attempts(writer_).Reserve(campaign_, ReservationOf(1, kRootNode)));
  const auto pulses = Must(ReadPulses(watcher_));
  ASSERT_EQ(pulses.size(), 1U);
  EXPECT_EQ(pulses[0].name, "a");
  EXPECT_EQ(pulses[0].nodes, 2);  // The root, and one.
  EXPECT_EQ(pulses[0].attempts, 2);
  EXPECT_EQ(pulses[0].in_flight, 1);
  EXPECT_EQ(pulses[0].state, CampaignState::kRunning);
}

// It waits for nothing, and is told of all the same.
TEST_F(PulseTest, ANoteIsTheLastDirective) {
  EXPECT_EQ(Must(ReadPulses(watcher_))[0].last_directive, 0);
  Directive note;
  note.kind = DirectiveKind::kNote;
  note.uuid = NextUuid();
  note.author = "ana";
  note.text = "Look here.";
  const Appended appended = Must(AppendDirective(writer_, campaign_, note));
  const Pulse pulse = Must(ReadPulses(watcher_))[0];
  EXPECT_EQ(pulse.last_directive, Index(appended.id));
  EXPECT_EQ(pulse.directives, 0);
}

TEST_F(PulseTest, EventsAreReadOnFromTheLastOnes) {
  const CampaignId other = Plant(writer_, "b");
  const auto before = Must(ReadPulses(watcher_));
  Grow(writer_, other, kRootNode);
  const auto after = Must(ReadPulses(watcher_, before));
  EXPECT_EQ(after[0].last_event, before[0].last_event);
  EXPECT_GT(after[1].last_event, before[1].last_event);
  const auto afresh = Must(ReadPulses(watcher_));
  EXPECT_EQ(after[0].last_event, afresh[0].last_event);
  EXPECT_EQ(after[1].last_event, afresh[1].last_event);
}

TEST_F(PulseTest, AWatcherMayNotWrite) {
  const auto created = Campaigns(watcher_).Create(SpecNamed("b"));
  EXPECT_FALSE(created.has_value());
}

TEST_F(PulseTest, AQuestionIsGivenUpOnceItsTimeIsOver) {
  watcher_.GiveUpWhen([] { return true; });
  const auto asked = Query(watcher_,
                           "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL"
                           " SELECT i + 1 FROM n) SELECT count(*) FROM n",
                           {});
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().code, Errc::kTimeout);
  watcher_.GiveUpWhen({});
  Must(ReadPulses(watcher_));
}

}  // namespace
}  // namespace coppice::store
