#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "agents/catalogue/math_helpers.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(MathTest, ReplacesCallsAndBringsTheFunctions) {
  const std::string file =
      RewriteFile(KernelOf("  for (int64_t i = 0; i < N; ++i) {\n"
                           "    c[i] = std::tanh(a[i]) + expf(b[i]);\n  }\n"),
                  "math(tanh)");
  EXPECT_NE(file.find("c[i] = VectorTanh(a[i]) + expf(b[i]);"),
            std::string::npos);
  EXPECT_LT(file.find("static inline float VectorExp("),
            file.find("static inline float VectorTanh("));
}

TEST(MathTest, BringsAFunctionOnce) {
  const std::string file =
      RewriteFile(KernelOf("  c[0] = std::tanh(a[0]) + std::exp(b[0]);\n"),
                  "math(tanh) + math(exp)");
  const std::size_t first = file.find("static inline float VectorExp(");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(file.find("static inline float VectorExp(", first + 1),
            std::string::npos);
}

TEST(MathTest, WritesSmallPowersOut) {
  EXPECT_EQ(Rewrite("  c[0] = std::pow(a[0], 3.0f);\n", "math(pow)"),
            "c[0] = a[0] * a[0] * a[0];\n");
  EXPECT_TRUE(Rewrite("  c[0] = std::pow(a[0], b[0]);\n", "math(pow)")
                  .starts_with("refused"));
}

TEST(MathTest, UnknownFunctionsStay) {
  EXPECT_TRUE(Rewrite("  c[0] = std::sin(a[0]);\n", "math(sin)")
                  .starts_with("refused"));
  EXPECT_TRUE(Rewrite("  c[0] = a[0];\n", "math(exp)").starts_with("refused"));
}

// Largest error over the inputs, in units of 2^-24 of the result.
double WorstError(const char* helper_of, const std::vector<float>& inputs,
                  double (*exact)(double)) {
  const MathHelper* helper = FindMathHelper(helper_of, "");
  std::string source;
  for (const std::string& text : HelperSources(*helper)) source += text;
  source +=
      "extern \"C\" void run(const float* x, float* y, long n) {\n"
      "  for (long i = 0; i < n; ++i) y[i] = " +
      std::string(helper->name) + "(x[i]);\n}\n";
  const LoadedKernel kernel(source);
  std::vector<float> y(inputs.size());
  kernel(inputs.data(), y.data(), static_cast<long>(inputs.size()));
  double worst = 0.0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double r = exact(inputs[i]);
    if (r != 0.0) worst = std::max(worst, std::fabs((y[i] - r) / r));
  }
  return worst * 0x1p24;
}

std::vector<float> Between(float low, float high) {
  std::vector<float> values;
  for (int i = 0; i <= 20000; ++i) {
    values.push_back(low + (high - low) * static_cast<float>(i) / 20000.0f);
  }
  return values;
}

TEST(MathTest, FunctionsAreGoodToAFewRoundings) {
  EXPECT_LT(WorstError("exp", Between(-80.0f, 80.0f), std::exp), 2.0);
  EXPECT_LT(WorstError("tanh", Between(-9.0f, 9.0f), std::tanh), 3.0);
  EXPECT_LT(WorstError("erf", Between(-4.0f, 4.0f), std::erf), 3.0);
  EXPECT_LT(WorstError("log", Between(0.01f, 100.0f), std::log), 3.0);
}

// 3 * 3 / 2 is 4, and pow(3, 2) / 2 is 4.5.
TEST(MathTest, PowersOfWholeNumbersAreNone) {
  const auto made = [](const std::string& value) {
    return Rewrite("  int64_t i = 3;\n  c[0] = " + value + ";\n", "math(pow)");
  };
  EXPECT_EQ(made("std::pow(i, 2) / 2"),
            "int64_t i = 3;\n"
            "c[0] = static_cast<double>(i) * static_cast<double>(i) / 2;\n");
  EXPECT_EQ(made("powf(a[i], 2.0f) / 2"),
            "int64_t i = 3;\nc[0] = a[i] * a[i] / 2;\n");
  // It would be stepped twice.
  EXPECT_TRUE(made("powf(a[i++], 2.0f)").starts_with("refused"));
}

}  // namespace
}  // namespace coppice::agents::catalogue
