#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

std::string WindowOf(const std::string& fold, const std::string& init = "0",
                     const std::string& after = "c[i] = s;") {
  return "  for (int64_t i = 0; i < M; ++i) {\n"
         "    float s = 0.0f;\n"
         "    for (int64_t k = " +
         init + "; k < K; ++k) {\n      " + fold + "\n    }\n    " + after +
         "\n  }\n";
}

TEST(SlideTest, WindowsAreFoldedOutOfSmallerWindows) {
  // The terms of the places from i on begin at the first of the window, and
  // the last window of them ends K - 1 behind the last place.
  EXPECT_EQ(
      Rewrite(WindowOf("s += a[2 * i + 2 * k + N];", "1"), "slide(k)"),
      "for (int64_t i = 0; i < M; i += 1024) {\n"
      "  const int64_t i_count = std::min<int64_t>(1024, M - i);\n"
      "  std::vector<float> s_terms(std::max<int64_t>(K + i_count - 2, 0));\n"
      "  float s_window[1024];\n"
      "  for (int64_t i_term = 0; i_term < std::max<int64_t>(K + i_count - 2, "
      "0); ++i_term) {\n"
      "    s_terms[i_term] = static_cast<float>(a[N + 2 * (i + i_term + 1)]);\n"
      "  }\n"
      "  SlidingSum_float(s_terms.data(), s_window, i_count, K - 1);\n"
      "  for (int64_t i_place = 0; i_place < std::min<int64_t>(1024, i_count); "
      "++i_place) {\n"
      "    float s = 0.0f;\n"
      "    s = s + s_window[i_place];\n"
      "    c[i + i_place] = s;\n"
      "  }\n"
      "}\n");
}

TEST(SlideTest, AMaximumByATestIsAFold) {
  const std::string made =
      Rewrite(WindowOf("if (a[i + k] > s) { s = a[i + k]; }"), "slide(k)");
  EXPECT_NE(made.find("s = std::max<float>(s, s_window[i_place]);"),
            std::string::npos)
      << made;
  EXPECT_EQ(
      Rewrite(WindowOf("if (a[i + k] > s) { s = a[i + k]; } s += a[i + k];"),
              "slide(k)"),
      "refused: slide(k): `s` is folded in two ways");
}

TEST(SlideTest, WhatIsFoldedMustMoveWithTheWindow) {
  const std::string refused =
      "refused: slide(k): what is folded does not move with the window";
  // Weights stay where they are, and a stride of two skips places.
  EXPECT_EQ(Rewrite(WindowOf("s += a[i + k] * b[k];"), "slide(k)"), refused);
  EXPECT_EQ(Rewrite(WindowOf("s += a[i + 2 * k];"), "slide(k)"), refused);
  EXPECT_EQ(Rewrite(WindowOf("s += a[i - k];"), "slide(k)"), refused);
  EXPECT_EQ(Rewrite(WindowOf("s += a[i + k] * (i + 1);"), "slide(k)"), refused);
  EXPECT_EQ(Rewrite(WindowOf("if (i < k) { s += a[i + k]; }"), "slide(k)"),
            "refused: slide(k): what guards the window does not move with it");
}

TEST(SlideTest, EachFoldHasItsHelper) {
  struct Case {
    const char *fold, *helper, *joined;
  };
  for (const auto& [fold, helper, joined] : {
           Case{"s += a[i + k];", "SlidingSum_float", "s = s + s_window"},
           Case{"s -= a[i + k];", "SlidingSum_float", "s = s + s_window"},
           Case{"s = a[i + k] * s;", "SlidingProduct_float",
                "s = s * s_window"},
           Case{"s = std::min(s, a[i + k]);", "SlidingMinimum_float",
                "s = std::min<float>(s, s_window"},
           Case{"s = s < a[i + k] ? a[i + k] : s;", "SlidingMaximum_float",
                "s = std::max<float>(s, s_window"},
       }) {
    const std::string made = Rewrite(WindowOf(fold), "slide(k)");
    EXPECT_NE(made.find(std::string(helper) + "(s_terms.data()"), made.npos)
        << fold << "\n"
        << made;
    EXPECT_NE(made.find(joined), made.npos) << fold << "\n" << made;
  }
}

// Outside, the neutral value is folded: 0 to a sum, the least to a maximum.
TEST(SlideTest, AGuardThatMovesWithTheWindowIsKept) {
  const std::string made =
      Rewrite(WindowOf("int64_t at = i + k - 2; if (at >= 0) { s = std::max(s, "
                       "2.0f * a[at]); }"),
              "slide(k)");
  EXPECT_NE(made.find("s_terms[i_term] = i + i_term - 2 >= 0 ? "
                      "static_cast<float>(2.0f * a[i + i_term - 2]) : "
                      "-INFINITY;"),
            made.npos)
      << made;
}

TEST(SlideTest, OtherLoopsAreNoWindows) {
  struct Case {
    const char *old, *other, *why;
  };
  for (const auto& [old, other, why] : {
           Case{"s += a[i + k];", "s += a[i + k];", "applies"},
           Case{"int64_t k", "int64_t q", "no loop stands right around it"},
           Case{"++i", "i += 2", "a loop has a step or a pragma"},
           Case{"k < K", "k < K - i", "the window's size changes"},
           Case{"s += a[i + k];", "", "nothing is folded"},
           Case{"s += a[i + k];", "c[k] = a[i + k];", "it does more than fold"},
           Case{"s += a[i + k];", "while (M) { M -= 1; }",
                "it holds code whose effects are unknown"},
           Case{"float s", "bool s", "what is folded into is no local number"},
           Case{"s += a[i + k];", "s += a[i + k] / k;",
                "what is folded does not move with the window"},
           Case{"s += a[i + k];", "s += f.x[i + k];",
                "it holds code whose effects are unknown"},
       }) {
    std::string window = WindowOf("s += a[i + k];");
    const std::string from = old;
    window.replace(window.find(from), from.size(), other);
    // An empty body would be text.
    if (std::string_view(why) == "nothing is folded") {
      window.replace(window.find("      \n"), 7, "      // None.\n");
    }
    EXPECT_EQ(WhyNot(window, "slide(k)"), why) << old << " as " << other;
  }
}

TEST(SlideTest, NothingInTheWindowMayBeWrittenOnTheWay) {
  // Each place changes what the next window holds.
  EXPECT_EQ(Rewrite(WindowOf("s += c[i + k];"), "slide(k)"),
            "refused: slide(k): what is folded does not move with the window");
  EXPECT_EQ(Rewrite(WindowOf("s += a[i + k]; c[k] = a[k];"), "slide(k)"),
            "refused: slide(k): it does more than fold");
  EXPECT_EQ(Rewrite(WindowOf("s += a[i + k];", "i"), "slide(k)"),
            "refused: slide(k): the window's size changes");
  EXPECT_EQ(Rewrite("  float s = 0.0f;\n"
                    "  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t k = 0; k < K; ++k) {\n"
                    "      s += a[i + k];\n"
                    "    }\n"
                    "    c[i] = s;\n"
                    "  }\n",
                    "slide(k)"),
            "refused: slide(k): what is folded into is no local number");
}

}  // namespace
}  // namespace coppice::agents::catalogue
