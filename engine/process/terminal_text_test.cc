#include "engine/process/terminal_text.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace coppice::engine
