#include "agents/catalogue/lanes.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(ThreadPoolTest, ARecurrenceRunsForSeveralRowsAtOnce) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < 8; ++i) {\n"
                    "    float s = 0.0f;\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      s = 0.5f * s + a[i * N + j];\n"
                    "      c[i * N + j] = s;\n"
                    "    }\n"
                    "  }\n",
                    "lanes(i, 8)"),
            "for (int64_t i = 0; i < 8; i += 8) {\n"
            "  float s[8];\n"
            "#pragma omp simd\n"
            "  for (int64_t i_lane = 0; i_lane < 8; ++i_lane) {\n"
            "    s[i_lane] = 0.0f;\n"
            "  }\n"
            "  for (int64_t j = 0; j < N; ++j) {\n"
            "#pragma omp simd\n"
            "    for (int64_t i_lane = 0; i_lane < 8; ++i_lane) {\n"
            "      s[i_lane] = 0.5f * s[i_lane] + a[(i + i_lane) * N + j];\n"
            "      c[(i + i_lane) * N + j] = s[i_lane];\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(ThreadPoolTest, RowsAreTransposedOnTheirWayInAndOut) {
  const std::string made = Rewrite(
      "  for (int64_t i = 0; i < 16; ++i) {\n"
      "    float s = 0.0f;\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      s = 0.5f * s + a[i * N + j];\n"
      "      c[i * N + j] = s;\n"
      "    }\n"
      "  }\n",
      "lanes(i, 16, staged)");
  EXPECT_NE(made.find("RowsToLanes16(a + i * N, N, N, a_row);\n"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("LanesToRows16(c_row, N, N, c + i * N);\n"),
            std::string::npos);
  // All of c's row is written, so none of it is read.
  EXPECT_EQ(made.find("RowsToLanes16(c"), std::string::npos);
}

TEST(ThreadPoolTest, RowsThatDependOnEachOtherStayInOrder) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 1; i < M; ++i) {\n"
                      "    for (int64_t j = 0; j < N; ++j) {\n"
                      "      c[i * N + j] = c[(i - 1) * N + j] + a[j];\n"
                      "    }\n"
                      "  }\n",
                      "lanes(i, 16)")
                  .starts_with("refused: lanes(i, 16): iterations may touch"));
}

// Rows i - 1 and i + 1 are not in the buffer of row i.
TEST(ThreadPoolTest, OnlyWhatStaysInItsRowIsStaged) {
  const auto made = [](const std::string& load) {
    return Rewrite(
        "  for (int64_t i = 0; i < 16; ++i) {\n"
        "    float s = 0.0f;\n"
        "    for (int64_t j = 1; j < N - 1; ++j) {\n"
        "      s = 0.5f * s + " +
            load +
            ";\n"
            "      c[i * N + j] = s;\n"
            "    }\n"
            "  }\n",
        "lanes(i, 16, staged)");
  };
  const auto stages = [&](const std::string& load) {
    return made(load).find("RowsToLanes16(a + i * N, N, N, a_row)") !=
           std::string::npos;
  };
  EXPECT_TRUE(stages("a[i * N + j]"));
  EXPECT_TRUE(stages("a[i * N + j - 1] + a[i * N + j + 1]"));
  EXPECT_FALSE(stages("a[(i + 1) * N + j]"));
  EXPECT_FALSE(stages("a[i * N + j + 2]"));
  EXPECT_FALSE(stages("a[i * N + j - 2]"));
  EXPECT_FALSE(stages("a[i * N + j + M]"));
  EXPECT_FALSE(stages("a[i * N + static_cast<int64_t>(s)]"));
}

}  // namespace
}  // namespace coppice::agents::catalogue
