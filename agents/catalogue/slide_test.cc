#include "agents/catalogue/slide.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

std::string Window(const std::string& fold, const std::string& init = "0",
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
      Rewrite(Window("s += a[2 * i + 2 * k + N];", "1"), "slide(k)"),
      "for (int64_t i = 0; i < M; i += 1024) {\n"
      "  const int64_t i_count = std::min<int64_t>(1024, M - i);\n"
      "  std::vector<float> s_terms(std::max<int64_t>(i_count + (K - 1) - 1, "
      "0));\n"
      "  float s_window[1024];\n"
      "  for (int64_t i_term = 0; i_term < std::max<int64_t>(i_count + (K - 1) "
      "- 1, 0); ++i_term) {\n"
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

TEST(SlideTest, WhatIsFoldedMustMoveWithTheWindow) {
  const std::string refused =
      "refused: slide(k): what is folded does not move with the window";
  // Weights stay where they are, and a stride of two skips places.
  EXPECT_EQ(Rewrite(Window("s += a[i + k] * b[k];"), "slide(k)"), refused);
  EXPECT_EQ(Rewrite(Window("s += a[i + 2 * k];"), "slide(k)"), refused);
  EXPECT_EQ(Rewrite(Window("s += a[i - k];"), "slide(k)"), refused);
  EXPECT_EQ(Rewrite(Window("s += a[i + k] * (i + 1);"), "slide(k)"), refused);
  EXPECT_EQ(Rewrite(Window("if (i < k) { s += a[i + k]; }"), "slide(k)"),
            "refused: slide(k): what guards the window does not move with it");
}

TEST(SlideTest, NothingInTheWindowMayBeWrittenOnTheWay) {
  // Each place changes what the next window holds.
  EXPECT_EQ(Rewrite(Window("s += c[i + k];"), "slide(k)"),
            "refused: slide(k): what is folded does not move with the window");
  EXPECT_EQ(Rewrite(Window("s += a[i + k]; c[k] = a[k];"), "slide(k)"),
            "refused: slide(k): it does more than fold");
  EXPECT_EQ(Rewrite(Window("s += a[i + k];", "i"), "slide(k)"),
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
