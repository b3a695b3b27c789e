#include "store/records/technique.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice {
namespace {

using ::testing::ElementsAre;

TEST(TechniqueTest, LabelsAreReadAndPrinted) {
  const auto jam = ParseTechnique(" jam( j , 32,overlap ) ");
  ASSERT_TRUE(jam);
  EXPECT_EQ(*jam, (Technique{"jam", {"j", "32", "overlap"}}));
  EXPECT_EQ(Print(*jam), "jam(j, 32, overlap)");
  EXPECT_EQ(jam->IntArg(1), 32);
  EXPECT_EQ(jam->IntArg(2), std::nullopt);
  EXPECT_EQ(jam->Arg(7), "");
  EXPECT_EQ(ParseTechnique("restrict()")->args.size(), 0U);
}

TEST(TechniqueTest, OtherTextIsNoLabel) {
  EXPECT_FALSE(ParseTechnique(""));
  EXPECT_FALSE(ParseTechnique("jam(j"));
  EXPECT_FALSE(ParseTechnique("(j)"));
}

TEST(TechniqueTest, SeveralAreNamesAndArgumentsInOrder) {
  const auto both = TechniquesOf("again + jam(j, 32) + parallel(i)");
  EXPECT_EQ(NamesOf(both), "again + jam + parallel");
  EXPECT_EQ(ArgumentsOf(both), "; j, 32; i");
  EXPECT_EQ(PrintLabel(both), "again + jam(j, 32) + parallel(i)");
}

// What a language model writes need not be a label.
TEST(TechniqueTest, OtherWordsAreOneTechniqueOfThatName) {
  EXPECT_THAT(TechniquesOf(" tile (8 by 8) and unroll "),
              ElementsAre(Technique{"tile (8 by 8) and unroll", {}}));
  EXPECT_THAT(TechniquesOf("jam(j"), ElementsAre(Technique{"jam(j", {}}));
  EXPECT_TRUE(TechniquesOf("  ").empty());
}

// 8 is 2^3 and 48 is between 2^5 and 2^6; `i` and "overlap" are no numbers.
TEST(TechniqueTest, AKindKeepsTheMagnitudeOfNumbersAlone) {
  EXPECT_EQ(KindOf({"register_block", {"i", "8", "48"}}),
            "register_block(8, 32)");
  EXPECT_EQ(KindOf({"jam", {"j", "32", "overlap"}}), "jam(32)");
  EXPECT_EQ(KindOf({"unroll", {"0"}}), "unroll(0)");
  EXPECT_EQ(KindOf({"parallel", {"i"}}), "parallel");
}

TEST(TechniqueTest, AProgramIsWhatALineageDidSinceTheRoot) {
  EXPECT_EQ(ProgramAfter("", "pad(x)"), "pad(x)");
  EXPECT_EQ(ProgramAfter("pad(x)", "jam(j, 32)"), "pad(x) + jam(j, 32)");
  EXPECT_EQ(ProgramAfter("pad(x)", "again + simd(i) + hoist(i)"),
            "simd(i) + hoist(i)");
  EXPECT_EQ(ProgramAfter("pad(x)", ""), "pad(x)");
}

TEST(TechniqueTest, ALabelIsReadBackAsItIsPrinted) {
  const std::vector<Technique> labels[] = {
      {{"restrict", {}}},
      {{"jam", {"j", "32"}}, {"parallel", {"i"}}},
      {{"again", {}}, {"tile", {"i", "8", "k", "16"}}},
      {{"unroll", {"-4"}}},
  };
  for (const std::vector<Technique>& label : labels) {
    EXPECT_EQ(ParseLabel(PrintLabel(label)), label) << PrintLabel(label);
    EXPECT_EQ(TechniquesOf(PrintLabel(label)), label);
  }
  EXPECT_EQ(PrintLabel({}), "");
}

TEST(TechniqueTest, APlusWithinParenthesesJoinsNothing) {
  EXPECT_EQ(ParseLabel("pad(n + 1) + jam(j)"),
            (std::vector<Technique>{{"pad", {"n + 1"}}, {"jam", {"j"}}}));
  EXPECT_EQ(ParseLabel("pad(n + (1 + 2)) + jam(j)").size(), 2U);
}

TEST(TechniqueTest, ALabelOfWhichAPartIsNoneIsNone) {
  EXPECT_TRUE(ParseLabel("jam(j) + ").empty());
  EXPECT_TRUE(ParseLabel(" + jam(j)").empty());
  EXPECT_TRUE(ParseLabel("jam(j) + (i)").empty());
  EXPECT_TRUE(ParseLabel("").empty());
}

TEST(TechniqueTest, ArgumentsMayBeEmptyBetweenCommas) {
  EXPECT_EQ(ParseTechnique("f(,a,)")->args,
            (std::vector<std::string>{"", "a", ""}));
  EXPECT_EQ(ParseTechnique("f( )")->args, (std::vector<std::string>{""}));
  EXPECT_EQ(ParseTechnique("f(9223372036854775808)")->IntArg(0), std::nullopt);
  EXPECT_EQ(ParseTechnique("f(-3)")->IntArg(0), -3);
}

TEST(TechniqueTest, KindsOfSeveralAreJoined) {
  EXPECT_EQ(KindsOf(TechniquesOf("tile(i, 63, k, 64) + parallel(i)")),
            "tile(32, 64) + parallel");
  EXPECT_EQ(KindOf({"unroll", {"-4", "1"}}), "unroll(1)");
  EXPECT_EQ(KindOf({"pad", {"9223372036854775807"}}),
            "pad(4611686018427387904)");
}

// Its word alone is not what the catalogue writes before steps.
TEST(TechniqueTest, AgainBeginsAnewOnlyBeforeSteps) {
  EXPECT_EQ(ProgramAfter("pad(x)", "again"), "pad(x) + again");
  EXPECT_EQ(ProgramAfter("pad(x)", "again + "), "");
  EXPECT_EQ(ProgramAfter("", ""), "");
}

// Each label's techniques, their names and arguments as a plan has them,
// and their kinds.
TEST(TechniqueTest, ALabelIsFiledByNamesArgumentsAndKinds) {
  const struct {
    const char* label;
    std::size_t techniques;
    const char* names;
    const char* arguments;
    const char* kinds;
  } cases[] = {
      {"hoist", 1, "hoist", "", "hoist"},
      {"jam(j,33)", 1, "jam", "j, 33", "jam(32)"},
      {"jam(j, 1) + simd(i)", 2, "jam + simd", "j, 1; i", "jam(1) + simd"},
      {"  pad ( x , 0 )  ", 1, "pad", "x, 0", "pad(0)"},
      {"a+b", 2, "a + b", "; ", "a + b"},
      {"a + b + c(2)", 3, "a + b + c", "; ; 2", "a + b + c(2)"},
      {"use C++ (fast) code", 1, "use C++ (fast) code", "",
       "use C++ (fast) code"},
      {"tile (8) now + jam(j)", 1, "tile (8) now + jam(j)", "",
       "tile (8) now + jam(j)"},
      {"", 0, "", "", ""},
  };
  for (const auto& [label, count, names, arguments, kinds] : cases) {
    const std::vector<Technique> techniques = TechniquesOf(label);
    EXPECT_EQ(techniques.size(), count) << label;
    EXPECT_EQ(NamesOf(techniques), names) << label;
    EXPECT_EQ(ArgumentsOf(techniques), arguments) << label;
    EXPECT_EQ(KindsOf(techniques), kinds) << label;
  }
}

}  // namespace
}  // namespace coppice
