#include "agents/prompt/grounded_instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace coppice::agents {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kParent =
    "void run() {\n"
    "  a();\n"
    "  b();\n"
    "}\n";

constexpr std::string_view kAnnotated =
    "void run() {\n"
    "  // <<<IMPROVE BEGIN>>>\n"
    "  a();\n"
    "  // <<<IMPROVE END>>>\n"
    "  b();\n"
    "}\n";

std::string Fenced(std::string_view source) {
  return "```cpp\n" + std::string(source) + "```\n";
}

bool Grounded(std::string_view annotated) {
  const Result<Plan> plan = ParsePlanAnswer(Fenced(annotated), kParent);
  return plan.value().grounded;
}

std::string PlanError(std::string_view answer) {
  const Result<Plan> plan = ParsePlanAnswer(answer, kParent);
  if (plan) return "no error";
  EXPECT_EQ(plan.error().code, Errc::kCorrupt);
  return plan.error().what;
}

TEST(PlanAnswerTest, HoldsTechniqueAdviceAndAnnotatedSource) {
  const Plan plan =
      ParsePlanAnswer("Technique: inline a\n\nCall a() once.\n\n" +
                          Fenced(kAnnotated) + "Good luck.\n",
                      kParent)
          .value();
  EXPECT_EQ(plan.technique, "inline a");
  EXPECT_EQ(plan.advice, "Call a() once.");
  EXPECT_EQ(plan.annotated_source, kAnnotated);
  EXPECT_EQ(plan.anchors, 1);
  EXPECT_TRUE(plan.grounded);
}

TEST(PlanAnswerTest, TechniqueIsOptionalAndMayBeDecorated) {
  const auto technique = [](std::string_view line) {
    return ParsePlanAnswer(std::string(line) + "\n" + Fenced(kAnnotated),
                           kParent)
        .value()
        .technique;
  };
  EXPECT_EQ(technique("Only words."), "");
  EXPECT_EQ(technique("- **Technique: `parallel(*)`**"), "parallel(*)");
  EXPECT_EQ(technique("**Technique:** tile"), "tile");
  EXPECT_EQ(technique("- technique: `tile`"), "tile");
  EXPECT_EQ(technique("## Technique: tile"), "tile");
  EXPECT_EQ(technique("This technique: no"), "");
}

// 63 letters, then a character of 2 bytes that would straddle byte 64.
TEST(PlanAnswerTest, ALongTechniqueIsCutBetweenCharacters) {
  const std::string label(63, 'x');
  const Plan plan =
      ParsePlanAnswer(
          "Technique: " + label + "\xC3\xA9t\n" + Fenced(kAnnotated), kParent)
          .value();
  EXPECT_EQ(plan.technique, label);
}

TEST(PlanAnswerTest, OnlyTheFirstTechniqueLineIsTaken) {
  const Plan plan =
      ParsePlanAnswer("Technique: a\nTechnique: b\n" + Fenced(kAnnotated),
                      kParent)
          .value();
  EXPECT_EQ(plan.technique, "a");
  EXPECT_EQ(plan.advice, "Technique: b");
}

TEST(PlanAnswerTest, TheLastBlockWithAnAnchorIsTheSource) {
  const Plan plan =
      ParsePlanAnswer("As in\n```\nx\n```\nso:\n" + Fenced(kAnnotated) +
                          "Build:\n```sh\nmake\n```\n",
                      kParent)
          .value();
  EXPECT_EQ(plan.annotated_source, kAnnotated);
  EXPECT_EQ(plan.advice, "As in\n```\nx\n```\nso:");
}

TEST(PlanAnswerTest, ThoughtsAreNoAdvice) {
  const Plan plan =
      ParsePlanAnswer(
          "<think>Hm. Technique: no.\n</think>\nDo.\n" + Fenced(kAnnotated),
          kParent)
          .value();
  EXPECT_EQ(plan.advice, "Do.");
  EXPECT_EQ(plan.technique, "");
}

