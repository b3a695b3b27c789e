#include "agents/prompt/code_fences.h"

#include <gtest/gtest.h>

namespace coppice::agents {
namespace {

// Every block as "line:content", unclosed ones with a question mark.
std::string Blocks(std::string_view text) {
  std::string out;
  for (const FencedBlock& block : FindFencedBlocks(text)) {
    out +=
        std::to_string(block.line) + (block.closed ? ":" : "?") + block.content;
  }
  return out;
}

TEST(CodeFencesTest, TextWithoutFencesHasNoBlocks) {
  EXPECT_EQ(Blocks(""), "");
  EXPECT_EQ(Blocks("Only words, `inline` and ``more``.\n"), "");
}

TEST(CodeFencesTest, FindsBlocksWithAndWithoutALanguage) {
  EXPECT_EQ(Blocks("a\n```cpp\nx\n```\nb\n```\ny\n```\n"), "2:x\n6:y\n");
}

TEST(CodeFencesTest, TildesFenceToo) {
  EXPECT_EQ(Blocks("~~~c++\nx\n```\ny\n~~~\n"), "1:x\n```\ny\n");
}

TEST(CodeFencesTest, ALongerFenceHoldsAShorterOne) {
  EXPECT_EQ(Blocks("````\n```\nx\n```\n````\n"), "1:```\nx\n```\n");
}

TEST(CodeFencesTest, AFenceWithALanguageNeverClosesABlock) {
  EXPECT_EQ(Blocks("```\n```cpp\nx\n```\n"), "1:```cpp\nx\n");
}

TEST(CodeFencesTest, InlineCodeOfThreeTicksOpensNothing) {
  EXPECT_EQ(Blocks("```x``` is inline\n"), "");
}

TEST(CodeFencesTest, AnUnclosedBlockRunsToTheEndAndSaysSo) {
  EXPECT_EQ(Blocks("```cpp\nx\ny"), "1?x\ny\n");
}

TEST(CodeFencesTest, IndentOfTheFenceIsTakenFromItsLines) {
  EXPECT_EQ(Blocks("1. do\n   ```\n   x\n     y\n z\n   ```\n"),
            "2:x\n  y\nz\n");
}

TEST(CodeFencesTest, OffsetIsThatOfTheOpeningLine) {
  EXPECT_EQ(FindFencedBlocks("ab\n```\nx\n```\n").at(0).offset, 3u);
}

}  // namespace
}  // namespace coppice::agents
