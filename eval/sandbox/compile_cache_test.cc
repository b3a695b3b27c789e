#include "eval/sandbox/compile_cache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <chrono>
#include <fstream>
#include <limits>
#include <system_error>
#include <vector>

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class CompileCacheTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(directory_); }

  CompileCache Open(std::uintmax_t limit_bytes) {
    return CompileCache::Open(directory_, limit_bytes).value();
  }
  // 8 KiB and its key, used so many minutes ago.
  void Add(CompileCache& cache, const std::string& key, int minutes_ago) {
    auto build = BuildDirectory::Make(cache.directory()).value();
    std::ofstream(build.Product() / "kernel.so") << std::string(8192, 'x');
    const fs::path entry = cache.Keep(build, key, "kernel.so").value();
    fs::last_write_time(entry / "key", fs::file_time_type::clock::now() -
                                           std::chrono::minutes(minutes_ago));
  }
  // Lists the keys without marking them as used.
  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      std::ifstream file(entry.path() / "key");
      std::string key;
      if (file >> key) keys.push_back(key);
    }
    return keys;
  }

  const fs::path directory_ =
      fs::path(testing::TempDir()) /
      (std::string("coppice_cache_") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(CompileCacheTest, WhatWasKeptIsFoundByItsWholeKey) {
  CompileCache cache = Open(1 << 20);
  Add(cache, "a", 0);
  const auto entry = cache.Find("a");
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(fs::file_size(*entry / "kernel.so"), 8192u);
  EXPECT_FALSE(cache.Find("b").has_value());
  std::ofstream(*entry / "key") << "another with the same hash";
  EXPECT_FALSE(cache.Find("a").has_value());
}

// Each has 8 KiB and a page for its key, 12 KiB; 18 of the 20 allowed stay.
TEST_F(CompileCacheTest, TheOldestUseGoesFirst) {
  CompileCache cache = Open(20 << 10);
  Add(cache, "old", 40);
  Add(cache, "older", 50);
  Add(cache, "new", 30);
  cache.Evict();
  EXPECT_THAT(Keys(), ElementsAre("new"));
}

TEST_F(CompileCacheTest, AHitIsAUse) {
  CompileCache cache = Open(20 << 10);
  Add(cache, "first", 50);
  Add(cache, "second", 40);
  EXPECT_TRUE(cache.Find("first").has_value());
  cache.Evict();
  EXPECT_THAT(Keys(), ElementsAre("first"));
}

TEST_F(CompileCacheTest, NothingThatMayBeInUseGoes) {
  CompileCache cache = Open(1);
  Add(cache, "a", 0);
  Add(cache, "b", 9);
  cache.Evict();
  EXPECT_THAT(Keys(), UnorderedElementsAre("a", "b"));
}

TEST_F(CompileCacheTest, WithinTheLimitNothingGoes) {
  CompileCache cache = Open(1 << 20);
  Add(cache, "a", 5000);
  cache.Evict();
  EXPECT_THAT(Keys(), ElementsAre("a"));
}

TEST_F(CompileCacheTest, LeftOversOfTheDeadGoAfterAnHour) {
  CompileCache cache = Open(1 << 20);
  for (const auto& [name, minutes] :
       {std::pair(".runner-old", 61), std::pair(".runner-new", 59)}) {
    fs::create_directories(directory_ / name);
    fs::last_write_time(directory_ / name, fs::file_time_type::clock::now() -
                                               std::chrono::minutes(minutes));
  }
  cache.Evict();
  EXPECT_FALSE(fs::exists(directory_ / ".runner-old"));
  EXPECT_TRUE(fs::exists(directory_ / ".runner-new"));
}

// A process that was killed cannot remove what it compiles in.
TEST_F(CompileCacheTest, WhatNobodyBuildsInGoesWhenItIsOpened) {
  Open(1 << 20);
  fs::create_directories(directory_ / ".building-dead/out");
  const auto alive = BuildDirectory::Make(directory_);
  ASSERT_TRUE(alive);
  Open(1 << 20);
  EXPECT_FALSE(fs::exists(directory_ / ".building-dead"));
  EXPECT_TRUE(fs::exists(alive->Product()));
}

TEST_F(CompileCacheTest, ABuildThatIsNotKeptIsGone) {
  CompileCache cache = Open(1 << 20);
  { const auto build = BuildDirectory::Make(directory_); }
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(CompileCacheTest, UsageCountsEntriesAndTheirDiskSpace) {
  EXPECT_EQ(MeasureCache(directory_).entries, 0);
  CompileCache cache = Open(1 << 20);
  Add(cache, "a", 0);
  Add(cache, "b", 0);
  const CacheUsage usage = MeasureCache(directory_);
  EXPECT_EQ(usage.entries, 2);
  EXPECT_GE(usage.bytes, 2u * 8192u);
}

TEST_F(CompileCacheTest, AFileInItsPlaceIsAnError) {
  std::ofstream(directory_.string()) << "in the way";
  const auto cache = CompileCache::Open(directory_, 1);
  ASSERT_FALSE(cache.has_value());
  EXPECT_EQ(cache.error().code, Errc::kUsage);
}

// Two of 12 KiB are within 26, three are not; nine tenths hold one.
TEST_F(CompileCacheTest, EvictionGoesDownToNineTenths) {
  CompileCache cache = Open(26 << 10);
  Add(cache, "a", 40);
  Add(cache, "b", 30);
  cache.Evict();
  EXPECT_THAT(Keys(), UnorderedElementsAre("a", "b"));
  Add(cache, "c", 20);
  cache.Evict();
  EXPECT_THAT(Keys(), ElementsAre("c"));
}

TEST_F(CompileCacheTest, TenMinutesAgoIsNoUse) {
  CompileCache cache = Open(1);
  Add(cache, "used", 9);
  Add(cache, "unused", 11);
  cache.Evict();
  EXPECT_THAT(Keys(), ElementsAre("used"));
}

TEST_F(CompileCacheTest, OnlyOneProcessEvictsAtATime) {
  CompileCache cache = Open(1);
  Add(cache, "a", 40);
  {
    const UniqueFd other(open((directory_ / ".lock").c_str(),
                              O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(flock(other.get(), LOCK_EX | LOCK_NB), 0);
    cache.Evict();
    EXPECT_THAT(Keys(), ElementsAre("a"));
  }
  cache.Evict();
  EXPECT_TRUE(Keys().empty());
}

TEST_F(CompileCacheTest, WhatWasOutOfSightGoesWhenItIsOpened) {
  fs::create_directories(directory_ / ".evicted-0");
  fs::create_directories(directory_ / ".controls-0");  // Others' files stay.
  Open(1 << 20);
  EXPECT_FALSE(fs::exists(directory_ / ".evicted-0"));
  EXPECT_TRUE(fs::exists(directory_ / ".controls-0"));
}

TEST_F(CompileCacheTest, WhatIsKeptTwiceIsThereOnce) {
  CompileCache cache = Open(1 << 20);
  Add(cache, "a", 0);
  Add(cache, "a", 0);
  EXPECT_THAT(Keys(), ElementsAre("a"));
  EXPECT_EQ(MeasureCache(directory_).entries, 1);
}

// The last one to come has what it made.
TEST_F(CompileCacheTest, AnothersKeyOfTheSameHashGivesWay) {
  CompileCache cache = Open(1 << 20);
  Add(cache, "a", 0);
  std::ofstream(*cache.Find("a") / "key") << "another";
  Add(cache, "a", 0);
  EXPECT_TRUE(cache.Find("a").has_value());
  EXPECT_THAT(Keys(), ElementsAre("a"));
}

TEST_F(CompileCacheTest, WhatWasNotMadeIsNotKept) {
  CompileCache cache = Open(1 << 20);
  const auto build = BuildDirectory::Make(directory_).value();
  const auto kept = cache.Keep(build, "a", "kernel.so");
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, Errc::kIo);
  EXPECT_FALSE(cache.Find("a").has_value());
}

TEST_F(CompileCacheTest, UsageLeavesOutWhatIsNoEntry) {
  CompileCache cache = Open(1 << 20);
  Add(cache, "a", 0);
  fs::create_directories(directory_ / ".building-0");
  fs::create_directories(directory_ / "strange");  // Has no key.
  EXPECT_EQ(MeasureCache(directory_).entries, 1);
}

// What a compiler says is believed only where it may be true: on a disk with
// room it is not.
TEST_F(CompileCacheTest, ADiskWithRoomIsNotFullWhateverIsSaid) {
  CompileCache cache = Open(1 << 20);
  for (const char* said : {"", "No space left on device", "quota exceeded"}) {
    EXPECT_TRUE(cache.CheckRoom(said)) << said;
  }
  const auto full =
      CheckRoom(directory_, std::numeric_limits<std::uintmax_t>::max());
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Errc::kFull);
  EXPECT_THAT(full.error().what,
              testing::EndsWith(": disk full: make room, or give another "
                                "--cache-directory"));
}

TEST(UnusableCacheTest, IsTheUsersFaultWhereAFileIsInItsPlace) {
  const auto code = [](std::errc error) {
    return UnusableCache("/c", std::make_error_code(error)).value().code;
  };
  EXPECT_EQ(code(std::errc::not_a_directory), Errc::kUsage);
  EXPECT_EQ(code(std::errc::file_exists), Errc::kUsage);
  EXPECT_EQ(code(std::errc::no_space_on_device), Errc::kFull);
  EXPECT_EQ(code(std::errc::permission_denied), Errc::kIo);
  EXPECT_EQ(
      UnusableCache("/c", std::make_error_code(std::errc::permission_denied))
          .value()
          .what,
      "/c: Permission denied; give another --cache-directory");
}

}  // namespace
}  // namespace coppice::eval
