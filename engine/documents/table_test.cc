#include "engine/documents/table.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "engine/documents/verb.h"

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
  Table table({Right("node"), "plan"});
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
  Table table({"name", "x"});
  table.AddRow({"é", "1"});
  EXPECT_EQ(Printed(table),
            "name  x\n"
            "é     1\n");
}

TEST(TableTest, OnATerminalLinesEndWithIt) {
  Table table({"plan"});
  table.AddRow({"interchange the loops"});
  EXPECT_EQ(Printed(table, true, 10), "plan\ninterch...\n");
  EXPECT_EQ(Printed(table, false, 10), "plan\ninterchange the loops\n");
}

// At 30 columns "failures" would have 3 characters left beside the others.
TEST(TableTest, WhatDoesNotFitOnATerminalFollowsBelow) {
  Table table({"task", Right("root"), Right("best"), "failures"});
  table.AddRow({"gelu_tanh", "3.4 ms", "48 us", "2 no_candidate"});
  table.AddRow({"gemv", "814 us", "134 us", ""});
  EXPECT_EQ(Printed(table, true, 30),
            "task         root    best\n"
            "gelu_tanh  3.4 ms   48 us\n"
            "gemv       814 us  134 us\n"
            "\n"
            "task       failures\n"
            "gelu_tanh  2 no_candidate\n"
            "gemv\n");
  EXPECT_EQ(Printed(table, true, 41),
            "task         root    best  failures\n"
            "gelu_tanh  3.4 ms   48 us  2 no_candidate\n"
            "gemv       814 us  134 us\n");
}

// Two columns tell these rows apart, so both stand in front of each block.
TEST(TableTest, WhatFollowsBelowIsNamedAsItsRowIs) {
  Table table({"run", "role", "calls", "failed", "cost"});
  table.AddRow({"a", "plan", "12", "3", "$1"});
  table.AddRow({"a", "code", "7", "0", "$2"});
  EXPECT_EQ(Printed(table, true, 24),
            "run  role  calls  failed\n"
            "a    plan  12     3\n"
            "a    code  7      0\n"
            "\n"
            "run  role  cost\n"
            "a    plan  $1\n"
            "a    code  $2\n");
}

// Cut where 20 characters of it can be seen, else below.
TEST(TableTest, ALastColumnThatFitsNowhereIsCut) {
  Table table({"node", "verdict", "plan"});
  table.AddRow({"1", "passed", "interchange the loops over i and j"});
  EXPECT_EQ(Printed(table, true, 35),
            "node  verdict  plan\n"
            "1     passed   interchange the l...\n");
  EXPECT_EQ(Printed(table, true, 34),
            "node  verdict\n"
            "1     passed\n"
            "\n"
            "node  plan\n"
            "1     interchange the loops ove...\n");
}

TEST(TableTest, ALastColumnThatFitsBelowIsNotCut) {
  Table table({"node", "verdict", "plan"});
  table.AddRow({"1", "passed", "interchange the loops over i and j"});
  EXPECT_EQ(Printed(table, true, 40),
            "node  verdict\n"
            "1     passed\n"
            "\n"
            "node  plan\n"
            "1     interchange the loops over i and j\n");
}

// A name takes 12 columns, or its own length with a space behind.
TEST(TableTest, TheNameOfAFieldIsWhole) {
  std::istringstream in;
  std::ostringstream out;
  Streams streams{in, out, out};
  PrintField(streams, "low", "1.5");
  PrintField(streams, "speedup_high", "2");
  PrintField(streams, "output_tokens", "3");
  EXPECT_EQ(out.str(),
            "low         1.5\n"
            "speedup_high 2\n"
            "output_tokens 3\n");
}

// A model's answer may hold anything: "\033]0;...\a" sets a terminal's title.
TEST(TableTest, StoredTextCannotSteerTheTerminal) {
  Table table({"x"});
  table.AddRow({"a\033[2Jb\r\nc\td"});
  EXPECT_EQ(Printed(table), "x\na?[2Jb? c d\n");
}

TEST(TableTest, AColumnThatIsNotShownIsLeftOutWithItsCells) {
  Table table({"a", OnlyIf(false, Right("b")), OnlyIf(true, "c")});
  table.AddRow({"1", "22", "3"});
  EXPECT_EQ(Printed(table), "a  c\n1  3\n");
}

// Rows of different widths, on every terminal: no line is wider than it, and
// every cell is in one of the blocks.
TEST(TableTest, NoLineIsWiderThanTheTerminal) {
  Table table({"node", Right("speedup"), "verdict", "plan of the node"});
  table.AddRow({"1", "1.25x", "passed", "interchange"});
  table.AddRow({"12", "", "wrong_output", "\u5feb\u901f tile"});
  for (int columns = 1; columns <= 60; ++columns) {
    std::istringstream lines(Printed(table, true, columns));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(DisplayWidth(line), static_cast<std::size_t>(columns)) << line;
    }
  }
  const std::string narrow = Printed(table, true, 24);
  for (const char* cell : {"1.25x", "wrong_output", "interchange", "tile"}) {
    EXPECT_NE(narrow.find(cell), std::string::npos) << cell << "\n" << narrow;
  }
}

TEST(TableTest, AFieldsValueCannotSteerTheTerminal) {
  std::istringstream in;
  std::ostringstream out;
  Streams streams{in, out, out};
  PrintField(streams, "name", "a\033[2Jb\nc");
  EXPECT_EQ(out.str(), "name        a?[2Jb\nc\n");
}

}  // namespace
}  // namespace coppice::cli
