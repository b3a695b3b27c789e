#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(InteriorTest, TestsOfBothBordersAreLeftToTheEnds) {
  // j - 1 >= 0 from 1 on, and j + 1 < K before K - 1.
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < K; ++j) {\n"
                    "    float s = a[j];\n"
                    "    if (j - 1 >= 0) {\n"
                    "      s += a[j - 1];\n"
                    "    }\n"
                    "    if (j + 1 < K) {\n"
                    "      s += a[j + 1];\n"
                    "    }\n"
                    "    c[j] = s;\n"
                    "  }\n",
                    "interior(j)"),
            "int64_t j_begin = std::min<int64_t>(1, K);\n"
            "for (int64_t j_low = 0; j_low < j_begin; ++j_low) {\n"
            "  float s_low = a[j_low];\n"
            "  if (j_low - 1 >= 0) {\n"
            "    s_low += a[j_low - 1];\n"
            "  }\n"
            "  if (j_low + 1 < K) {\n"
            "    s_low += a[j_low + 1];\n"
            "  }\n"
            "  c[j_low] = s_low;\n"
            "}\n"
            "int64_t j_end = std::max<int64_t>(j_begin, K - 1);\n"
            "for (int64_t j = j_begin; j < j_end; ++j) {\n"
            "  float s = a[j];\n"
            "  s += a[j - 1];\n"
            "  s += a[j + 1];\n"
            "  c[j] = s;\n"
            "}\n"
            "for (int64_t j_high = j_end; j_high < K; ++j_high) {\n"
            "  float s_high = a[j_high];\n"
            "  if (j_high - 1 >= 0) {\n"
            "    s_high += a[j_high - 1];\n"
            "  }\n"
            "  if (j_high + 1 < K) {\n"
            "    s_high += a[j_high + 1];\n"
            "  }\n"
            "  c[j_high] = s_high;\n"
            "}\n");
}

// The lines of the loop over `j` alone.
std::string MiddleOf(const std::string& text) {
  const std::size_t at = text.find("for (int64_t j = ");
  if (at == std::string::npos) return text;
  const std::size_t end = text.find("\n}\n", at);
  return text.substr(at, end + 3 - at);
}

TEST(InteriorTest, ClampsDoNothingInTheMiddle) {
  // j + q - 1 is at least 0 for all q from 0 on once j >= 1, and at most
  // K - 1 for all q up to 2 as long as j <= K - 2.
  EXPECT_EQ(MiddleOf(Rewrite("  for (int64_t j = 0; j < K; ++j) {\n"
                             "    float s = 0.0f;\n"
                             "    for (int64_t q = 0; q < 3; ++q) {\n"
                             "      int64_t at = j + q - 1;\n"
                             "      at = at < 0 ? 0 : at;\n"
                             "      at = at > K - 1 ? K - 1 : at;\n"
                             "      s += a[at];\n"
                             "    }\n"
                             "    c[j] = s;\n"
                             "  }\n",
                             "interior(j)")),
            "for (int64_t j = j_begin; j < j_end; ++j) {\n"
            "  float s = 0.0f;\n"
            "  for (int64_t q = 0; q < 3; ++q) {\n"
            "    int64_t at = j + q - 1;\n"
            "    s += a[at];\n"
            "  }\n"
            "  c[j] = s;\n"
            "}\n");
  const std::string by_max = Rewrite(
      "  for (int64_t j = 0; j < K; ++j) {\n"
      "    c[j] = a[std::max<int64_t>(j - 2, 0)] + "
      "a[std::min<int64_t>(j + 3, K - 1)];\n"
      "  }\n",
      "interior(j)");
  EXPECT_EQ(MiddleOf(by_max),
            "for (int64_t j = j_begin; j < j_end; ++j) {\n"
            "  c[j] = a[j - 2] + a[j + 3];\n"
            "}\n");
  // The last load is at j + 3, which is K - 1 either way if j is K - 4.
  EXPECT_NE(by_max.find("j_end = std::max<int64_t>(j_begin, K - 4);"),
            std::string::npos)
      << by_max;
}

TEST(InteriorTest, PragmasSpeakOfTheNamesOfTheirBorder) {
  const std::string made = Rewrite(
      "  for (int64_t j = 0; j < K; ++j) {\n"
      "    float s = 0.0f;\n"
      "    #pragma omp simd reduction(+:s)\n"
      "    for (int64_t q = 0; q < 3; ++q) {\n"
      "      if (j + q - 1 >= 0) {\n"
      "        s += a[j + q - 1];\n"
      "      }\n"
      "    }\n"
      "    c[j] = s;\n"
      "  }\n",
      "interior(j)");
  // The border comes first, then the middle.
  EXPECT_LT(made.find("reduction(+:s_low)\n"), made.find("reduction(+:s)\n"))
      << made;
}

