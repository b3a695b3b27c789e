#include "store/records/utf8.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

// e with an acute accent has two bytes, so that "caf" and it are five.
TEST(Utf8Test, NoneIsCutInTwo) {
  constexpr std::string_view kText = "caf\xC3\xA9!";
  EXPECT_EQ(WholeCharacters(kText, 3), 3u);
  EXPECT_EQ(WholeCharacters(kText, 4), 3u);
  EXPECT_EQ(WholeCharacters(kText, 5), 5u);
  EXPECT_EQ(WholeCharacters(kText, 60), 6u);
  EXPECT_TRUE(IsWithinCharacter(kText, 4));
  EXPECT_FALSE(IsWithinCharacter(kText, 3));
  EXPECT_FALSE(IsWithinCharacter(kText, 6));
}

// What is no UTF-8 ends where it began.
TEST(Utf8Test, BytesThatBeginNoCharacterAreNone) {
  EXPECT_EQ(WholeCharacters("\x80\x80\x80", 2), 0u);
  EXPECT_EQ(WholeCharacters("", 2), 0u);
}

TEST(Utf8Test, AHeadHasFortyLinesAndEightThousandBytesAtMost) {
  EXPECT_EQ(HeadOf("one\ntwo"), "one\ntwo");
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "x\n";
  EXPECT_EQ(HeadOf(lines).size(), 80u);  // 40 of 2 bytes each.
  EXPECT_EQ(HeadOf(std::string(9000, 'x')).size(), 8000u);
  // The last character of two bytes would end at the 8,001st.
  EXPECT_EQ(HeadOf(std::string(7999, 'x') + "\xC3\xA9").size(), 7999u);
}

}  // namespace
}  // namespace coppice