TEST(PlanAnswerTest, AnAnswerThatIsOneBlockAsAWhole) {
  const Plan plan =
      ParsePlanAnswer("```\n" + Fenced(kAnnotated) + "```\n", kParent).value();
  EXPECT_EQ(plan.annotated_source, kAnnotated);
  EXPECT_TRUE(plan.grounded);
}

TEST(PlanAnswerTest, CarriageReturnsAreDropped) {
  std::string answer = "Technique: t\n" + Fenced(kAnnotated);
  for (std::size_t at = 0; (at = answer.find('\n', at)) != std::string::npos;
       at += 2) {
    answer.insert(at, "\r");
  }
  const Plan plan = ParsePlanAnswer(answer, kParent).value();
  EXPECT_EQ(plan.technique, "t");
  EXPECT_EQ(plan.annotated_source, kAnnotated);
  EXPECT_TRUE(plan.grounded);
}

TEST(PlanAnswerTest, GroundedIgnoresTrailingBlanksAndTheLastLineEnd) {
  EXPECT_TRUE(
      Grounded("void run() {  \n  a(); // <<<IMPROVE BEGIN>>>\n"
               "  // <<<IMPROVE END>>>\n  b();\t\n}\n"));
  const Result<Plan> plan = ParsePlanAnswer(
      Fenced(kAnnotated), kParent.substr(0, kParent.size() - 1));
  EXPECT_TRUE(plan.value().grounded);
}

TEST(PlanAnswerTest, GroundedAllowsCommentsAndBlankLinesInASpan) {
  EXPECT_TRUE(
      Grounded("void run() {\n"
               "  // <<<IMPROVE BEGIN>>>\n"
               "  // Call it once.\n"
               "\n"
               "  /* Because\n"
               "     of this. */\n"
               "  a();  // here\n"
               "  // <<<IMPROVE END>>>\n"
               "  b();\n"
               "}\n"));
}

TEST(PlanAnswerTest, ACommentOutsideTheSpansIsNotGrounded) {
  EXPECT_FALSE(Grounded("// New.\n" + std::string(kAnnotated)));
  EXPECT_FALSE(Grounded(std::string(kAnnotated) + "// New.\n"));
}

TEST(PlanAnswerTest, ChangedCodeIsNotGroundedButNoError) {
  EXPECT_FALSE(
      Grounded("void run() {\n  // <<<IMPROVE BEGIN>>>\n  a(1);\n"
               "  // <<<IMPROVE END>>>\n  b();\n}\n"));
  EXPECT_FALSE(
      Grounded("void run() {\n  // <<<IMPROVE BEGIN>>>\n  a();\n"
               "  // <<<IMPROVE END>>>\n}\n"));
  EXPECT_FALSE(
      Grounded("  // <<<IMPROVE BEGIN>>>\n  a();\n  // <<<IMPROVE END>>>\n"));
}

TEST(PlanAnswerTest, WhereGroundingIsRequiredOtherCodeIsAnError) {
  constexpr std::string_view kOther =
      "void run() {\n"
      "  // <<<IMPROVE BEGIN>>>\n"
      "  a();\n"
      "  // <<<IMPROVE END>>>\n"
      "  c();\n"
      "}\n";
  const auto required = [](std::string_view annotated) {
    return ParsePlanAnswer(Fenced(annotated), kParent, Grounding::kRequired);
  };
  EXPECT_TRUE(required(kAnnotated).value().grounded);
  ASSERT_FALSE(required(kOther));
  EXPECT_THAT(required(kOther).error().what,
              HasSubstr("differs from the latest attempt outside"));
}

