#include <gtest/gtest.h>

#include "agents/catalogue/agent/catalogue.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(AccumulateTest, FoldsIntoPartsAndJoinsThemByHalves) {
  EXPECT_EQ(Rewrite("  float sum = 0.0f;\n"
                    "  for (int64_t k = 0; k < K; ++k) {\n"
                    "    sum += a[k];\n"
                    "  }\n"
                    "  c[0] = sum;\n",
                    "accumulate(k, 8)"),
            "float sum = 0.0f;\n"
            "float sum_part[8];\n"
            "#pragma omp simd\n"
            "for (int64_t k_lane = 0; k_lane < 8; ++k_lane) {\n"
            "  sum_part[k_lane] = 0.0f;\n"
            "}\n"
            "for (int64_t k = 0; k < K / 8 * 8; k += 8) {\n"
            "#pragma omp simd\n"
            "  for (int64_t k_lane = 0; k_lane < 8; ++k_lane) {\n"
            "    sum_part[k_lane] += a[k + k_lane];\n"
            "  }\n"
            "}\n"
            "for (int64_t k = K / 8 * 8; k < K; k += 8) {\n"
            "#pragma omp simd\n"
            "  for (int64_t k_lane = 0; k_lane < 8; ++k_lane) {\n"
            "    sum_part[k_lane] = sum_part[k_lane] + (k + k_lane < K ? a[k + "
            "k_lane] : 0.0f);\n"
            "  }\n"
            "}\n"
            "#pragma omp simd\n"
            "for (int64_t k_lane = 0; k_lane < 4; ++k_lane) {\n"
            "  sum_part[k_lane] = sum_part[k_lane] + sum_part[k_lane + 4];\n"
            "}\n"
            "sum = sum + (sum_part[0] + sum_part[1]) + (sum_part[2] + "
            "sum_part[3]);\n"
            "c[0] = sum;\n");
}

TEST(AccumulateTest, AMaximumStartsAtMinusInfinity) {
  const std::string text = Rewrite(
      "  float big = a[0];\n"
      "  for (int64_t k = 0; k < K; ++k) {\n"
      "    big = std::max(big, a[k]);\n"
      "  }\n"
      "  c[0] = big;\n",
      "accumulate(k, 4)");
  EXPECT_NE(text.find("big_part[k_lane] = -INFINITY;"), std::string::npos);
  // By value: std::max returns a reference.
  EXPECT_NE(text.find("LaneMax(big_part[k_lane], a[k + k_lane])"),
            std::string::npos)
      << text;
}

TEST(AccumulateTest, LeavesOtherLoopsAlone) {
  const std::string fold =
      "  float s = 0.0f;\n"
      "  for (int64_t k = 0; k < K; ++k) {\n    s += std::exp(a[k]);\n  }\n"
      "  c[0] = s;\n";
  EXPECT_EQ(Rewrite(fold, "accumulate(k, 16, cheap)"),
            "refused: accumulate(k, 16, cheap): it calls functions");
  EXPECT_EQ(Rewrite(fold, "accumulate(k, 12)"),
            "refused: accumulate(k, 12): the width is no power of 2");
  EXPECT_EQ(Rewrite("  for (int64_t k = 0; k < K; ++k) {\n"
                    "    c[k] = a[k];\n  }\n",
                    "accumulate(k, 16)"),
            "refused: accumulate(k, 16): the loop folds nothing");
}

// Each of two loops has its own `s`.
TEST(AccumulateTest, PartsHaveTheTypeOfTheScalarThatIsMeant) {
  constexpr std::string_view kTwo =
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    float s = 0.0f;\n"
      "    for (int64_t k = 0; k < K; ++k) {\n"
      "      s += a[k];\n"
      "    }\n"
      "    c[i] = s;\n"
      "  }\n"
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    int64_t s = 0;\n"
      "    for (int64_t p = 0; p < K; ++p) {\n"
      "      s += p;\n"
      "    }\n"
      "    c[i] += s;\n"
      "  }\n";
  const std::string first = Rewrite(kTwo, "accumulate(k, 4)");
  EXPECT_NE(first.find("float s_part[4];"), std::string::npos) << first;
  EXPECT_NE(first.find("s_part[k_lane] = 0.0f;"), std::string::npos) << first;
  const std::string second = Rewrite(kTwo, "accumulate(p, 4)");
  EXPECT_NE(second.find("int64_t s_part[4];"), std::string::npos) << second;
  EXPECT_NE(second.find("s_part[p_lane] = 0;"), std::string::npos) << second;
}

