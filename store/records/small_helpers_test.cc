// The helpers of one function each.
#include <gtest/gtest.h>

#include <cerrno>
#include <string_view>

#include "store/records/evaluation.h"
#include "store/records/io_error.h"
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

}  // namespace
}  // namespace coppice
