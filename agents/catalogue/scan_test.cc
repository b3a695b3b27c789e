#include "agents/catalogue/scan.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(ScanTest, AddsWithinARegister) {
  EXPECT_EQ(Rewrite("  float sum = 0.0f;\n"
                    "  for (int64_t j = 0; j < N; ++j) {\n"
                    "    sum += a[j];\n"
                    "    c[j] = sum;\n"
                    "  }\n",
                    "scan(j)"),
            "float sum = 0.0f;\n"
            "for (int64_t j = 0; j < N / 16 * 16; j += 16) {\n"
            "  float sum_block[16];\n"
            "#pragma omp simd\n"
            "  for (int64_t j_lane = 0; j_lane < 16; ++j_lane) {\n"
            "    sum_block[j_lane] = a[j + j_lane];\n"
            "  }\n"
            "  PrefixSum16(sum_block, sum);\n"
            "#pragma omp simd\n"
            "  for (int64_t j_lane = 0; j_lane < 16; ++j_lane) {\n"
            "    c[j + j_lane] = sum_block[j_lane];\n"
            "  }\n"
            "  sum = sum_block[15];\n"
            "}\n"
            "for (int64_t j = N / 16 * 16; j < N; ++j) {\n"
            "  sum += a[j];\n"
            "  c[j] = sum;\n"
            "}\n");
}

TEST(ScanTest, KnowsARunningSum) {
  const auto scanned = [](std::string_view body) {
    return ScannedScalar(ParseStmts("for (int64_t j = 0; j < N; ++j) {" +
                                    std::string(body) + "}")[0]);
  };
  EXPECT_EQ(scanned("s += x[j]; y[j] = s;"), "s");
  EXPECT_EQ(scanned("y[j] = s; s += x[j];"), "");  // Exclusive.
  EXPECT_EQ(scanned("s += y[j]; y[j] = s;"), "");  // In place.
  EXPECT_EQ(scanned("s += x[j];"), "");
}

}  // namespace
}  // namespace coppice::agents::catalogue
