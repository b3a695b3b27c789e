#include <gtest/gtest.h>

#include <string>

#include "agents/prompt/grounded_instructions.h"

namespace coppice::agents {
namespace {

// "inside+outside".
std::string Edits(std::string_view annotated, std::string_view candidate) {
  const EditFootprint footprint = MeasureEdits(annotated, candidate);
  return std::to_string(footprint.changed_inside) + "+" +
         std::to_string(footprint.changed_outside);
}

constexpr std::string_view kPlan =
    "a\n"
    "// <<<IMPROVE BEGIN>>>\n"
    "b\n"
    "c\n"
    "// <<<IMPROVE END>>>\n"
    "d\n";

TEST(EditsTest, AnEqualSourceHasNoEdits) {
  EXPECT_EQ(Edits(kPlan, "a\nb\nc\nd\n"), "0+0");
  EXPECT_EQ(Edits("", ""), "0+0");
}

TEST(EditsTest, ChangesAreSplitByTheSpan) {
  EXPECT_EQ(Edits(kPlan, "a\nB\nc\nd\n"), "1+0");
  EXPECT_EQ(Edits(kPlan, "A\nb\nc\nd\n"), "0+1");
  EXPECT_EQ(Edits(kPlan, "A\nB\nC\nD\n"), "2+2");
}

// Two lines become three: three lines of the answer were written.
TEST(EditsTest, AReplacedRunCountsAsTheLongerSide) {
  EXPECT_EQ(Edits(kPlan, "a\nx\ny\nz\nd\n"), "3+0");
  EXPECT_EQ(Edits(kPlan, "a\nx\nd\n"), "2+0");
}

TEST(EditsTest, LinesPutInAtTheEdgeOfASpanLieInside) {
  EXPECT_EQ(Edits(kPlan, "a\nx\nb\nc\nd\n"), "1+0");
  EXPECT_EQ(Edits(kPlan, "a\nb\nc\nx\nd\n"), "1+0");
}

TEST(EditsTest, LinesPutInElsewhereLieOutside) {
  EXPECT_EQ(Edits(kPlan, "x\na\nb\nc\nd\n"), "0+1");
  EXPECT_EQ(Edits(kPlan, "a\nb\nc\nd\nx\ny\n"), "0+2");
}

TEST(EditsTest, LinesTakenOutCount) {
  EXPECT_EQ(Edits(kPlan, "a\nd\n"), "2+0");
  EXPECT_EQ(Edits(kPlan, "b\nc\nd\n"), "0+1");
  EXPECT_EQ(Edits(kPlan, ""), "2+2");
}

TEST(EditsTest, AnEmptySpanTakesWhatIsPutInThere) {
  EXPECT_EQ(Edits("a\n// <<<IMPROVE BEGIN>>>\n// <<<IMPROVE END>>>\nb\n",
                  "a\nx\nb\n"),
            "1+0");
}

TEST(EditsTest, CommentsAndBlankLinesDoNotCount) {
  EXPECT_EQ(Edits("a\n"
                  "// <<<IMPROVE BEGIN>>>\n"
                  "// Do this.\n"
                  "b\n"
                  "// <<<IMPROVE END>>>\n",
                  "// Mine.\na\n\nb  \n"),
            "0+0");
}

// Common subsequence a, c, e: b -> x and d -> y in two spans.
TEST(EditsTest, SeveralSpansAndHunks) {
  EXPECT_EQ(Edits("a\n"
                  "/* <<<IMPROVE BEGIN>>> */\nb\n/* <<<IMPROVE END>>> */\n"
                  "c\n"
                  "/* <<<IMPROVE BEGIN>>> */\nd\n/* <<<IMPROVE END>>> */\n"
                  "e\n",
                  "a\nx\nc\ny\ne\nz\n"),
            "2+1");
}

TEST(EditsTest, WithoutValidAnchorsEverythingIsOutside) {
  EXPECT_EQ(Edits("a\nb\n", "a\nc\n"), "0+1");
}

// 5000 x 5000 pairs are over the limit: all lines between the equal head and
// tail count, also the one that both share in the middle.
TEST(EditsTest, BeyondTheLimitTheWholeMiddleIsReplaced) {
  std::string plan = "head\n// <<<IMPROVE BEGIN>>>\n";
  std::string answer = "head\n";
  for (int i = 0; i < 5000; ++i) {
    plan += i == 2500 ? "same\n" : "a" + std::to_string(i) + "\n";
    answer += i == 2500 ? "same\n" : "b" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(Edits(plan + "// <<<IMPROVE END>>>\ntail\n", answer + "tail\n"),
            "5000+0");
}

}  // namespace
}  // namespace coppice::agents
