#include "store/records/utf8.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

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

// By the table: the least of each length, and the greatest of all.
TEST(Utf8Test, ACharacterIsReadWithItsBytes) {
  const auto read = [](std::string_view text) {
    const Utf8Character first = FirstCharacter(text);
    return std::pair(static_cast<unsigned>(first.code), first.bytes);
  };
  EXPECT_EQ(read("ab"), std::pair(0x61U, std::size_t{1}));
  EXPECT_EQ(read("\xC2\x80"), std::pair(0x80U, std::size_t{2}));
  EXPECT_EQ(read("\xE0\xA0\x80z"), std::pair(0x800U, std::size_t{3}));
  EXPECT_EQ(read("\xF0\x90\x80\x80"), std::pair(0x10000U, std::size_t{4}));
  EXPECT_EQ(read("\xF4\x8F\xBF\xBF"), std::pair(0x10FFFFU, std::size_t{4}));
}

// Too long for what it says, half of a pair, above the last, cut, and none.
TEST(Utf8Test, WhatIsNotWellFormedIsNoCharacter) {
  for (const char* text :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82",
        "\xC3", "\x80", ""}) {
    EXPECT_EQ(FirstCharacter(text).bytes, 0U) << testing::PrintToString(text);
  }
  EXPECT_TRUE(IsUtf8("na\xC3\xAFve \xF0\x9F\x8C\xB2"));
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_FALSE(IsUtf8("na\xEFve"));
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