// The anchors may leave the declaration outside.
TEST(AccumulateTest, TheDeclarationMayStandInFrontOfTheSpan) {
  const std::string source = KernelOf(
      "  double s = 0.0;\n"
      "  for (int64_t k = 0; k < K; ++k) {\n"
      "    s += a[k];\n"
      "  }\n"
      "  c[0] = s;\n"
      "  for (int64_t k = 0; k < K; ++k) {\n"
      "    float s = a[k];\n"
      "    c[k] = s;\n"
      "  }\n");
  const auto made = RewriteSpan(source, 5, 7, "accumulate(k, 2)", {});
  ASSERT_TRUE(made) << made.error();
  EXPECT_NE(made->find("double s_part[2];"), std::string::npos) << *made;
}

TEST(AccumulateTest, ExtremesOfWholeNumbersAreWhole) {
  for (const char* type : {"long", "unsigned", "size_t", "int32_t"}) {
    const std::string made =
        Rewrite("  " + std::string(type) +
                    " low = 9;\n"
                    "  for (int64_t k = 0; k < K; ++k) {\n"
                    "    low = std::min(low, static_cast<" +
                    type +
                    ">(a[k]));\n"
                    "  }\n"
                    "  c[0] = low;\n",
                "accumulate(k, 4)");
    EXPECT_NE(made.find("low_part[k_lane] = std::numeric_limits<" +
                        std::string(type) + ">::max();"),
              std::string::npos)
        << made;
    EXPECT_EQ(made.find("INFINITY"), std::string::npos) << made;
  }
}

