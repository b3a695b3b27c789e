#include "agents/catalogue/lanes.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(LanesTest, ARecurrenceRunsForSeveralRowsAtOnce) {
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

TEST(LanesTest, RowsAreTransposedOnTheirWayInAndOut) {
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

TEST(LanesTest, RowsThatDependOnEachOtherStayInOrder) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 1; i < M; ++i) {\n"
                      "    for (int64_t j = 0; j < N; ++j) {\n"
                      "      c[i * N + j] = c[(i - 1) * N + j] + a[j];\n"
                      "    }\n"
                      "  }\n",
                      "lanes(i, 16)")
                  .starts_with("refused: lanes(i, 16): iterations may touch"));
}

// Rows i - 1 and i + 1 are not in the buffer of row i.
TEST(LanesTest, OnlyWhatStaysInItsRowIsStaged) {
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

// What one thread keeps for each of its iterations has no room for 16 of them.
TEST(LanesTest, ABufferThatIterationsFillInTurnIsNotShared) {
  const std::string rows =
      "  std::vector<float> row(N);\n"
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    row[0] = a[i * N];\n"
      "    for (int64_t j = 1; j < N; ++j) {\n"
      "      row[j] = 0.5f * row[j - 1] + a[i * N + j];\n"
      "    }\n"
      "    c[i] = row[N - 1];\n"
      "  }\n";
  const Setting threads{2, {}, {}};
  EXPECT_EQ(WhyNot(rows, "lanes(i, 8)", threads), "applies");
  EXPECT_EQ(Rewrite(rows, "parallel(i) + lanes(i, 8)", threads),
            "refused: lanes(i, 8): its statements do not go side by side");
  EXPECT_EQ(WhyNot(rows, "lanes(i, 8) + parallel(i)", threads), "applies");
}

TEST(LanesTest, RefusesWithAReason) {
  const std::string filter =
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    float s = 0.0f;\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      s = 0.5f * s + a[i * N + j];\n"
      "      c[i * N + j] = s;\n"
      "    }\n"
      "  }\n";
  struct Case {
    const char *old, *other, *why;
  };
  for (const auto& [old, other, why] : {
           Case{"++j", "++j", "applies"},
           Case{"int64_t i", "int64_t q", "there is no such loop here"},
           Case{"++i", "i += 2", "its step is not 1"},
           Case{"c[i * N + j] = s", "c[j] = s",
                "iterations may touch the same elements of `c`"},
           Case{"c[i * N + j] = s;", "M -= 1;",
                "its iterations decide how many there are"},
           Case{"float s", "auto s", "its statements do not go side by side"},
           Case{"float s = 0.0f;",
                "float s = 0.0f;\n    const float& first = a[i * N];",
                "its statements do not go side by side"},
       }) {
    std::string text = filter;
    const std::string from = old;
    text.replace(text.find(from), from.size(), other);
    EXPECT_EQ(WhyNot(text, "lanes(i, 8)"), why) << old << " as " << other;
  }
  EXPECT_EQ(WhyNot(filter, "lanes(i, 1)"), "there is no such loop here");
  EXPECT_EQ(WhyNot(filter, "lanes(i, 8) + lanes(i, 8)"),
            "the nest holds strips");
  EXPECT_EQ(WhyNot("  float s = 0.0f;\n  for (int64_t i = 0; i < M; ++i) {\n"
                   "    s += a[i];\n  }\n  c[0] = s;\n",
                   "lanes(i, 8)"),
            "the loop folds into `s`");
}

// 20 rows of 16 lanes: one strip, and one that begins 16 before the end.
TEST(LanesTest, AVectorOfEachRowIsScratchOfAllLanes) {
  const std::string made = Rewrite(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    std::vector<float> t(N, 2.0f);\n"
      "    for (int64_t j = 1; j < N; ++j) {\n"
      "      t[j] = t[j - 1] * a[i * N + j];\n"
      "    }\n"
      "    c[i] = t[N - 1];\n"
      "  }\n",
      "lanes(i, 4)");
  for (const char* line :
       {"t_buffer.resize(N * 4);\n", "float* t = t_buffer.data();\n",
        "t[t_at * 4 + i_lane] = 2.0f;\n",
        "t[j * 4 + i_lane] = t[(j - 1) * 4 + i_lane] * a[(i_at + i_lane) * N "
        "+ j];\n",
        "const int64_t i_at = std::min<int64_t>(i, M - 4);\n"}) {
    EXPECT_NE(made.find(line), made.npos) << line << made;
  }
}

}  // namespace
}  // namespace coppice::agents::catalogue
