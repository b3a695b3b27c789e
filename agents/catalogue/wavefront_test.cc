#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

// The length of a common subsequence, say: M + 1 rows of N + 1.
std::string Filled(const std::string& value, const std::string& last = "",
                   const std::string& size = "(M + 1) * (N + 1)") {
  return "  std::vector<float> t(" + size +
         ");\n"
         "  for (int64_t i = 1; i <= M; ++i) {\n"
         "    for (int64_t j = 1; j <= N; ++j) {\n"
         "      t[i * (N + 1) + j] = " +
         value + ";\n" + last +
         "    }\n"
         "  }\n"
         "  c[0] = t[M * (N + 1) + N];\n";
}

const char* const kNeighbours =
    "std::max(t[(i - 1) * (N + 1) + j], t[i * (N + 1) + j - 1]) + a[i] * b[j]";

TEST(WavefrontTest, ElementsOfADiagonalAreComputedSideBySide) {
  // Row i, column j lies at (i + j) * (M + 1) + i.  M + 1 rows of N + 1 have M
  // + N + 1 diagonals.
  EXPECT_EQ(
      Rewrite(Filled(kNeighbours), "wavefront(i, j)"),
      "std::vector<float> t(2 * M + M * M + M * N + N + 1);\n"
      "for (int64_t diagonal = 2; diagonal < M + 1 + (N + 1) - 1; ++diagonal) "
      "{\n"
      "#pragma omp simd\n"
      "  for (int64_t i = std::max<int64_t>(1, diagonal - (N + 1) + 1); i < "
      "std::min<int64_t>(M + 1, diagonal); ++i) {\n"
      "    t[M * diagonal + diagonal + i] = std::max(t[M * diagonal + diagonal "
      "+ i - M - 2], t[M * diagonal + diagonal + i - M - 1]) + a[i] * "
      "b[diagonal - i];\n"
      "  }\n"
      "}\n"
      "c[0] = t[2 * M + M * M + M * N + N];\n");
}

TEST(WavefrontTest, NothingMayWaitForItsOwnDiagonal) {
  const std::string refused =
      "refused: wavefront(i, j): an element waits for one that is not on an "
      "earlier diagonal";
  EXPECT_EQ(
      Rewrite(Filled("t[(i - 1) * (N + 1) + j] + a[i]"), "wavefront(i, j)")
          .find("refused"),
      std::string::npos);
  // An element may be mended before the next is looked at.
  EXPECT_EQ(
      Rewrite(Filled(kNeighbours,
                     "      if (a[i] > b[j]) {\n"
                     "        t[i * (N + 1) + j] += t[(i - 1) * (N + 1) + "
                     "j - 1];\n"
                     "      }\n"),
              "wavefront(i, j)")
          .find("refused"),
      std::string::npos);
  // Above and one to the right: the same diagonal.
  EXPECT_EQ(Rewrite("  std::vector<float> t((M + 1) * (N + 2));\n"
                    "  for (int64_t i = 1; i <= M; ++i) {\n"
                    "    for (int64_t j = 1; j <= N; ++j) {\n"
                    "      t[i * (N + 2) + j] = t[(i - 1) * (N + 2) + j + 1];\n"
                    "    }\n"
                    "  }\n"
                    "  c[0] = t[1];\n",
                    "wavefront(i, j)"),
            refused);
  // What is to the right is not there yet, and is read as it was before.
  EXPECT_EQ(Rewrite("  std::vector<float> t((M + 1) * (N + 2));\n"
                    "  for (int64_t i = 1; i <= M; ++i) {\n"
                    "    for (int64_t j = 1; j <= N; ++j) {\n"
                    "      t[i * (N + 2) + j] = t[i * (N + 2) + j + 1];\n"
                    "    }\n"
                    "  }\n"
                    "  c[0] = t[1];\n",
                    "wavefront(i, j)"),
            refused);
}

TEST(WavefrontTest, RefusesWithAReason) {
  struct Case {
    const char *old, *other, *why;
  };
  for (const auto& [old, other, why] : {
           Case{"i <= M", "i < M", "applies"},
           Case{"++j", "j += 2", "a loop has a step or a pragma"},
           Case{"j <= N", "j <= i", "there is no such nest of two loops"},
           Case{"int64_t j", "int64_t q", "there is no such nest of two loops"},
           Case{"t[i * (N + 1) + j] =", "c[i] = b[j];\n t[i * (N + 1) + j] =",
                "it does more than fill a table"},
           Case{"t[i * (N + 1) + j] =", "t[j] = 0;\n t[i * (N + 1) + j] =",
                "it writes two elements at a time"},
           Case{"t[i * (N + 1) + j] =", "t[i + j * (N + 1)] =",
                "it does not fill a table by rows"},
           Case{"t((M + 1) * (N + 1))", "t((M + 1) * (N + 1) + 3)",
                "it is not made of whole rows"},
           Case{"c[0] = t[M * (N + 1) + N];", "std::sort(t.begin(), t.end());",
                "the table is used as a whole"},
           Case{"c[0] = t[M * (N + 1) + N];", "while (t[0] > 1) { break; }",
                "effects of code are unknown"},
           Case{"c[0] = t[M * (N + 1) + N];",
                "c[0] = t[static_cast<int64_t>(t[0])];",
                "the table is read at places that it tells"},
       }) {
    std::string filled = Filled(kNeighbours);
    const std::string from = old;
    filled.replace(filled.find(from), from.size(), other);
    EXPECT_EQ(WhyNot(filled, "wavefront(i, j)"), why) << old << " as " << other;
  }
}

TEST(WavefrontTest, ATableThatCannotBeLaidOutAnewIsLeftAlone) {
  // Its last column would be in the next row.
  EXPECT_EQ(
      Rewrite(Filled("t[(i - 1) * (N + 1) + j + 1] + t[i * (N + 1) + j - "
                     "1]"),
              "wavefront(i, j)"),
      "refused: wavefront(i, j): a place of the table is not known to be in "
      "its row");
  // Weights say how far the read is away.
  EXPECT_EQ(
      Rewrite(Filled("t[(i - 1) * (N + 1) + static_cast<int64_t>(a[i])]"),
              "wavefront(i, j)"),
      "refused: wavefront(i, j): a place of the table is not known to be in "
      "its row");
  EXPECT_EQ(Rewrite(Filled(kNeighbours, "      s += t[j];\n")
                        .insert(0, "  float s = 0.0f;\n"),
                    "wavefront(i, j)"),
            "refused: wavefront(i, j): `s` carries a value on");
  std::string others = Filled(kNeighbours);
  others.replace(others.find("std::vector<float> t((M + 1) * (N + 1))"), 39,
                 "float* t = c");
  EXPECT_EQ(Rewrite(others, "wavefront(i, j)"),
            "refused: wavefront(i, j): the table is no vector of the kernel's "
            "own");
}

}  // namespace
}  // namespace coppice::agents::catalogue