// Products begin at 1, and what is subtracted stays subtracted.
TEST(AccumulateTest, EveryFoldBeginsWithItsNeutralValue) {
  const auto made = [](const char* fold) {
    return Rewrite(
        "  float s = 1.0f;\n"
        "  for (int64_t k = 0; k < K; ++k) {\n    " +
            std::string(fold) + "\n  }\n  c[0] = s;\n",
        "accumulate(k, 2)");
  };
  std::string text = made("s *= a[k];");
  EXPECT_NE(text.find("s_part[k_lane] = 1.0f;"), std::string::npos) << text;
  EXPECT_NE(text.find("s_part[k_lane] * (k + k_lane < K ? a[k + k_lane] : "
                      "1.0f);"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("s = s * (s_part[0] * s_part[1]);"), std::string::npos);
  text = made("s -= a[k];");
  EXPECT_NE(text.find("s_part[k_lane] -= a[k + k_lane];"), std::string::npos);
  EXPECT_NE(text.find("s_part[k_lane] + (k + k_lane < K ? -a[k + k_lane] : "
                      "0.0f);"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("s = s + (s_part[0] + s_part[1]);"), std::string::npos);
}

// 1, 4, 7, ...: a strip of 2 begins each 6 further on.
TEST(AccumulateTest, StepsOtherThanOneAreKept) {
  const std::string made = Rewrite(
      "  float s = 0.0f;\n"
      "  for (int64_t k = 1; k < K; k += 3) {\n"
      "    s += a[k];\n"
      "  }\n"
      "  c[0] = s;\n",
      "accumulate(k, 2)");
  EXPECT_NE(made.find("for (int64_t k = 1; k < 1 + (K - 1) / 6 * 6; k += 6)"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("s_part[k_lane] += a[k + k_lane * 3];"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("k + k_lane * 3 < K ? a[k + k_lane * 3] : 0.0f"),
            std::string::npos)
      << made;
}

TEST(AccumulateTest, RefusesWithAReason) {
  const auto why_not = [](const std::string& body,
                          const std::string& type = "float") {
    return WhyNot("  " + type +
                      " s = a[0];\n"
                      "  for (int64_t k = 0; k < K; ++k) {\n    " +
                      body + "\n  }\n  c[0] = s;\n",
                  "accumulate(k, 4)");
  };
  const std::string carries =
      "`s` carries a value from one iteration to the next";
  EXPECT_EQ(why_not("s += a[k];"), "applies");
  EXPECT_EQ(why_not("s += a[k];", "auto"),
            "the type of the accumulator is unknown");
  EXPECT_EQ(why_not("s = 0.5f * s + a[k];"), carries);
  EXPECT_EQ(why_not("s += a[k];\n    c[k] = s;"), carries);
  EXPECT_EQ(why_not("s += a[k];\n    s *= b[k];"), carries);
  EXPECT_EQ(why_not("s += s * a[k];"), carries);
  EXPECT_EQ(why_not("s += a[k];\n    k += 1;"),
            "its iterations decide how many there are");
  EXPECT_EQ(why_not("s += a[k];\n    if (s > 1) {\n      break;\n    }"),
            "it holds code whose effects are unknown");
  EXPECT_EQ(why_not("for (int64_t j = 0; j < N; ++j) {\n"
                    "      s += a[j];\n    }"),
            "the loop is no innermost one");
  EXPECT_EQ(why_not("c[k / 2] += a[k];\n    s += a[k];"),
            "iterations may touch the same elements of `c`");
}

TEST(AccumulateTest, WhatAReferenceStandsForIsAddedTo) {
  const std::string made = Rewrite(
      "  float& s = c[0];\n"
      "  for (int64_t k = 0; k < K; ++k) {\n"
      "    s += a[k];\n"
      "  }\n",
      "accumulate(k, 2)");
  EXPECT_NE(made.find("\nfloat s_part[2];\n"), std::string::npos) << made;
  EXPECT_NE(made.find("s = s + (s_part[0] + s_part[1]);"), std::string::npos)
      << made;
}

// 1 - 0.5 is 0, and so is 0 - 0.5, so the order counts.
TEST(AccumulateTest, WholeNumbersFoldOnlyWholeNumbers) {
  const auto why_not = [](const std::string& type, const std::string& fold,
                          const char* label) {
    return WhyNot("  bool p = M > 2;\n  " + type +
                      " n = 9;\n"
                      "  for (int64_t k = 0; k < K; ++k) {\n    " +
                      fold + "\n  }\n  c[0] = n;\n",
                  label, {.threads = 2, .sizes = {}, .root = {}});
  };
  const std::string cut = "`n` is cut to a whole number each time";
  for (const char* label : {"accumulate(k, 4)", "simd(k)", "parallel(k)"}) {
    EXPECT_EQ(why_not("int64_t", "n += a[k] * 0.5f;", label), cut) << label;
    EXPECT_EQ(why_not("short", "n += a[k];", label), cut) << label;
    EXPECT_EQ(why_not("unsigned", "n *= 1.5f;", label), cut) << label;
    for (const char* fold :
         {"n += a[k] > 0.5f ? 2 : -1;", "n += a[k] > 0.5f;", "n += k * M;",
          "n += static_cast<int>(a[k] * 3.0f);", "n += (int)a[k] & 7;",
          "n = std::max<int64_t>(n, k);", "n += p;", "n *= 0x1F;"}) {
      EXPECT_EQ(why_not("int64_t", fold, label), "applies") << label << fold;
    }
    EXPECT_EQ(why_not("float", "n += a[k] * 0.5f;", label), "applies") << label;
  }
}

// 0.5 is a double, and the extreme of a float and a double has no type.
TEST(AccumulateTest, ExtremesOfTwoTypesAreOfTheirAccumulators) {
  const auto made = [](const char* fold) {
    return Rewrite(
        "  float s = 0.0f;\n"
        "  for (int64_t k = 0; k < K; ++k) {\n    " +
            std::string(fold) + "\n  }\n  c[0] = s;\n",
        "accumulate(k, 2)");
  };
  for (const char* fold :
       {"s = fmaxf(s, a[k] * 0.5);", "s = s < a[k] * 0.5 ? a[k] * 0.5 : s;",
        "s = std::max<float>(s, a[k] * 0.5);"}) {
    EXPECT_NE(made(fold).find("k + k_lane < K ? static_cast<float>(a[k + "
                              "k_lane] * 0.5) : -INFINITY"),
              std::string::npos)
        << made(fold);
  }
  EXPECT_EQ(made("s = std::max(s, a[k]);").find("static_cast"),
            std::string::npos);
}

}  // namespace
}  // namespace coppice::agents::catalogue
