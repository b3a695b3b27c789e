#include "engine/process/terminal_text.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

#include "store/records/random.h"

namespace coppice::engine {
namespace {

TEST(PrintableTest, KeepsLinesAndTabs) {
  EXPECT_EQ(Printable("a\n\tb\x07\x7f"), "a\n\tb??");
}

TEST(PrintableTest, LetsNoTextBeReadInAnotherOrder) {
  EXPECT_EQ(Printable("a\u202e\u2066\u200f\u061cb\xc2\x9b"), "a????b?");
  EXPECT_EQ(Printable("\u2014\u00a0\u0627"), "\u2014\u00a0\u0627");
  EXPECT_EQ(Printable("\xe2\x82"), "\xe2?");  // Cut.
}

// Nobody would see that there is more than "ab".
TEST(PrintableTest, ShowsThatThereIsWhatNobodySees) {
  EXPECT_EQ(Printable("a\u00ad\u200b\ufe0f\U000e0100\U000e0041b"), "a?????b");
  EXPECT_EQ(Printable("a\u2028b"), "a?b");
}

// 0x9B is what ESC [ is in 8 bits.  Within a character it is none: U+25DB.
TEST(PrintableTest, LetsNoControlOf8BitsThrough) {
  EXPECT_EQ(Printable("a\x9b"
                      "31mb\x84"),
            "a?31mb?");
  EXPECT_EQ(Printable("\xe2\x97\x9b"), "\u25db");
  EXPECT_EQ(Printable("\xc3\x9b\x9b"), "\u00db?");
  EXPECT_EQ(Printable("\xc0\x9b"), "\xc0?");            // U+001B in two bytes,
  EXPECT_EQ(Printable("\xe0\x80\x9b"), "\xe0??");       // in three,
  EXPECT_EQ(Printable("\xf0\x80\x80\x9b"), "\xf0???");  // in four.
  EXPECT_EQ(Printable("\xf9\x9b\xff"), "\xf9?\xff");
}

TEST(ShortenTest, CutsBetweenCharacters) {
  EXPECT_EQ(Shorten("ééééé", 5), "ééééé");
  EXPECT_EQ(Shorten("éééééé", 5), "éé...");
  EXPECT_EQ(Shorten("abc", 2), "ab");
  EXPECT_EQ(Shorten("", 0), "");
}

// Two cells for each of U+5FEB and U+1F332, none for the accent U+0301.
TEST(DisplayWidthTest, CountsCells) {
  EXPECT_EQ(DisplayWidth("caf\u00e9"), 4u);
  EXPECT_EQ(DisplayWidth("cafe\u0301"), 4u);
  EXPECT_EQ(DisplayWidth("\u5feb\u901f"), 4u);
  EXPECT_EQ(DisplayWidth("a \U0001f332"), 4u);
  EXPECT_EQ(DisplayWidth("\xff\xc3"), 2u);  // No UTF-8.
}

TEST(ShortenTest, NeverTakesMoreCells) {
  EXPECT_EQ(Shorten("\u5feb\u901f\u5feb\u901f", 8), "\u5feb\u901f\u5feb\u901f");
  EXPECT_EQ(Shorten("\u5feb\u901f\u5feb\u901f", 7), "\u5feb\u901f...");
  EXPECT_EQ(Shorten("\u5feb\u901f\u5feb\u901f", 6), "\u5feb...");
  EXPECT_EQ(Shorten("a\nb\tc", 9), "a b c");
}

// The cells of one character by its number in Unicode.
std::size_t CellsOf(char32_t code) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  std::string text;
  if (code < 0x80) {
    text = {byte(code)};
  } else if (code < 0x800) {
    text = {byte(0xC0 | code >> 6U), byte(0x80 | (code & 0x3F))};
  } else if (code < 0x10000) {
    text = {byte(0xE0 | code >> 12U), byte(0x80 | (code >> 6U & 0x3F)),
            byte(0x80 | (code & 0x3F))};
  } else {
    text = {byte(0xF0 | code >> 18U), byte(0x80 | (code >> 12U & 0x3F)),
            byte(0x80 | (code >> 6U & 0x3F)), byte(0x80 | (code & 0x3F))};
  }
  return DisplayWidth(text);
}

// The first and the last of blocks, and their neighbours.
TEST(DisplayWidthTest, CellsAreThoseOfTheBlock) {
  for (const char32_t wide : std::initializer_list<char32_t>{
           0x1100, 0x115F, 0x3041, 0xA4CF, 0xAC00, 0xD7A3, 0xFF00, 0xFF60,
           0xFFE6, 0x1F300, 0x1F64F, 0x20000, 0x3FFFD, 0x231A, 0x2705}) {
    EXPECT_EQ(CellsOf(wide), 2u) << std::hex << static_cast<unsigned>(wide);
  }
  for (const char32_t none : std::initializer_list<char32_t>{
           0x0300, 0x036F, 0x0591, 0x20D0, 0x200D, 0xFE0F, 0x1F3FB, 0xE0100}) {
    EXPECT_EQ(CellsOf(none), 0u) << std::hex << static_cast<unsigned>(none);
  }
  for (const char32_t one : std::initializer_list<char32_t>{
           0x0041, 0x00E9, 0x02FF, 0x0370, 0x10FF, 0x1160, 0xA4D0, 0xABFF,
           0xD7A4, 0xFF61, 0xFFE7, 0x1F2FF, 0x1F650, 0x3FFFE, 0x2704, 0x2706}) {
    EXPECT_EQ(CellsOf(one), 1u) << std::hex << static_cast<unsigned>(one);
  }
}

// Whatever bytes there are: no more cells, no end of a line, nothing hidden;
// and what fits is what OneLine makes of it.
TEST(ShortenTest, FitsWhateverItIsGiven) {
  constexpr std::string_view kPieces[] = {
      "a",    "\u00e9", "\u5feb",   "\U0001f332", "\u0301", "\n",  "\t",
      "\x1b", "\xff",   "\xe2\x82", "\u200b",     "\u202e", "\x9b"};
  RandomStream stream(5, Purpose::kSimulation, 0);
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::uint64_t pieces = stream.Below(12); pieces > 0; --pieces) {
      text += kPieces[stream.Below(std::size(kPieces))];
    }
    const std::size_t width = stream.Below(14);
    const std::string line = Shorten(text, width);
    const std::string whole = OneLine(text);
    ASSERT_LE(DisplayWidth(line), width) << testing::PrintToString(text);
    ASSERT_EQ(line.find_first_of("\n\t\x1b"), std::string::npos);
    ASSERT_EQ(Printable(line), line);
    ASSERT_EQ(line == whole, DisplayWidth(whole) <= width)
        << testing::PrintToString(text) << " " << width;
  }
}

// A mark stays with the letter before it, and goes with it where that is cut.
TEST(ShortenTest, AMarkIsNotParted) {
  EXPECT_EQ(Shorten("abcde\u0301", 5), "abcde\u0301");
  EXPECT_EQ(Shorten("a\u0301bcdef", 4), "a\u0301...");
  EXPECT_EQ(Shorten("ab\u0301cdef", 4), "a...");
  EXPECT_EQ(Shorten("abcdef", 3), "...");
  EXPECT_EQ(Shorten("abcdef", 0), "");
  EXPECT_EQ(Shorten("\u5feb\u901f", 1), "");
}

}  // namespace
}  // namespace coppice::engine
