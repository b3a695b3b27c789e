#include "engine/campaign/process_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

namespace coppice::engine {
namespace {
namespace fs = std::filesystem;

// A database that nobody has worked on yet.
fs::path Fresh(const std::string& name) {
  const fs::path path = fs::path(testing::TempDir()) / (name + ".db");
  fs::remove(path.string() + "-run");
  return path;
}

TEST(ProcessLockTest, SeveralWorkOnOneCampaignAndNobodyHasItAlone) {
  const fs::path database = Fresh("presence_several");
  const auto first = ProcessLock::Join(database, CampaignId{1}, "first");
  ASSERT_TRUE(first.has_value());
  const auto second = ProcessLock::Join(database, CampaignId{1}, "second");
  ASSERT_TRUE(second.has_value());
  const auto alone = ProcessLock::Alone(database, CampaignId{1});
  ASSERT_FALSE(alone.has_value());
  EXPECT_EQ(alone.error().code, Errc::kBusy);
  EXPECT_TRUE(ProcessLock::Alone(database, CampaignId{2}).has_value());
}

TEST(ProcessLockTest, NobodyJoinsWhileItIsHeldAlone) {
  const fs::path database = Fresh("presence_alone");
  {
    const auto alone = ProcessLock::Alone(database, CampaignId{1});
    ASSERT_TRUE(alone.has_value());
    const auto joined = ProcessLock::Join(database, CampaignId{1}, "first");
    ASSERT_FALSE(joined.has_value());
    EXPECT_EQ(joined.error().code, Errc::kBusy);
  }
  EXPECT_TRUE(ProcessLock::Join(database, CampaignId{1}, "first").has_value());
}

TEST(ProcessLockTest, AClaimIsOfOneAndLeavesTheTurnFree) {
  const fs::path database = Fresh("presence_claim");
  {
    const auto claim = ProcessLock::TryClaim(database, CampaignId{1});
    ASSERT_TRUE(claim.has_value());
    ASSERT_TRUE(claim->has_value());
    EXPECT_FALSE(ProcessLock::TryClaim(database, CampaignId{1})->has_value());
    EXPECT_TRUE(ProcessLock::TryClaim(database, CampaignId{2})->has_value());
    EXPECT_TRUE(ProcessLock::TryTurn(database, CampaignId{1})->has_value());
    EXPECT_TRUE(
        ProcessLock::Join(database, CampaignId{1}, "first").has_value());
  }
  EXPECT_TRUE(ProcessLock::TryClaim(database, CampaignId{1})->has_value());
}

TEST(ProcessLockTest, AnOwnerLivesAsLongAsItsPresence) {
  const fs::path database = Fresh("presence_owner");
  EXPECT_EQ(ProcessLock::IsAlive(database, "first"), false);
  {
    const auto first = ProcessLock::Join(database, CampaignId{1}, "first");
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(ProcessLock::IsAlive(database, "first"), true);
    EXPECT_EQ(ProcessLock::IsAlive(database, "second"), false);
  }
  EXPECT_EQ(ProcessLock::IsAlive(database, "first"), false);
}

TEST(ProcessLockTest, AKilledProcessIsGoneAtOnce) {
  const fs::path database = Fresh("presence_killed");
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto joined = ProcessLock::Join(database, CampaignId{1}, "child");
    const char held = joined.has_value() ? 'y' : 'n';
    (void)!write(ready[1], &held, 1);
    pause();
    _exit(0);
  }
  char held = 0;
  ASSERT_EQ(read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  EXPECT_EQ(ProcessLock::IsAlive(database, "child"), true);
  EXPECT_EQ(ProcessLock::IsAnyone(database, CampaignId{1}), true);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(ProcessLock::IsAlive(database, "child"), false);
  EXPECT_EQ(ProcessLock::IsAnyone(database, CampaignId{1}), false);
  close(ready[0]);
  close(ready[1]);
}

TEST(ProcessLockTest, TurnsAreTakenOneAtATime) {
  const fs::path database = Fresh("presence_turn");
  {
    const auto first = ProcessLock::TryTurn(database, CampaignId{1});
    ASSERT_TRUE(first.has_value() && first->has_value());
    const auto second = ProcessLock::TryTurn(database, CampaignId{1});
    ASSERT_TRUE(second.has_value());
    EXPECT_FALSE(second->has_value());
    EXPECT_TRUE(
        ProcessLock::TryTurn(database, CampaignId{2}).value().has_value());
    // A turn is no work: others may join, and be alone.
    EXPECT_TRUE(ProcessLock::Alone(database, CampaignId{1}).has_value());
  }
  EXPECT_TRUE(
      ProcessLock::TryTurn(database, CampaignId{1}).value().has_value());
}

TEST(ProcessLockTest, LookingTellsWhoIsThereAndTakesNothing) {
  const fs::path database = Fresh("presence_look");
  EXPECT_EQ(ProcessLock::IsAnyone(database, CampaignId{1}), false);
  EXPECT_FALSE(fs::exists(database.string() + "-run"));
  {
    const auto joined = ProcessLock::Join(database, CampaignId{1}, "first");
    ASSERT_TRUE(joined.has_value());
    EXPECT_EQ(ProcessLock::IsAnyone(database, CampaignId{1}), true);
    EXPECT_EQ(ProcessLock::IsAnyone(database, CampaignId{2}), false);
  }
  EXPECT_EQ(ProcessLock::IsAnyone(database, CampaignId{1}), false);
}

TEST(ProcessLockTest, AnotherNameOfTheDatabaseHasTheSameLocks) {
  const fs::path database = Fresh("presence_file");
  const fs::path link = Fresh("presence_link");
  std::ofstream(database).close();
  fs::remove(link);
  fs::create_symlink(database, link);
  const auto joined = ProcessLock::Join(link, CampaignId{1}, "first");
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ(ProcessLock::IsAnyone(database, CampaignId{1}), true);
  EXPECT_FALSE(ProcessLock::Alone(database, CampaignId{1}).has_value());
}

TEST(ProcessLockTest, NamesAPathThatCannotBeCreated) {
  const fs::path database =
      fs::path(testing::TempDir()) / "no such directory" / "x.db";
  const auto joined = ProcessLock::Join(database, CampaignId{1}, "first");
  ASSERT_FALSE(joined.has_value());
  EXPECT_EQ(joined.error().what,
            database.string() + "-run: No such file or directory");
}

}  // namespace
}  // namespace coppice::engine
