#include "agents/catalogue/tile.h"

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

}  // namespace
}  // namespace coppice::agents::catalogue
