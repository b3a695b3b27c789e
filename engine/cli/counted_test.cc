#include "engine/cli/counted.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace coppice::cli {
namespace {

TEST(CountedTest, OnlyOneOfAThingHasTheNounAsItIs) {
  EXPECT_EQ(Counted(0, "seed"), "0 seeds");
  EXPECT_EQ(Counted(1, "seed"), "1 seed");
  EXPECT_EQ(Counted(2, "seed"), "2 seeds");
  EXPECT_EQ(Counted(-1, "degree"), "-1 degrees");
  EXPECT_EQ(Counted(std::size_t{1}, "node"), "1 node");
  EXPECT_EQ(Counted(std::int64_t{21}, "node"), "21 nodes");
}

TEST(CountedTest, ManyMayBeAnotherWord) {
  EXPECT_EQ(Counted(0, "policy", "policies"), "0 policies");
  EXPECT_EQ(Counted(1, "policy", "policies"), "1 policy");
  EXPECT_EQ(Counted(2, "more is", "more are"), "2 more are");
}

}  // namespace
}  // namespace coppice::cli
