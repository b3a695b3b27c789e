#include "engine/cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "engine/cli/verb.h"

namespace coppice::cli {
namespace {

std::string Printed(const Table& table, bool terminal = false,
                    int columns = 80) {
  std::istringstream in;
  std::ostringstream out;
  Streams streams{in, out, out, terminal, terminal, false, columns};
  table.Print(streams);
  return out.str();
}

TEST(TableTest, AlignsItsColumns) {
  Table table({{"node", Align::kRight}, {"plan"}});
  table.AddRow({"7", "tile"});
  table.AddRow({"12345", "unroll"});
  EXPECT_EQ(Printed(table),
            " node  plan\n"
            "    7  tile\n"
            "12345  unroll\n");
}

TEST(TableTest, WithoutRowsOnlyTitlesAreLeft) {
  EXPECT_EQ(Printed(Table({{"a"}, {"b"}})), "a  b\n");
}

TEST(TableTest, AccentsTakeOneColumn) {
  Table table({{"name"}, {"x"}});
  table.AddRow({"é", "1"});
  EXPECT_EQ(Printed(table),
            "name  x\n"
            "é     1\n");
}

TEST(TableTest, OnATerminalLinesEndWithIt) {
  Table table({{"plan"}});
  table.AddRow({"interchange the loops"});
  EXPECT_EQ(Printed(table, true, 10), "plan\ninterch...\n");
  EXPECT_EQ(Printed(table, false, 10), "plan\ninterchange the loops\n");
}

// A model's answer may hold anything: "\033]0;...\a" sets a terminal's title.
TEST(TableTest, StoredTextCannotSteerTheTerminal) {
  Table table({{"x"}});
  table.AddRow({"a\033[2Jb\r\nc\td"});
  EXPECT_EQ(Printed(table), "x\na?[2Jb? c d\n");
}

TEST(PrintableTest, KeepsLinesAndTabs) {
  EXPECT_EQ(Printable("a\n\tb\x07\x7f"), "a\n\tb??");
}

TEST(PrintableTest, LetsNoTextBeReadInAnotherOrder) {
  EXPECT_EQ(Printable("a\u202e\u2066\u200f\u061cb\xc2\x9b"), "a????b?");
  EXPECT_EQ(Printable("\u2014\u00a0\u0627"), "\u2014\u00a0\u0627");
  EXPECT_EQ(Printable("\xe2\x80"), "\xe2\x80");  // Cut.
}

TEST(ShortenTest, CutsBetweenCharacters) {
  EXPECT_EQ(Shorten("ééééé", 5), "ééééé");
  EXPECT_EQ(Shorten("éééééé", 5), "éé...");
  EXPECT_EQ(Shorten("abc", 2), "ab");
  EXPECT_EQ(Shorten("", 0), "");
}

}  // namespace
}  // namespace coppice::cli
