#include "store/write/verdict_cache.h"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "store/scratch.h"

namespace coppice::store {
namespace {

TEST(VerdictCacheTest, FindsWhatAnotherProcessKept) {
  const ScratchDirectory scratch;
  const auto file = scratch.File("folder/verdicts.db");
  VerdictCache(file, 10).Keep(Sha256("a"), "passed");
  VerdictCache again(file, 10);
  EXPECT_EQ(again.Find(Sha256("a")), "passed");
  EXPECT_EQ(again.Find(Sha256("b")), std::nullopt);
  again.Keep(Sha256("a"), "crashed");
  EXPECT_EQ(again.Find(Sha256("a")), "crashed");
}

TEST(VerdictCacheTest, TheOldestGo) {
  const ScratchDirectory scratch;
  VerdictCache cache(scratch.File("verdicts.db"), 2);
  for (const char* text : {"a", "b", "c"}) cache.Keep(Sha256(text), text);
  EXPECT_EQ(cache.Find(Sha256("a")), std::nullopt);
  EXPECT_EQ(cache.Find(Sha256("b")), "b");
  EXPECT_EQ(cache.Find(Sha256("c")), "c");
}

TEST(VerdictCacheTest, AFileOfAnotherKindIsReplaced) {
  const ScratchDirectory scratch;
  const auto file = scratch.File("verdicts.db");
  std::ofstream(file) << "this is no database, whatever its name may say";
  VerdictCache cache(file, 2);
  cache.Keep(Sha256("a"), "passed");
  EXPECT_EQ(cache.Find(Sha256("a")), "passed");
}

// What is found out when no descriptor is left is no reason to throw it away.
TEST(VerdictCacheTest, AFileThatCannotBeOpenedNowIsLeftAsItIs) {
  const ScratchDirectory scratch;
  const auto file = scratch.File("verdicts.db");
  VerdictCache(file, 2).Keep(Sha256("a"), "passed");
  // A sanitizer needs descriptors to look at an exception of this type for the
  // first time, so one is thrown while there are some.
  const auto other = scratch.File("other.db");
  std::ofstream(other) << std::string(4096, 'x');
  EXPECT_EQ(VerdictCache(other, 2).Find(Sha256("a")), std::nullopt);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const auto found = VerdictCache(file, 2).Find(Sha256("a"));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(found, std::nullopt);
  EXPECT_EQ(VerdictCache(file, 2).Find(Sha256("a")), "passed");
}

TEST(VerdictCacheTest, AnotherProgramsDatabaseIsLeftAsItIs) {
  const ScratchDirectory scratch;
  const auto file = scratch.File("verdicts.db");
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE theirs (x); PRAGMA user_version = 7");
  VerdictCache cache(file, 2);
  cache.Keep(Sha256("a"), "passed");
  EXPECT_EQ(cache.Find(Sha256("a")), std::nullopt);
  EXPECT_TRUE(SQLite::Database(file.string()).tableExists("theirs"));
}

// All but the first page, which was read when it was opened.
TEST(VerdictCacheTest, DamageThatShowsLaterIsMendedOnceForAll) {
  const ScratchDirectory scratch;
  const auto file = scratch.File("verdicts.db");
  VerdictCache(file, 9).Keep(Sha256("a"), "passed");
  VerdictCache one(file, 9), other(file, 9);
  const auto bytes = std::filesystem::file_size(file);
  ASSERT_GT(bytes, 4096U);
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(4096);
  out << std::string(bytes - 4096, '\xff') << std::flush;
  EXPECT_EQ(one.Find(Sha256("a")), std::nullopt);
  one.Keep(Sha256("b"), "wrong_output");
  EXPECT_EQ(other.Find(Sha256("b")), std::nullopt);  // In the old one.
  EXPECT_EQ(other.Find(Sha256("b")), "wrong_output");
  EXPECT_EQ(one.Find(Sha256("b")), "wrong_output");
  EXPECT_EQ(std::filesystem::file_size(file.string() + ".broken"), bytes);
}

TEST(VerdictCacheTest, WhereThereCanBeNoFileNothingIsFound) {
  VerdictCache cache("/proc/none/verdicts.db", 2);
  cache.Keep(Sha256("a"), "passed");
  EXPECT_EQ(cache.Find(Sha256("a")), std::nullopt);
}

// As above, but it shows while a verdict is kept: that one is judged again.
TEST(VerdictCacheTest, DamageThatShowsOnKeepingIsMendedToo) {
  const ScratchDirectory scratch;
  const auto file = scratch.File("verdicts.db");
  VerdictCache(file, 9).Keep(Sha256("a"), "passed");
  VerdictCache other(file, 9);
  const auto bytes = std::filesystem::file_size(file);
  ASSERT_GT(bytes, 4096U);
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(4096);
  out << std::string(bytes - 4096, '\xff') << std::flush;
  other.Keep(Sha256("b"), "passed");
  EXPECT_TRUE(std::filesystem::exists(file.string() + ".broken"));
  other.Keep(Sha256("c"), "crashed");
  EXPECT_EQ(other.Find(Sha256("c")), "crashed");
}

}  // namespace
}  // namespace coppice::store
