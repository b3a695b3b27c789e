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

TEST(ScanTest, RefusesWithAReason) {
  const auto why_not = [](const std::string& body,
                          const std::string& type = "float") {
    return WhyNot("  " + type +
                      " s = 0;\n"
                      "  for (int64_t j = 0; j < N; ++j) {\n    " +
                      body + "\n  }\n",
                  "scan(j)");
  };
  const std::string none = "the loop is no running sum";
  EXPECT_EQ(why_not("s += a[j];\n    c[j] = s;"), "applies");
  EXPECT_EQ(why_not("s = a[j] + s;\n    c[j] = s;"), "applies");
  EXPECT_EQ(why_not("s += a[j];\n    c[j] = s;", "double"),
            "the sum is no float");
  EXPECT_EQ(why_not("s += a[j];\n    c[j] = s;", "int64_t"),
            "the sum is no float");
  EXPECT_EQ(why_not("c[j] = s;\n    s += a[j];"), none);
  EXPECT_EQ(why_not("s += c[j];\n    c[j] = s;"), none);
  EXPECT_EQ(why_not("s *= a[j];\n    c[j] = s;"), none);
  EXPECT_EQ(why_not("s += a[j];\n    c[j] += s;"), none);
  EXPECT_EQ(why_not("s += a[j];\n    c[j] = 2 * s;"), none);
  EXPECT_EQ(why_not("s += s * a[j];\n    c[j] = s;"), none);
  EXPECT_EQ(why_not("s += a[j];\n    c[j] = s;\n    s = 0;"), none);
  EXPECT_EQ(why_not("s += a[j];\n    c[static_cast<int64_t>(s)] = s;"), none);
  EXPECT_EQ(why_not("s += a[j];"), none);
}

// What another loop calls `s` does not matter.
TEST(ScanTest, TheTypeIsThatOfTheSumThatIsMeant) {
  const auto why_not = [](const char* loop) {
    return WhyNot(
        "  for (int64_t i = 0; i < M; ++i) {\n"
        "    double s = 0.0;\n"
        "    for (int64_t j = 0; j < N; ++j) {\n"
        "      s += a[j];\n"
        "      c[i * N + j] = s;\n"
        "    }\n"
        "  }\n"
        "  for (int64_t i = 0; i < M; ++i) {\n"
        "    float s = 0.0f;\n"
        "    for (int64_t k = 0; k < N; ++k) {\n"
        "      s += a[k];\n"
        "      c[i * N + k] = s;\n"
        "    }\n"
        "  }\n",
        "scan(" + std::string(loop) + ")");
  };
  EXPECT_EQ(why_not("j"), "the sum is no float");
  EXPECT_EQ(why_not("k"), "applies");
}

TEST(ScanTest, DifferencesAndStepsAreScannedToo) {
  const std::string made = Rewrite(
      "  float s = 0.0f;\n"
      "  for (int64_t j = 1; j < N; j += 2) {\n"
      "    s -= a[j];\n"
      "    c[j + 1] = s;\n"
      "  }\n",
      "scan(j)");
  EXPECT_NE(
      made.find("for (int64_t j = 1; j < 1 + (N - 1) / 32 * 32; j += 32)"),
      std::string::npos)
      << made;
  EXPECT_NE(made.find("s_block[j_lane] = -a[j + j_lane * 2];"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("c[j + j_lane * 2 + 1] = s_block[j_lane];"),
            std::string::npos)
      << made;
}

}  // namespace
}  // namespace coppice::agents::catalogue
