#include "store/records/repeated_lines.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace coppice {
namespace {

// Node 0 had a, b, c; node 3 deleted b and c; node 4 wrote c again and deleted
// d; node 6 is its child.
const std::vector<Forebear> kLineage = {{NodeId{4}, "a();\nc();\n"},
                                        {NodeId{3}, "a();\nd();\n"},
                                        {NodeId{0}, "a();\nb();\nc();\n"}};

TEST(RepeatedLinesTest, CountsWhatAnAncestorHadAndTheParentLacks) {
  // b is back, which node 3 deleted, and e is new.
  const RepeatedLines again =
      CountRepeatedLines("a();\n  b();\ne();\n", kLineage);
  EXPECT_EQ(again.lines, 1);
  EXPECT_EQ(again.deleted_by, NodeId{3});
  EXPECT_EQ(RepeatedLinesText(again),
            "writes again 1 line that its lineage deleted (most by node 3)");
}

// b was deleted by node 3 and d by node 4: of equals the later is named.
TEST(RepeatedLinesTest, NamesWhoDeletedMost) {
  const RepeatedLines again = CountRepeatedLines("b();\nd();\n", kLineage);
  EXPECT_EQ(again.lines, 2);
  EXPECT_EQ(again.deleted_by, NodeId{4});
  EXPECT_EQ(RepeatedLinesText(again),
            "writes again 2 lines that its lineage deleted (most by node 4)");
}

// c is the parent's, braces say nothing, and nobody had e.
TEST(RepeatedLinesTest, KeptAndNewLinesAreNone) {
  const RepeatedLines again =
      CountRepeatedLines("c();\n}\n\n};\ne();\n", kLineage);
  EXPECT_EQ(again.lines, 0);
  EXPECT_FALSE(again.deleted_by);
  EXPECT_EQ(RepeatedLinesText(again), "");
  EXPECT_EQ(CountRepeatedLines("b();\n", {}).lines, 0);
}

// Blanks at the ends and the ends of lines of other systems are none of it, and
// a line that is there twice counts once.
TEST(RepeatedLinesTest, ALineIsWhatItSays) {
  EXPECT_EQ(CountRepeatedLines("\tb();  \r\n\n  b();", kLineage).lines, 1);
  EXPECT_EQ(CountRepeatedLines("b() ;\n", kLineage).lines, 0);
  EXPECT_EQ(CountRepeatedLines("", kLineage).lines, 0);
}

TEST(RepeatedLinesTest, WhoDeletedLastIsNamed) {
  const std::vector<Forebear> lineage = {{NodeId{9}, "x();\n"},
                                         {NodeId{7}, "x();\nb();\n"},
                                         {NodeId{5}, "x();\n"},
                                         {NodeId{0}, "x();\nb();\n"}};
  // Node 5 deleted b, node 7 wrote it again, and node 9 deleted it.
  const RepeatedLines again = CountRepeatedLines("x();\nb();\n", lineage);
  EXPECT_EQ(again.lines, 1);
  EXPECT_EQ(again.deleted_by, NodeId{9});
}

// A table of what a parent, its own parent and the root had.
TEST(RepeatedLinesTest, OnlyWhatAllBetweenDeletedAndTheParentLacksIsCounted) {
  const struct {
    const char *parent, *before, *root, *now;
    std::int64_t lines;
    std::optional<NodeId> deleted_by;
  } cases[] = {
      {"", "a1\n", "", "a1\n", 1, NodeId{2}},
      {"", "", "a1\n", "a1\n", 1, NodeId{1}},
      {"a1\n", "", "a1\n", "a1\n", 0, {}},
      {"", "a1\nb2\n", "c3\n", "c3\nb2\na1\n", 3, NodeId{2}},
      {"", "a1\n", "b2\nc3\n", "a1\nb2\nc3\n", 3, NodeId{1}},
      {"", "{\n", "}\n", "{\n}\n", 0, {}},
  };
  for (const auto& each : cases) {
    const std::vector<Forebear> lineage = {{NodeId{2}, each.parent},
                                           {NodeId{1}, each.before},
                                           {kRootNode, each.root}};
    const RepeatedLines again = CountRepeatedLines(each.now, lineage);
    EXPECT_EQ(again.lines, each.lines) << each.now;
    EXPECT_EQ(again.deleted_by, each.deleted_by) << each.now;
  }
}

}  // namespace
}  // namespace coppice
