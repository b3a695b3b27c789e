#include "agents/catalogue/accumulate.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(AccumulateTest, FoldsIntoPartsAndJoinsThemByHalves) {
  EXPECT_EQ(Rewrite("  float sum = 0.0f;\n"
                    "  for (int64_t k = 0; k < K; ++k) {\n"
                    "    sum += a[k];\n"
                    "  }\n"
                    "  c[0] = sum;\n",
                    "accumulate(k, 8)"),
            "float sum = 0.0f;\n"
            "float sum_part[8];\n"
            "#pragma omp simd\n"
            "for (int64_t k_lane = 0; k_lane < 8; ++k_lane) {\n"
            "  sum_part[k_lane] = 0.0f;\n"
            "}\n"
            "for (int64_t k = 0; k < K / 8 * 8; k += 8) {\n"
            "#pragma omp simd\n"
            "  for (int64_t k_lane = 0; k_lane < 8; ++k_lane) {\n"
            "    sum_part[k_lane] += a[k + k_lane];\n"
            "  }\n"
            "}\n"
            "for (int64_t k = K / 8 * 8; k < K; k += 8) {\n"
            "#pragma omp simd\n"
            "  for (int64_t k_lane = 0; k_lane < 8; ++k_lane) {\n"
            "    sum_part[k_lane] = sum_part[k_lane] + (k + k_lane < K ? a[k + "
            "k_lane] : 0.0f);\n"
            "  }\n"
            "}\n"
            "#pragma omp simd\n"
            "for (int64_t k_lane = 0; k_lane < 4; ++k_lane) {\n"
            "  sum_part[k_lane] = sum_part[k_lane] + sum_part[k_lane + 4];\n"
            "}\n"
            "sum = sum + (sum_part[0] + sum_part[1]) + (sum_part[2] + "
            "sum_part[3]);\n"
            "c[0] = sum;\n");
}

TEST(AccumulateTest, AMaximumStartsAtMinusInfinity) {
  const std::string text = Rewrite(
      "  float big = a[0];\n"
      "  for (int64_t k = 0; k < K; ++k) {\n"
      "    big = std::max(big, a[k]);\n"
      "  }\n"
      "  c[0] = big;\n",
      "accumulate(k, 4)");
  EXPECT_NE(text.find("big_part[k_lane] = -INFINITY;"), std::string::npos);
  // By value: std::max returns a reference.
  EXPECT_NE(text.find("LaneMax(big_part[k_lane], a[k + k_lane])"),
            std::string::npos)
      << text;
}

TEST(AccumulateTest, LeavesOtherLoopsAlone) {
  const std::string fold =
      "  float s = 0.0f;\n"
      "  for (int64_t k = 0; k < K; ++k) {\n    s += std::exp(a[k]);\n  }\n"
      "  c[0] = s;\n";
  EXPECT_EQ(Rewrite(fold, "accumulate(k, 16, cheap)"),
            "refused: accumulate(k, 16, cheap): it calls functions");
  EXPECT_EQ(Rewrite(fold, "accumulate(k, 12)"),
            "refused: accumulate(k, 12): the width is no power of 2");
  EXPECT_EQ(Rewrite("  for (int64_t k = 0; k < K; ++k) {\n"
                    "    c[k] = a[k];\n  }\n",
                    "accumulate(k, 16)"),
            "refused: accumulate(k, 16): the loop folds nothing");
}

}  // namespace
}  // namespace coppice::agents::catalogue