TEST(PlanAnswerTest, WithoutGroundingItIsWordsAlone) {
  const auto words = [](const std::string& answer) {
    return ParsePlanAnswer(answer, kParent, Grounding::kOff);
  };
  const Plan plan = words("Technique: tile\n\nTile b().\n").value();
  EXPECT_EQ(plan.technique, "tile");
  EXPECT_EQ(plan.advice, "Tile b().");
  EXPECT_EQ(plan.annotated_source, kParent);
  EXPECT_EQ(plan.anchors, 0);
  EXPECT_FALSE(plan.grounded);
  // A source that comes all the same is not looked at.
  EXPECT_EQ(words("Tile b().\n" + Fenced("x();\n")).value().advice,
            "Tile b().");
  EXPECT_FALSE(words(Fenced(kAnnotated)));
}

TEST(PlanAnswerTest, CommentsOfTheParentMustStay) {
  EXPECT_FALSE(ParsePlanAnswer(Fenced("// <<<IMPROVE BEGIN>>>\na();\n"
                                      "// <<<IMPROVE END>>>\n"),
                               "// Kept.\na();\n")
                   .value()
                   .grounded);
}

TEST(PlanAnswerTest, AnswersWithoutABlockSayWhatIsExpected) {
  EXPECT_EQ(PlanError(""),
            "the answer has no code block; end it with the whole given source, "
            "its lines to change between comments `<<<IMPROVE BEGIN>>>` and "
            "`<<<IMPROVE END>>>`, in one fenced code block");
  EXPECT_THAT(PlanError("Tile the loop.\n"), HasSubstr("no code block"));
  EXPECT_THAT(PlanError("Tile the loop.\n```\n"), HasSubstr("no code block"));
}

TEST(PlanAnswerTest, AnUnclosedBlockIsNamedByItsLine) {
  EXPECT_THAT(PlanError("Tile.\n\n```cpp\n" + std::string(kAnnotated)),
              HasSubstr("the code block that opens on line 3 is never closed"));
}

TEST(PlanAnswerTest, AnEmptyBlockMarksNoSpan) {
  EXPECT_THAT(PlanError("```\n```\n"), HasSubstr("marks no span"));
}

TEST(PlanAnswerTest, AnchorErrorsReachTheCaller) {
  EXPECT_THAT(PlanError(Fenced("// <<<IMPROVE BEGIN>>>\n")),
              HasSubstr("never closed by"));
  EXPECT_THAT(PlanError(Fenced(kParent)), HasSubstr("marks no span"));
}

TEST(PlanAnswerTest, AHugeAnswerIsReadInFull) {
  std::string parent;
  for (int i = 0; i < 200'000; ++i) parent += "  x += y;\n";
  const Plan plan = ParsePlanAnswer(Fenced("// <<<IMPROVE BEGIN>>>\n" + parent +
                                           "// <<<IMPROVE END>>>\n"),
                                    parent)
                        .value();
  EXPECT_TRUE(plan.grounded);
}

TEST(CodeAnswerTest, TheLastBlockIsTheSource) {
  EXPECT_EQ(ParseCodeAnswer("Old:\n```\na\n```\nnew:\n```c++\nb\n```\nDone.\n")
                .value(),
            "b\n");
}

TEST(CodeAnswerTest, AnchorsThatWereKeptAreDropped) {
  EXPECT_EQ(ParseCodeAnswer(Fenced(kAnnotated)).value(), kParent);
}

TEST(CodeAnswerTest, CarriageReturnsAreDropped) {
  EXPECT_EQ(ParseCodeAnswer("```\r\na\r\nb\r\n```\r\n").value(), "a\nb\n");
}

TEST(CodeAnswerTest, MalformedAnswersSayWhatIsExpected) {
  const auto error = [](std::string_view answer) {
    const Result<std::string> source = ParseCodeAnswer(answer);
    return source ? "no error" : source.error().what;
  };
  constexpr std::string_view kExpected =
      "the whole new source in one fenced code block";
  for (const std::string_view answer :
       {"", "I cannot.", "```cpp\nint x;\n", "```\n```\n", "```\n \n```\n",
        "```cpp\n// <<<IMPROVE BEGIN>>>\n```\n"}) {
    EXPECT_THAT(error(answer), HasSubstr(kExpected)) << answer;
  }
}

}  // namespace
}  // namespace coppice::agents
