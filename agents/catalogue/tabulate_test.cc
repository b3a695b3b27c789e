#include "agents/catalogue/tabulate.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(TabulateTest, APeriodIsComputedOnceAndSpreadOverATable) {
  EXPECT_EQ(
      Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
              "    for (int64_t j = 0; j < N; ++j) {\n"
              "      float s = 0.0f;\n"
              "      for (int64_t k = 0; k < K; ++k) {\n"
              "        const float w = cosf(static_cast<float>(j * k % K));\n"
              "        s += a[i * K + k] * w;\n"
              "      }\n"
              "      c[i * N + j] = s;\n"
              "    }\n"
              "  }\n",
              "tabulate(k)"),
      "std::vector<float> w_period(K);\n"
      "for (int64_t w_at = 0; w_at < K; ++w_at) {\n"
      "  w_period[w_at] = cosf(static_cast<float>(w_at));\n"
      "}\n"
      "std::vector<float> w_table(K * N);\n"
      "for (int64_t k_of = 0; k_of < K; ++k_of) {\n"
      "  for (int64_t j_of = 0; j_of < N; ++j_of) {\n"
      "    w_table[k_of * N + j_of] = w_period[j_of * k_of % K];\n"
      "  }\n"
      "}\n"
      "for (int64_t i = 0; i < M; ++i) {\n"
      "  for (int64_t j = 0; j < N; ++j) {\n"
      "    float s = 0.0f;\n"
      "    for (int64_t k = 0; k < K; ++k) {\n"
      "      const float w = w_table[k * N + j];\n"
      "      s += a[i * K + k] * w;\n"
      "    }\n"
      "    c[i * N + j] = s;\n"
      "  }\n"
      "}\n");
}

TEST(TabulateTest, ValuesOfDataAreNotTabulated) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      const float w = cosf(a[j]);\n"
                    "      c[i * N + j] = w;\n    }\n  }\n",
                    "tabulate(j)"),
            "refused: tabulate(j): no library call depends on fewer loops "
            "than all");
}

TEST(TabulateTest, WhatEveryLoopChangesIsRepeatedNowhere) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                      "    for (int64_t j = 0; j < N; ++j) {\n"
                      "      const float w = cosf(static_cast<float>(i * j));\n"
                      "      c[i * N + j] = w;\n    }\n  }\n",
                      "tabulate(j)")
                  .starts_with("refused"));
}

TEST(TabulateTest, RefusesWithAReason) {
  const auto applies = [](const std::string& value,
                          const std::string& inner = "0; k < K; ++k") {
    const std::string fold =
        "float w = " + value + ";\n        s += a[i * K + k] * w;";
    return WhyNot(FoldOf(fold, inner), "tabulate(k)") == "applies";
  };
  EXPECT_TRUE(applies("cosf(static_cast<float>(j * k))"));
  EXPECT_TRUE(applies("cosf(static_cast<float>(k))"));
  EXPECT_TRUE(applies("cosf(static_cast<float>((i + j * k) % K))"));
  // They are of data, of the sum so far, of all loops without a period.
  EXPECT_FALSE(applies("cosf(a[k])"));
  EXPECT_FALSE(applies("cosf(s)"));
  EXPECT_FALSE(applies("cosf(static_cast<float>(i + j * k))"));
  // A remainder below 0 is no place of a table.
  EXPECT_FALSE(applies("cosf(static_cast<float>((i - j * k) % K))"));
  EXPECT_FALSE(applies("2.0f * static_cast<float>(k)"));
  EXPECT_FALSE(applies("cosf(static_cast<float>(k))", "1; k < K; ++k"));
  EXPECT_FALSE(applies("cosf(static_cast<float>(k))", "0; k < j; ++k"));
  EXPECT_FALSE(applies("cosf(static_cast<float>(k))", "0; k < K; k += 2"));
}

// It changes while the loops run.
TEST(TabulateTest, WhatTheNestWritesIsNotTabulated) {
  EXPECT_NE(WhyNot("  float phase = 0.0f;\n"
                   "  for (int64_t i = 0; i < M; ++i) {\n"
                   "    for (int64_t k = 0; k < K; ++k) {\n"
                   "      float w = cosf(static_cast<float>(k) + phase);\n"
                   "      c[i * K + k] = w;\n"
                   "    }\n"
                   "    phase += 1.0f;\n"
                   "  }\n",
                   "tabulate(k)"),
            "applies");
}

// Where all loops share one remainder, its period is read in their place.
TEST(TabulateTest, APeriodOfAllLoopsNeedsNoTable) {
  const std::string made = Rewrite(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    for (int64_t k = 0; k < N; ++k) {\n"
      "      float w = sinf(0.5f * static_cast<float>(i * k % 8));\n"
      "      c[i * N + k] = w;\n    }\n  }\n",
      "tabulate(k)");
  EXPECT_EQ(made,
            "std::vector<float> w_period(8);\n"
            "for (int64_t w_at = 0; w_at < 8; ++w_at) {\n"
            "  w_period[w_at] = sinf(0.5f * static_cast<float>(w_at));\n"
            "}\n"
            "for (int64_t i = 0; i < M; ++i) {\n"
            "  for (int64_t k = 0; k < N; ++k) {\n"
            "    float w = w_period[i * k % 8];\n"
            "    c[i * N + k] = w;\n"
            "  }\n"
            "}\n");
}

}  // namespace
}  // namespace coppice::agents::catalogue
