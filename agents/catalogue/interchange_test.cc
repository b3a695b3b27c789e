#include "agents/catalogue/interchange.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(InterchangeTest, SwapsTheLoopsOfATranspose) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      c[j * M + i] = a[i * N + j];\n"
                    "    }\n"
                    "  }\n",
                    "interchange(i, j)"),
            "for (int64_t j = 0; j < N; ++j) {\n"
            "  for (int64_t i = 0; i < M; ++i) {\n"
            "    c[j * M + i] = a[i * N + j];\n"
            "  }\n"
            "}\n");
}

TEST(InterchangeTest, NeedsLoopsThatAreAloneAndRectangular) {
  constexpr const char* kWhy =
      "refused: interchange(i, j): that loop is not alone within it";
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    c[i] = 0.0f;\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      c[i] += a[i * N + j];\n    }\n  }\n",
                    "interchange(i, j)"),
            kWhy);
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < i; ++j) {\n"
                    "      c[i * N + j] = 0.0f;\n    }\n  }\n",
                    "interchange(i, j)"),
            kWhy);
}

TEST(InterchangeTest, KeepsTheOrderOfADependence) {
  EXPECT_TRUE(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                      "    for (int64_t j = 0; j < N; ++j) {\n"
                      "      c[0] = c[0] * a[i * N + j] + 1.0f;\n    }\n  }\n",
                      "interchange(i, j)")
                  .starts_with("refused"));
}

// Row i adds to what row i - 1 has halved: element 3 of c is met at (1, 2)
// before (2, 1), and would be met after it.
TEST(InterchangeTest, KeepsTheOrderInWhichRowsMeet) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      c[i + j] = 0.5f * c[i + j] + a[i];\n    }\n  }\n",
                    "interchange(i, j)"),
            "refused: interchange(i, j): iterations may touch the same "
            "elements of `c`");
}

TEST(InterchangeTest, ColumnsThatFoldTheirRowsKeepTheirOrder) {
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      c[j] = 0.5f * c[j] + a[i];\n    }\n  }\n",
                    "interchange(i, j)"),
            "for (int64_t j = 0; j < N; ++j) {\n"
            "  for (int64_t i = 0; i < M; ++i) {\n"
            "    c[j] = 0.5f * c[j] + a[i];\n"
            "  }\n"
            "}\n");
}

}  // namespace
}  // namespace coppice::agents::catalogue
