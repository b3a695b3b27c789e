// The helpers of one function each.
#include <gtest/gtest.h>

#include <cerrno>
#include <string_view>

#include "store/records/evaluation.h"
#include "store/records/hash.h"
#include "store/records/ids.h"
#include "store/records/io_error.h"
#include "store/records/outcome.h"
#include "store/records/trimmed.h"

namespace coppice {
namespace {

TEST(TrimmedTest, SpaceIsTakenFromBothEndsAndFromNowhereElse) {
  EXPECT_EQ(Trimmed(" \t\r\na  b\n"), "a  b");
  EXPECT_EQ(Trimmed("a"), "a");
  EXPECT_EQ(Trimmed(" \n "), "");
  EXPECT_EQ(Trimmed(""), "");
  EXPECT_EQ(Trimmed("\va\f"), "\va\f");
  EXPECT_EQ(Trimmed("\xC2\xA0"), "\xC2\xA0");  // No break is no space.
  // A part of the text itself, and no copy.
  constexpr std::string_view kText = "  a ";
  EXPECT_EQ(Trimmed(kText).data(), kText.data() + 2);
}

TEST(IoErrorTest, OnlyWantOfRoomIsFull) {
  EXPECT_EQ(IoErrc(ENOSPC), Errc::kFull);
  EXPECT_EQ(IoErrc(EDQUOT), Errc::kFull);
  for (const int other : {0, EIO, EACCES, EROFS, EFBIG, ENOENT, EINTR}) {
    EXPECT_EQ(IoErrc(other), Errc::kIo) << other;
  }
}

// Sums 6 and 3; of an even number the two in the middle, in any order.
TEST(MedianTest, OrderDoesNotMatter) {
  EXPECT_DOUBLE_EQ(Mean({1.0, 2.0, 3.0}), 2.0);
  EXPECT_DOUBLE_EQ(Median({7.0}), 7.0);
  EXPECT_DOUBLE_EQ(Median({9.0, 1.0}), 5.0);
  EXPECT_DOUBLE_EQ(Median({1.0, 9.0, 3.0, 4.0}), 3.5);
  EXPECT_DOUBLE_EQ(Median({-2.0, -8.0, 0.0}), -2.0);
}

// Vectors of the authors of FNV (isthe.com/chongo/tech/comp/fnv).
TEST(HashTest, AnswersAsItsAuthorsSay) {
  EXPECT_EQ(Fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(Fnv1a("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(Fnv1a("foobar"), 0x85944171f73967e8u);
  // A byte above 127 counts as that, whatever a char is: 255 and not -1.
  EXPECT_EQ(Fnv1a("\xff"), (0xcbf29ce484222325u ^ 0xff) * 0x100000001b3u);
}

TEST(IdsTest, ANumberAndItsIdStandForEachOther) {
  EXPECT_EQ(Index(NodeId{7}), 7);
  EXPECT_EQ(Index(kRootNode), 0);
  EXPECT_EQ(Index(CallId{-1}), -1);
  EXPECT_LT(NodeId{6}, NodeId{7});
}

TEST(OutcomeTest, WhatIsRejectedSaysByWhichRule) {
  const Outcome outcome = Rejected(Breach::kHazard, "a race");
  EXPECT_EQ(outcome.verdict, Verdict::kRejected);
  EXPECT_EQ(outcome.breach, Breach::kHazard);
  EXPECT_EQ(outcome.log, "a race");
  EXPECT_EQ(Outcome{}.breach, Breach::kNone);
}

}  // namespace
}  // namespace coppice
