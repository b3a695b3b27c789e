#include "agents/catalogue/unroll.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(UnrollTest, WritesAShortLoopOut) {
  EXPECT_EQ(Rewrite("  constexpr int64_t S = 2;\n"
                    "  for (int64_t p = 0; p < S; ++p) {\n"
                    "    c[p] = a[p + 1];\n"
                    "  }\n",
                    "unroll(p)"),
            "constexpr int64_t S = 2;\n"
            "c[0] = a[1];\n"
            "c[1] = a[2];\n");
}

TEST(UnrollTest, DeclarationsStayInTheirScope) {
  EXPECT_EQ(Rewrite("  for (int64_t p = 0; p < 1; ++p) {\n"
                    "    float t = a[p];\n    c[p] = t;\n  }\n",
                    "unroll(p)"),
            "{\n  float t = a[0];\n  c[0] = t;\n}\n");
}

TEST(UnrollTest, LongOrUnknownLoopsStay) {
  EXPECT_TRUE(Rewrite("  for (int64_t p = 0; p < N; ++p) {\n"
                      "    c[p] = 0;\n  }\n",
                      "unroll(p)")
                  .starts_with("refused"));
  EXPECT_TRUE(Rewrite("  for (int64_t p = 0; p < 9; ++p) {\n"
                      "    c[p] = 0;\n  }\n",
                      "unroll(p)")
                  .starts_with("refused"));
}

// A `break` would leave the loop around, and text keep the old name.
TEST(UnrollTest, LoopsThatMayEndEarlyStay) {
  const auto why_not = [](const std::string& body) {
    return WhyNot(
        "  for (int64_t i = 0; i < M; ++i) {\n"
        "    for (int64_t p = 0; p < 4; ++p) {\n      " +
            body + "\n    }\n  }\n",
        "unroll(p)");
  };
  EXPECT_EQ(why_not("if (a[p] > 0) {\n        break;\n      }\n"),
            "it holds unknown code");
  EXPECT_EQ(why_not("if (a[p] > 0) {\n        continue;\n      }\n      c[p] "
                    "= 1;"),
            "it holds unknown code");
  EXPECT_EQ(why_not("while (c[p] > 1) {\n        c[p] -= 1;\n      }"),
            "it holds unknown code");
  // A loop that is text, and does not speak of p, is unrolled with the rest.
  EXPECT_EQ(why_not("while (c[i] > 1) {\n        c[i] -= 1;\n        if (c[i] "
                    "> 5) {\n          continue;\n        }\n      }"),
            "applies");
  EXPECT_EQ(why_not("c[p] = 1;\n      p += 1;"), "its body changes `p`");
  EXPECT_EQ(why_not("c[p] = 1;"), "applies");
}

TEST(UnrollTest, StepsAndFirstValuesAreCounted) {
  EXPECT_EQ(Rewrite("  for (int64_t p = -1; p < 4; p += 2) {\n"
                    "    c[p + 1] = a[2 * p + 2];\n"
                    "  }\n",
                    "unroll(p)"),
            "c[0] = a[0];\n"
            "c[2] = a[4];\n"
            "c[4] = a[8];\n");
  // N + 0, N + 1.
  EXPECT_EQ(Rewrite("  constexpr int64_t S = 3;\n"
                    "  for (int64_t p = 1; p <= S - 1; ++p) {\n"
                    "    c[p * N] = p;\n"
                    "  }\n",
                    "unroll(p)"),
            "constexpr int64_t S = 3;\n"
            "c[N] = 1;\n"
            "c[2 * N] = 2;\n");
}

TEST(UnrollTest, ALoopThatNeverRunsLeavesNothing) {
  EXPECT_EQ(Rewrite("  for (int64_t p = 4; p < 2; ++p) {\n"
                    "    c[p] = 1;\n"
                    "  }\n"
                    "  c[0] = 2;\n",
                    "unroll(p)"),
            "c[0] = 2;\n");
}

// Downwards: 2, 1, 0.
TEST(UnrollTest, ALoopDownwardsKeepsItsOrder) {
  EXPECT_EQ(Rewrite("  for (int64_t p = 2; p >= 0; --p) {\n"
                    "    c[p] = c[p + 1];\n"
                    "  }\n",
                    "unroll(p_down)"),
            "c[2] = c[3];\n"
            "c[1] = c[2];\n"
            "c[0] = c[1];\n");
}

TEST(UnrollTest, EightIterationsAreStillShort) {
  EXPECT_EQ(WhyNot("  for (int64_t p = 0; p < 8; ++p) {\n"
                   "    c[p] = 0;\n  }\n",
                   "unroll(p)"),
            "applies");
  EXPECT_EQ(WhyNot("#pragma omp simd\n"
                   "  for (int64_t p = 0; p < 8; ++p) {\n"
                   "    c[p] = 0;\n  }\n",
                   "unroll(p)"),
            "a pragma needs the loop");
  EXPECT_EQ(WhyNot("  for (int64_t p = 0; p < 8; ++p) {\n"
                   "    c[p] = 0;\n  }\n",
                   "unroll(q)"),
            "there is no such loop here");
}

// 0 - 1 is less than 2, but not without a sign.
TEST(UnrollTest, NumbersWithoutASignKeepTheirType) {
  const auto made = [](const std::string& type) {
    return Rewrite("  for (" + type +
                       " q = 0; q < 1; ++q) {\n    c[q] = q - 1 < 2;\n  }\n",
                   "unroll(q)");
  };
  EXPECT_EQ(made("int"), "c[0] = -1 < 2;\n");
  EXPECT_EQ(made("uint32_t"),
            "c[static_cast<uint32_t>(0)] = static_cast<uint32_t>(0) - 1 < "
            "2;\n");
}

// Two `both` of one block would be one too many.
TEST(UnrollTest, UnknownCodeKeepsItsNamesToItself) {
  EXPECT_EQ(Rewrite("  for (int64_t q = 0; q < 2; ++q) {\n"
                    "    Pair both = Get(b);\n"
                    "    c[q] = 1;\n"
                    "  }\n",
                    "unroll(q)"),
            "{\n"
            "  Pair both = Get ( b ) ;\n"
            "  c[0] = 1;\n"
            "}\n"
            "{\n"
            "  Pair both = Get ( b ) ;\n"
            "  c[1] = 1;\n"
            "}\n");
}

}  // namespace
}  // namespace coppice::agents::catalogue