TEST(InteriorTest, AChoiceOfZerosOutsideBecomesTheLoad) {
  EXPECT_EQ(MiddleOf(Rewrite("  for (int64_t j = 0; j < K; ++j) {\n"
                             "    c[j] = j < 4 || j >= K - 4 ? 0.0f : "
                             "a[j - 4] + a[j + 4];\n"
                             "  }\n",
                             "interior(j)")),
            "for (int64_t j = j_begin; j < j_end; ++j) {\n"
            "  c[j] = a[j - 4] + a[j + 4];\n"
            "}\n");
}

TEST(InteriorTest, DataReadInFrontMayDecideWhereTheMiddleBegins) {
  const std::string sizes =
      "#include <cstdint>\n"
      "extern \"C\" void run(const int32_t* w, const float* a, float* c, "
      "int64_t M, int64_t N) {\n";
  const std::string body =
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      int64_t rest = j - w[i];\n"
      "      if (rest >= 0) {\n"
      "        c[i * N + j] = a[rest];\n"
      "      }\n"
      "    }\n"
      "  }\n"
      "}\n";
  const std::string text = RewriteFile(sizes + body, "interior(j)");
  EXPECT_NE(text.find("std::min<int64_t>(std::max<int64_t>(0, w[i]), N)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    for (int64_t j = j_begin; j < N; ++j) {\n"
                      "      int64_t rest = j - w[i];\n"
                      "      c[i * N + j] = a[rest];\n"),
            std::string::npos)
      << text;
  // Floats are no bounds.
  std::string floats = sizes + body;
  floats.replace(floats.find("int32_t* w"), 10, "float* w");
  EXPECT_EQ(RewriteFile(floats, "interior(j)"),
            "refused: interior(j): no test in it is of a border");
}

// Below 0 numbers without a sign are the greatest, so that one comparison
// tests both borders.
TEST(InteriorTest, ATestOfNumbersThatWrapIsLeftAlone) {
  const auto why_not = [](const std::string& test) {
    return WhyNot(
        "  for (int64_t j = 0; j < K; ++j) {\n"
        "    int64_t left = j - 1;\n"
        "    uint64_t place = j - 1;\n"
        "    if (" +
            test + ") {\n      c[j] = a[left];\n    }\n  }\n",
        "interior(j)");
  };
  const std::string none = "no test in it is of a border";
  EXPECT_EQ(why_not("left >= 0"), "applies");
  EXPECT_EQ(why_not("static_cast<int>(left) >= 0"), "applies");
  EXPECT_EQ(why_not("place < K"), none);
  EXPECT_EQ(why_not("static_cast<uint64_t>(left) < K"), none);
  EXPECT_EQ(why_not("static_cast<std::size_t>(left) < K"), none);
  EXPECT_EQ(why_not("(unsigned)(j - 1) < K"), none);
  EXPECT_EQ(why_not("left + 0u < K"), none);
}

TEST(InteriorTest, NothingThatTheLoopChangesDecides) {
  const auto refused = [](const std::string& statements) {
    return Rewrite(statements, "interior(j)") ==
           "refused: interior(j): no test in it is of a border";
  };
  // A bound that an iteration moves.
  EXPECT_TRUE(
      refused("  int64_t low = 3;\n"
              "  for (int64_t j = 0; j < K; ++j) {\n"
              "    if (j >= low) {\n"
              "      c[j] = a[j];\n"
              "      low += 2;\n"
              "    }\n"
              "  }\n"));
  // A place that an iteration moves before it is looked at.
  EXPECT_TRUE(
      refused("  for (int64_t j = 0; j < K; ++j) {\n"
              "    int64_t at = j - 1;\n"
              "    for (int64_t q = 0; q < N; ++q) {\n"
              "      at += 5;\n"
              "    }\n"
              "    if (at >= 0) {\n"
              "      c[j] = a[at];\n"
              "    }\n"
              "  }\n"));
  // Half of the iterations, not one side of them.
  EXPECT_TRUE(
      refused("  for (int64_t j = 0; j < K; ++j) {\n"
              "    if (j % 2 >= 1) {\n"
              "      c[j] = a[j];\n"
              "    }\n"
              "  }\n"));
}

}  // namespace
}  // namespace coppice::agents::catalogue
