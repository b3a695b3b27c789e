#include "agents/prompt/source_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice::agents {
namespace {

// One letter a line: c for code, - for none.
std::string Kinds(std::string_view source) {
  std::string kinds;
  for (const SourceLine& line : SplitLines(source))
    kinds += line.code ? 'c' : '-';
  return kinds;
}

TEST(SourceLinesTest, AFinalNewlineBeginsNoLine) {
  EXPECT_EQ(Kinds(""), "");
  EXPECT_EQ(Kinds("a"), "c");
  EXPECT_EQ(Kinds("a\n"), "c");
  EXPECT_EQ(Kinds("a\n\n"), "c-");
}

TEST(SourceLinesTest, CommentsOfBothFamiliesAreNoCode) {
  EXPECT_EQ(Kinds("// a\n  # b\n#\n## c\n/* d */\n"), "-----");
}

TEST(SourceLinesTest, DirectivesAreCode) {
  EXPECT_EQ(Kinds("#include <cmath>\n#pragma omp simd\n"), "cc");
}

TEST(SourceLinesTest, BlockCommentsMayRunOverLines) {
  EXPECT_EQ(Kinds("/* a\n x;\n*/\ny;\n"), "---c");
  EXPECT_EQ(Kinds("/* a\n*/ y;\n"), "-c");
  EXPECT_EQ(Kinds("/* a */ /* b */\n/* a */ y;\n"), "-c");
}

TEST(SourceLinesTest, CodeBeforeACommentIsCode) {
  EXPECT_EQ(Kinds("x;  // a\nx;  /* a */\n"), "cc");
}

TEST(SourceLinesTest, LinesLoseTheirTrailingBlanks) {
  EXPECT_EQ(SplitLines("  a \t\r\n").at(0).text, "  a");
}

}  // namespace
}  // namespace coppice::agents
