#include "agents/catalogue/poly.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"

namespace coppice::agents::catalogue {
namespace {

Poly Of(std::string_view text, const Definitions& definitions = {}) {
  return ToPoly(ParseExpr(text), definitions);
}

TEST(PolyTest, EqualSubscriptsAreEqualHoweverWritten) {
  EXPECT_EQ(Of("((n * C + c) * H + y) * W + x"),
            Of("x + W * y + W * H * (c + C * n)"));
  EXPECT_TRUE(Of("(i + 1) * N - i * N - N").IsZero());
}

TEST(PolyTest, SlopeIsWhatAVariableIsMultipliedBy) {
  const auto split = SplitBy(Of("(b * H + i + p - 1) * W + j"), "i");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->slope, Of("W"));
  EXPECT_EQ(split->rest, Of("b * H * W + p * W - W + j"));
  EXPECT_TRUE(SplitBy(Of("j"), "i")->slope.IsZero());
}

TEST(PolyTest, WhatIsNotAffineHasNoSlope) {
  EXPECT_FALSE(SplitBy(Of("i * i"), "i"));
  EXPECT_FALSE(SplitBy(Of("i / 2 + j"), "i"));
  EXPECT_FALSE(SplitBy(Of("bins[v[i] & 255]"), "i"));
  EXPECT_TRUE(SplitBy(Of("i / 2 + j"), "j"));
}

TEST(PolyTest, DefinitionsAreLookedThrough) {
  const Definitions definitions = {{"row", ParseExpr("i + p - 1")}};
  EXPECT_EQ(Of("row * W", definitions), Of("i * W + p * W - W"));
}

TEST(PolyTest, ASmallerStrideDividesALargerOne) {
  EXPECT_TRUE(Divides(Of("1"), Of("N")));
  EXPECT_TRUE(Divides(Of("W"), Of("H * W")));
  EXPECT_FALSE(Divides(Of("N"), Of("N")));
  EXPECT_FALSE(Divides(Of("M"), Of("N")));
}

TEST(PolyTest, WhatIsKnownToBeAtLeastZero) {
  // Names are sizes, at least 1.
  for (const char* text : {"0", "7", "N", "N - 1", "N + M - 2", "N * M - 1"}) {
    EXPECT_TRUE(IsNotNegative(Of(text))) << text;
  }
  for (const char* text : {"-1", "N - 2", "N - M", "1 - N", "N / 2", "a[N]"}) {
    EXPECT_FALSE(IsNotNegative(Of(text))) << text;
  }
}

TEST(PolyTest, NamesWithinWhatIsNoPolynomialAreSeen) {
  const Poly poly = Of("row[i1] + (n / 2) * k");
  for (const char* name : {"row", "i1", "n", "k"}) {
    EXPECT_TRUE(poly.Mentions(name)) << name;
  }
  for (const char* name : {"i", "ro", "ow", "1"}) {
    EXPECT_FALSE(poly.Mentions(name)) << name;
  }
  EXPECT_FALSE(HasPlainNames(poly));
  EXPECT_TRUE(HasPlainNames(Of("n * k - 3")));
}

TEST(PolyTest, ConstantsAreFound) {
  EXPECT_EQ(Of("3 * (2 - 4) + n - n").Constant(), -6);
  EXPECT_EQ(Of("n - n").Constant(), 0);
  EXPECT_EQ(Of("n").Constant(), std::nullopt);
  EXPECT_EQ(Of("0x10 * 010").Constant(), 128);
}

TEST(PolyTest, ANameIsExpandedOnce) {
  const Definitions definitions = {{"a", ParseExpr("b + 1")},
                                   {"b", ParseExpr("c")}};
  EXPECT_EQ(Expanded(ParseExpr("x[a] + b"), definitions),
            ParseExpr("x[c + 1] + c"));
  EXPECT_EQ(Expanded(ParseExpr("ab"), definitions), ParseExpr("ab"));
}

// An integer that is cast to a wide one is the same number.
TEST(PolyTest, CastsToWideIntegersAreLookedThrough) {
  for (const char* text : {"static_cast<int64_t>(i) * N", "(int)i * N",
                           "static_cast<std::size_t>(i * N)",
                           "static_cast<int32_t>(i) * static_cast<long>(N)"}) {
    EXPECT_EQ(Of(text), Of("i * N")) << text;
  }
}

// i = 0 and 256 are one byte, and i = 0 and 1 halve to one number.
TEST(PolyTest, CastsThatLoseSomethingHaveNoSlope) {
  for (const char* text :
       {"static_cast<uint8_t>(i)", "(unsigned char)i",
        "static_cast<int16_t>(i) + j", "static_cast<int64_t>(0.5f * i)",
        "static_cast<int>(static_cast<float>(i) * scale)",
        "(int)((float)i * scale)"}) {
    EXPECT_FALSE(SplitBy(Of(text), "i")) << text;
  }
}

}  // namespace
}  // namespace coppice::agents::catalogue
