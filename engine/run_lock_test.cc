#include "engine/run_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

namespace coppice::engine {
namespace {

std::filesystem::path DatabasePath() {
  return std::filesystem::path(testing::TempDir()) / "run_lock_test.db";
}

TEST(RunLockTest, ASecondHolderOfTheSameCampaignIsBusy) {
  auto first = RunLock::Take(DatabasePath(), CampaignId{1});
  ASSERT_TRUE(first.has_value());
  const auto second = RunLock::Take(DatabasePath(), CampaignId{1});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::kBusy);
  EXPECT_TRUE(RunLock::Take(DatabasePath(), CampaignId{2}).has_value());
}

TEST(RunLockTest, IsFreeAgainWhenItsHolderIsGone) {
  { ASSERT_TRUE(RunLock::Take(DatabasePath(), CampaignId{1}).has_value()); }
  EXPECT_TRUE(RunLock::Take(DatabasePath(), CampaignId{1}).has_value());
}

TEST(RunLockTest, IsFreeAgainWhenItsHolderWasKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = RunLock::Take(DatabasePath(), CampaignId{1});
    const char held = lock.has_value() ? 'y' : 'n';
    (void)!write(ready[1], &held, 1);
    pause();
    _exit(0);
  }
  char held = 0;
  ASSERT_EQ(read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  EXPECT_FALSE(RunLock::Take(DatabasePath(), CampaignId{1}).has_value());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(RunLock::Take(DatabasePath(), CampaignId{1}).has_value());
  close(ready[0]);
  close(ready[1]);
}

TEST(RunLockTest, LookingTellsWhetherItIsHeldAndTakesNothing) {
  const std::filesystem::path database =
      std::filesystem::path(testing::TempDir()) / "run_lock_look.db";
  std::filesystem::remove(database.string() + "-run");
  EXPECT_EQ(RunLock::IsHeld(database, CampaignId{1}), false);
  EXPECT_FALSE(std::filesystem::exists(database.string() + "-run"));
  {
    const auto lock = RunLock::Take(database, CampaignId{1});
    ASSERT_TRUE(lock.has_value());
    EXPECT_EQ(RunLock::IsHeld(database, CampaignId{1}), true);
    EXPECT_EQ(RunLock::IsHeld(database, CampaignId{2}), false);
  }
  EXPECT_EQ(RunLock::IsHeld(database, CampaignId{1}), false);
}

TEST(RunLockTest, AnotherNameOfTheDatabaseIsTheSameLock) {
  const std::filesystem::path database =
      std::filesystem::path(testing::TempDir()) / "run_lock_file.db";
  const std::filesystem::path link =
      std::filesystem::path(testing::TempDir()) / "run_lock_link.db";
  std::ofstream(database).close();
  std::filesystem::remove(link);
  std::filesystem::create_symlink(database, link);
  const auto lock = RunLock::Take(link, CampaignId{1});
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(RunLock::IsHeld(database, CampaignId{1}), true);
  EXPECT_FALSE(RunLock::Take(database, CampaignId{1}).has_value());
}

TEST(RunLockTest, NamesAPathThatCannotBeCreated) {
  const std::filesystem::path database =
      std::filesystem::path(testing::TempDir()) / "no such directory" / "x.db";
  const auto lock = RunLock::Take(database, CampaignId{1});
  ASSERT_FALSE(lock.has_value());
  EXPECT_EQ(lock.error().what,
            database.string() + "-run: No such file or directory");
}

}  // namespace
}  // namespace coppice::engine
