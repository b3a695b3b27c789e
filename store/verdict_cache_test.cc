#include "store/verdict_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

TEST(VerdictCacheTest, WhereThereCanBeNoFileNothingIsFound) {
  VerdictCache cache("/proc/none/verdicts.db", 2);
  cache.Keep(Sha256("a"), "passed");
  EXPECT_EQ(cache.Find(Sha256("a")), std::nullopt);
}

}  // namespace
}  // namespace coppice::store
