#include "agents/prompt/anchors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::agents {
namespace {

using ::testing::HasSubstr;

// "source|begin-end,begin-end" or "error: what".
std::string Parse(std::string_view annotated) {
  const Result<AnchoredSource> result = ParseAnchors(annotated);
  if (!result) return "error: " + result.error().what;
  std::string text = result->source + "|";
  for (const LineSpan& span : result->spans) {
    if (text.back() != '|') text += ",";
    text += std::to_string(span.begin) + "-" + std::to_string(span.end);
  }
  return text;
}

TEST(AnchorsTest, AnchorsOnTheirOwnLinesVanishWithThem) {
  EXPECT_EQ(Parse("a\n"
                  "  // <<<IMPROVE BEGIN>>>\n"
                  "  b\n"
                  "  c\n"
                  "  // <<<IMPROVE END>>>\n"
                  "d\n"),
            "a\n  b\n  c\nd\n|1-3");
}

TEST(AnchorsTest, EverySpellingAndCommentIsAnAnchor) {
  EXPECT_EQ(Parse("/* <<<IMPROVE BEGINS>>>*/\nb\n/*<<<IMPROVE ENDS>>> */\n"),
            "b\n|0-1");
  EXPECT_EQ(Parse("# # <<<IMPROVE BEGIN>>>\nb\n## <<<IMPROVE ENDS>>>\n"),
            "b\n|0-1");
  EXPECT_EQ(Parse("/// <<<IMPROVE BEGIN>>>\nb\n//<<<IMPROVE END>>>"),
            "b\n|0-1");
}

TEST(AnchorsTest, LettersCountAsGiven) {
  EXPECT_THAT(Parse("// <<<improve begin>>>\nb\n// <<<improve end>>>\n"),
              HasSubstr("marks no span"));
}

TEST(AnchorsTest, InlineAnchorsTakeTheBlanksBesideThem) {
  EXPECT_EQ(Parse("x = /* <<<IMPROVE BEGIN>>> */ a + b "
                  "/* <<<IMPROVE END>>> */;\n"),
            "x = a + b;\n|0-1");
}

// The first brace is not in the span, the closing one is.
TEST(AnchorsTest, AnchorsAtTheEndsOfLinesOfCode) {
  EXPECT_EQ(Parse("for (;;) {  // <<<IMPROVE BEGIN>>>\n"
                  "  b\n"
                  "}  // <<<IMPROVE END>>>\n"
                  "c\n"),
            "for (;;) {\n  b\n}\nc\n|1-3");
}

TEST(AnchorsTest, AnchorsAtTheHeadsOfLinesOfCode) {
  EXPECT_EQ(Parse("  /* <<<IMPROVE BEGIN>>> */ b\n"
                  "  /* <<<IMPROVE END>>> */ c\n"),
            "  b\n  c\n|0-1");
}

TEST(AnchorsTest, SeveralSpans) {
  EXPECT_EQ(Parse("// <<<IMPROVE BEGIN>>>\na\n// <<<IMPROVE END>>>\n"
                  "b\n"
                  "// <<<IMPROVE BEGIN>>>\nc\n// <<<IMPROVE END>>>\n"),
            "a\nb\nc\n|0-1,2-3");
}

TEST(AnchorsTest, AnEmptySpanIsAPlaceToInsertAt) {
  EXPECT_EQ(Parse("a\n// <<<IMPROVE BEGIN>>>\n// <<<IMPROVE END>>>\nb\n"),
            "a\nb\n|1-1");
}

TEST(AnchorsTest, AdviceInTheAnchorsCommentGoesWithIt) {
  EXPECT_EQ(Parse("// <<<IMPROVE BEGIN>>> tile by 64\n"
                  "b\n"
                  "/*\n"
                  " * the end:\n"
                  " * <<<IMPROVE END>>>\n"
                  " */\n"
                  "c\n"),
            "b\nc\n|0-1");
}

TEST(AnchorsTest, ACommentThatNamesBothIsProse) {
  EXPECT_THAT(Parse("// Between <<<IMPROVE BEGIN>>> and <<<IMPROVE END>>>.\n"),
              HasSubstr("marks no span"));
}

TEST(AnchorsTest, AKernelInAStringOfItsHostProgram) {
  EXPECT_EQ(Parse("source = \"\"\"\n"
                  "/* <<<IMPROVE BEGIN>>> */\n"
                  "__global__ void f();\n"
                  "/* <<<IMPROVE END>>> */\n"
                  "\"\"\"\n"),
            "source = \"\"\"\n__global__ void f();\n\"\"\"\n|1-2");
}

TEST(AnchorsTest, NoAnchorIsAnErrorThatSaysWhatToWrite) {
  EXPECT_THAT(Parse("a\n"), HasSubstr("put a comment `<<<IMPROVE BEGIN>>>`"));
  EXPECT_THAT(Parse(""), HasSubstr("marks no span"));
}

TEST(AnchorsTest, AnAnchorOutsideACommentIsAnError) {
  EXPECT_THAT(Parse("a\n<<<IMPROVE BEGIN>>>\nb\n<<<IMPROVE END>>>\n"),
              HasSubstr("line 2 of the code block: the anchor is not in a "));
  EXPECT_THAT(Parse("/* done */ <<<IMPROVE BEGIN>>>\n"),
              HasSubstr("line 1 of the code block: the anchor is not in a "));
  EXPECT_THAT(Parse("#pragma omp simd <<<IMPROVE BEGIN>>>\n"),
              HasSubstr("the anchor is not in a comment"));
  EXPECT_THAT(Parse("/* <<<IMPROVE BEGIN>>>\nb\n"),
              HasSubstr("the anchor is not in a comment"));
}

TEST(AnchorsTest, UnbalancedAnchorsAreErrorsWithTheirLine) {
  EXPECT_EQ(Parse("a\n// <<<IMPROVE BEGIN>>>\nb\n"),
            "error: line 2 of the code block: `<<<IMPROVE BEGIN>>>` is never "
            "closed by a `<<<IMPROVE END>>>`");
  EXPECT_EQ(Parse("a\nb\n// <<<IMPROVE END>>>\n"),
            "error: line 3 of the code block: `<<<IMPROVE END>>>` without a "
            "`<<<IMPROVE BEGIN>>>` before it");
}

TEST(AnchorsTest, NestedAnchorsAreAnErrorWithBothLines) {
  EXPECT_EQ(Parse("// <<<IMPROVE BEGIN>>>\n"
                  "// <<<IMPROVE BEGIN>>>\n"
                  "a\n"
                  "// <<<IMPROVE END>>>\n"
                  "// <<<IMPROVE END>>>\n"),
            "error: line 2 of the code block: `<<<IMPROVE BEGIN>>>` inside the "
            "span that line 1 began; close that with `<<<IMPROVE END>>>` "
            "first, spans must not nest");
}

TEST(AnchorsTest, WithoutAnchorsTakesUnpairedOnesToo) {
  EXPECT_EQ(WithoutAnchors("// <<<IMPROVE BEGIN>>>\na\n"), "a\n");
  EXPECT_EQ(WithoutAnchors("a  // <<<IMPROVE END>>>\n"), "a\n");
  EXPECT_EQ(WithoutAnchors("a\n"), "a\n");
  EXPECT_EQ(WithoutAnchors(""), "");
}

TEST(AnchorsTest, ManyAnchorsOutsideCommentsTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "<<<IMPROVE BEGIN>>> x\n";
  EXPECT_EQ(WithoutAnchors(text), text);
}

}  // namespace
}  // namespace coppice::agents
