#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(TileTest, VisitsRectangles) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      c[j * M + i] = a[i * N + j];\n"
                    "    }\n"
                    "  }\n",
                    "tile(i, j, 16, 8)"),
            "for (int64_t i_block = 0; i_block < M; i_block += 16) {\n"
            "  for (int64_t j_block = 0; j_block < N; j_block += 8) {\n"
            "    for (int64_t i = i_block; i < std::min<int64_t>(i_block + 16, "
            "M); ++i) {\n"
            "      for (int64_t j = j_block; j < std::min<int64_t>(j_block + "
            "8, N); ++j) {\n"
            "        c[j * M + i] = a[i * N + j];\n"
            "      }\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(TileTest, CutsOneLoopIntoBlocks) {
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = a[j];\n"
                    "  }\n",
                    "block(j, 256)"),
            "for (int64_t j_block = 0; j_block < N; j_block += 256) {\n"
            "  for (int64_t j = j_block; j < std::min<int64_t>(j_block + 256, "
            "N); ++j) {\n"
            "    c[j] = a[j];\n"
            "  }\n"
            "}\n");
}

TEST(TileTest, NeedsIndependentRowsOrColumns) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 1; i < M; ++i) {\n"
                      "    for (int64_t j = 0; j < N; ++j) {\n"
                      "      c[i + j] = c[i + j] * a[i * N + j];\n    }\n  }\n",
                      "tile(i, j, 16, 16)")
                  .starts_with("refused"));
  EXPECT_TRUE(
      Rewrite("  c[0] = 1.0f;\n", "tile(i, j, 16, 16)").starts_with("refused"));
}

// The `break` would leave one block, and the next begin.
TEST(TileTest, ALoopThatMayEndEarlyIsNotCutIntoBlocks) {
  const auto why_not = [](const std::string& body) {
    return WhyNot(
        "  float s = 0.0f;\n"
        "  for (int64_t j = 0; j < N; ++j) {\n    " +
            body + "\n  }\n  c[0] = s;\n",
        "block(j, 4)");
  };
  EXPECT_EQ(why_not("if (a[j] < 0) {\n      break;\n    }\n    s += a[j];"),
            "it may end early");
  EXPECT_EQ(why_not("s += a[j];\n    j += 1;"),
            "its body changes where it goes on");
  // The next iteration is in the block, or begins the next.
  EXPECT_EQ(why_not("if (a[j] < 0) {\n      continue;\n    }\n    s += a[j];"),
            "applies");
  // These leave the loop that is theirs.
  EXPECT_EQ(why_not("while (true) {\n      break;\n    }\n    s += a[j];"),
            "applies");
  EXPECT_EQ(why_not("for (int64_t k = 0; k < K; ++k) {\n"
                    "      if (a[k] > s) {\n        break;\n      }\n"
                    "      s += a[k];\n    }"),
            "applies");
}

TEST(TileTest, BlocksAreAsWideAsTheirSteps) {
  EXPECT_EQ(Rewrite("  for (int64_t j = 1; j < N - 1; j += 2) {\n"
                    "    c[j] = c[j - 1];\n"
                    "  }\n",
                    "block(j, 4)"),
            "for (int64_t j_block = 1; j_block < N - 1; j_block += 8) {\n"
            "  for (int64_t j = j_block; j < std::min<int64_t>(j_block + 8, N "
            "- 1); j += 2) {\n"
            "    c[j] = c[j - 1];\n"
            "  }\n"
            "}\n");
}

TEST(TileTest, ThreadsTakeWholeBlocks) {
  EXPECT_EQ(Rewrite("#pragma omp parallel for\n"
                    "  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = a[j];\n"
                    "  }\n",
                    "block(j, 4)"),
            "#pragma omp parallel for\n"
            "for (int64_t j_block = 0; j_block < N; j_block += 4) {\n"
            "  for (int64_t j = j_block; j < std::min<int64_t>(j_block + 4, "
            "N); ++j) {\n"
            "    c[j] = a[j];\n"
            "  }\n"
            "}\n");
}

TEST(TileTest, RefusesWithAReason) {
  const auto why_not = [](const std::string& head, const std::string& body,
                          const char* label = "tile(i, j, 4, 8)") {
    return WhyNot(
        "  for (int64_t i = 1; i < M; ++i) {\n"
        "    for (int64_t j = " +
            head + ") {\n      " + body + "\n    }\n  }\n",
        label);
  };
  const std::string all = "1; j < N - 1; ++j";
  EXPECT_EQ(why_not(all, "c[i * N + j] = a[j * M + i];"), "applies");
  EXPECT_EQ(why_not(all, "c[i * N + j] = c[(i - 1) * N + j - 1];"),
            "iterations may touch the same elements of `c`");
  EXPECT_EQ(why_not(all, "c[i * N + j] = c[(i - 1) * N + j + 1];"),
            "iterations may touch the same elements of `c`");
  // Down each column, in order within the tiles too.
  EXPECT_EQ(why_not(all, "c[i * N + j] = c[(i - 1) * N + j];"), "applies");
  EXPECT_EQ(why_not(all, "if (a[j] > 0) {\n        break;\n      }\n"),
            "it holds code whose effects are unknown");
  // Triangles.
  const char* alone = "that loop is not alone within it";
  EXPECT_EQ(why_not("i; j < N; ++j", "c[i * N + j] = a[j];"), alone);
  EXPECT_EQ(why_not("0; j <= i; ++j", "c[i * N + j] = a[j];"), alone);
  EXPECT_EQ(why_not("0; j < N; j += i", "c[i * N + j] = a[j];"), alone);
  EXPECT_EQ(why_not(all, "c[i] = a[j];", "tile(i, j, 1, 8)"),
            "there is no such loop here");
  EXPECT_EQ(why_not(all, "c[i] = a[j];", "tile(j, i, 4, 8)"), alone);
}

TEST(TileTest, ABlockEndsWhereTheBodyDoesNotMoveIt) {
  const auto why_not = [](const std::string& body) {
    return WhyNot(
        "  for (int64_t j = 0; j < N; j += d[0]) {\n    " + body + "\n  }\n",
        "block(j, 4)");
  };
  const std::string moves = "its body changes where it goes on";
  EXPECT_EQ(why_not("while (c[j] > 0 && j < N) {\n      ++j;\n    }"), moves);
  EXPECT_EQ(why_not("while (c[0] > j) {\n      j = j + 2;\n    }"), moves);
  EXPECT_EQ(why_not("d[0] = c[j];"), moves);
  EXPECT_EQ(why_not("while (c[0] > j) {\n      c[0] /= 2;\n    }"), "applies");
}

}  // namespace
}  // namespace coppice::agents::catalogue
