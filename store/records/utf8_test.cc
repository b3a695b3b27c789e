#include "store/records/utf8.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
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

std::string Encoded(char32_t code) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) {
    return {byte(0xC0 | code >> 6U), byte(0x80 | (code & 0x3F))};
  }
  if (code < 0x10000) {
    return {byte(0xE0 | code >> 12U), byte(0x80 | (code >> 6U & 0x3F)),
            byte(0x80 | (code & 0x3F))};
  }
  return {byte(0xF0 | code >> 18U), byte(0x80 | (code >> 12U & 0x3F)),
          byte(0x80 | (code >> 6U & 0x3F)), byte(0x80 | (code & 0x3F))};
}

// All that there are; halves of pairs are none.
TEST(Utf8Test, EveryCharacterIsReadAsItIsEncoded) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    const std::string text = Encoded(code);
    const Utf8Character read = FirstCharacter(text + "\x80");
    if (code >= 0xD800 && code <= 0xDFFF) {
      ASSERT_EQ(read.bytes, 0u) << static_cast<unsigned>(code);
    } else {
      ASSERT_EQ(read.code, code);
      ASSERT_EQ(read.bytes, text.size()) << static_cast<unsigned>(code);
    }
  }
}

// Whatever two bytes come first, and a third that is right, or just wrong: what
// is read is what its code is encoded as.
TEST(Utf8Test, NothingElseIsACharacter) {
  for (unsigned two = 0; two < 0x10000; ++two) {
    for (const char third : {'\x7F', '\x80', '\xBF', '\xC0'}) {
      const std::string text = {static_cast<char>(two >> 8U),
                                static_cast<char>(two & 0xFFU), third, '\x80'};
      const Utf8Character read = FirstCharacter(text);
      if (read.bytes == 0) continue;
      ASSERT_EQ(text.substr(0, read.bytes), Encoded(read.code)) << two;
    }
  }
}

TEST(Utf8Test, ATextThatIsCutAnywhereIsWholeAgain) {
  const std::string text = "a\xC3\xA9\xE6\x9C\xA8\xF0\x9F\x8C\xB2z";
  // Characters end at 1, 3, 6, 10 and 11.
  const std::size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t bytes = 0; bytes < std::size(ends); ++bytes) {
    EXPECT_EQ(WholeCharacters(text, bytes), ends[bytes]) << bytes;
    EXPECT_TRUE(IsUtf8(text.substr(0, ends[bytes])));
  }
}

}  // namespace
}  // namespace coppice
