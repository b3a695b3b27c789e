#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(HoistTest, DividesOnce) {
  EXPECT_EQ(Rewrite("  float sum = a[0];\n"
                    "  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = c[j] / sum;\n"
                    "  }\n",
                    "hoist(j)"),
            "float sum = a[0];\n"
            "const float j_inverse = 1.0f / sum;\n"
            "for (int64_t j = 0; j < N; ++j) {\n"
            "  c[j] = c[j] * j_inverse;\n"
            "}\n");
}

TEST(HoistTest, LoadsOnceWhatStays) {
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = a[j] * b[M] + b[M];\n"
                    "  }\n",
                    "hoist(j)"),
            "const float j_fixed = b[M];\n"
            "for (int64_t j = 0; j < N; ++j) {\n"
            "  c[j] = a[j] * j_fixed + j_fixed;\n"
            "}\n");
}

TEST(HoistTest, WhatTheLoopWritesDoesNotStay) {
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = c[0] + a[j];\n  }\n",
                    "hoist(j)"),
            "refused: hoist(j): nothing in the loop stays the same");
}

TEST(HoistTest, PromotesAnElementToAScalar) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t k = 0; k < K; ++k) {\n"
                    "      c[i] += a[i * K + k];\n"
                    "    }\n"
                    "  }\n",
                    "promote(k)"),
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  float c_kept = c[i];\n"
            "  for (int64_t k = 0; k < K; ++k) {\n"
            "    c_kept += a[i * K + k];\n"
            "  }\n"
            "  c[i] = c_kept;\n"
            "}\n");
}

TEST(HoistTest, AnElementThatMovesIsNotPromoted) {
  EXPECT_EQ(Rewrite("  for (int64_t k = 0; k < K; ++k) {\n"
                    "    c[k] += a[k];\n  }\n",
                    "promote(k)"),
            "refused: promote(k): no element is used by every iteration");
}

// For i = 0 there is no row above: nobody may look at it.
TEST(HoistTest, AGuardedLoadStaysBehindItsGuard) {
  const auto made = [](const std::string& body) {
    return Rewrite(
        "  for (int64_t j = 0; j < N; ++j) {\n    " + body + "\n  }\n",
        "hoist(j)");
  };
  const std::string nothing =
      "refused: hoist(j): nothing in the loop stays the same";
  EXPECT_EQ(made("if (M > 1) {\n      c[j] = a[M - 2];\n    }"), nothing);
  EXPECT_EQ(made("if (M > 1) {\n      c[j] = 0;\n    } else {\n      c[j] = "
                 "a[M];\n    }"),
            nothing);
  EXPECT_EQ(made("c[j] = M > 1 ? a[M - 2] : b[j];"), nothing);
  EXPECT_EQ(made("c[j] = M > 1 && a[M - 2] > 0.0f ? 1 : 0;"), nothing);
  EXPECT_EQ(made("if (M > 1) {\n      c[j] = b[j] / a[M - 2];\n    }"),
            nothing);
  // The condition itself is always looked at.
  EXPECT_EQ(made("if (a[M] > b[j]) {\n      c[j] = 1;\n    }"),
            "const float j_fixed = a[M];\n"
            "for (int64_t j = 0; j < N; ++j) {\n"
            "  if (j_fixed > b[j]) {\n"
            "    c[j] = 1;\n"
            "  }\n"
            "}\n");
}

TEST(HoistTest, OnlyFloatsAreKeptAsFloats) {
  const auto made = [](const std::string& before, const std::string& body) {
    return Rewrite("  " + before +
                       "\n  for (int64_t j = 0; j < N; ++j) {\n    " + body +
                       "\n  }\n",
                   "hoist(j)");
  };
  const std::string nothing =
      "refused: hoist(j): nothing in the loop stays the same";
  // A whole number divides as such.
  EXPECT_EQ(made("int64_t d = M;", "c[j] = j / d;"), nothing);
  EXPECT_EQ(made("float f = a[0];", "c[j] = j / static_cast<int64_t>(f);"),
            nothing);
  EXPECT_EQ(made("std::vector<int64_t> v(M);",
                 "c[j] = a[v[static_cast<int64_t>(2.0f)] + j];"),
            nothing);
  // Doubles would lose half of their digits.
  EXPECT_EQ(
      made("double d = a[0];", "c[j] = b[j] * (d * a[1]);").find("j_fixed = d"),
      std::string::npos);
  EXPECT_EQ(made("double d = a[0];", "c[j] = d * b[j] / d;"), nothing);
  // A pointer is no float, however many it points to.
  EXPECT_EQ(
      made("float f = a[0];", "const float* p = b + M;\n    c[j] = p[j];"),
      nothing);
}

TEST(HoistTest, WhatAPointerReachesMayChange) {
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < N; ++j) {\n"
                    "    float* p = c + j;\n"
                    "    p[0] = c[0] + a[j];\n  }\n",
                    "hoist(j)"),
            "refused: hoist(j): nothing in the loop stays the same");
}

TEST(HoistTest, PromotesOnlyWhatIsSurelyUsed) {
  const auto why_not = [](const std::string& body) {
    return WhyNot(
        "  for (int64_t i = 0; i < M; ++i) {\n"
        "    for (int64_t k = 0; k < K; ++k) {\n      " +
            body + "\n    }\n  }\n",
        "promote(k)");
  };
  const std::string none = "no element is used by every iteration";
  EXPECT_EQ(why_not("c[i] += a[k];"), "applies");
  // c[-1] for the first row.
  EXPECT_EQ(why_not("if (i > 0) {\n        c[i - 1] += a[k];\n      }"), none);
  EXPECT_EQ(why_not("c[i] += c[i + 1];"), none);
  EXPECT_EQ(why_not("c[i] += a[k];\n      c[k] = 0;"), none);
  EXPECT_EQ(why_not("c[i + k] += a[k];"), none);
  // Two names for one element.
  EXPECT_EQ(why_not("float* p = c + i;\n      p[0] += a[k];"), none);
  EXPECT_EQ(why_not("if (a[k] > 0) {\n        break;\n      }\n"
                    "      c[i] += a[k];"),
            "it holds unknown code");
}

// Whether it goes on is looked up in memory each time.
TEST(HoistTest, AnEndThatTheLoopStoresIsNotPromoted) {
  EXPECT_EQ(WhyNot("  for (int64_t k = 0; k < c[0]; ++k) {\n"
                   "    c[0] -= a[k];\n"
                   "  }\n",
                   "promote(k)"),
            "no element is used by every iteration");
}

// Each iteration chooses another element.
TEST(HoistTest, ASubscriptThatTheLoopWritesMoves) {
  EXPECT_EQ(WhyNot("  std::vector<int64_t> at(1);\n"
                   "  for (int64_t k = 0; k < K; ++k) {\n"
                   "    c[at[0]] += a[k];\n"
                   "    at[0] = k;\n"
                   "    at[1] = k;\n"
                   "  }\n",
                   "promote(k)"),
            "no element is used by every iteration");
}

}  // namespace
}  // namespace coppice::agents::catalogue
