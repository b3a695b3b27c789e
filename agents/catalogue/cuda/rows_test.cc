#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

// A kernel over rows with these statements in its guard.
std::string Row(const std::string& statements) {
  return "//@ launch f<<<ceil_div(R, 128), 128>>>(x, y, int32(R), int32(C))\n"
         "extern \"C\" __global__ void f(const float* x, float* y, int R, int "
         "C) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < R) {\n" +
         statements + "  }\n}\n";
}

TEST(ShareRowsTest, AWarpTakesARow) {
  EXPECT_EQ(
      MadeLines(RewriteText(kSoftmax, "rows(softmax, 32)"), kSoftmax),
      "//@ launch softmax<<<ceil_div(R * 32, 256), 256>>>(x, y, int32(R), "
      "int32(C))\n"
      "// Sum over the warp, the same in every lane.\n"
      "__device__ float WarpSum(float value) {\n"
      "for (int step = 16; step > 0; step /= 2) {\n"
      "value += __shfl_xor_sync(0xffffffff, value, step);\n"
      "return value;\n"
      "// Maximum over the warp, the same in every lane.\n"
      "__device__ float WarpMax(float value) {\n"
      "for (int step = 16; step > 0; step /= 2) {\n"
      "value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));\n"
      "return value;\n"
      "int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;\n"
      "int lane = threadIdx.x % 32;\n"
      "for (int j = lane; j < C; j += 32) {\n"
      "largest = WarpMax(largest);\n"
      "for (int j = lane; j < C; j += 32) {\n"
      "sum = WarpSum(sum);\n"
      "for (int j = lane; j < C; j += 32) {\n");
}

TEST(ShareRowsTest, ABlockTakesARowAndOneThreadStores) {
  const std::string source =
      Row("    float sum = 0.0f;\n"
          "    for (int j = 0; j < C; ++j) {\n"
          "      sum += x[i * C + j];\n"
          "    }\n"
          "    y[i] = sum;\n");
  const std::string made = RewriteText(source, "rows(f, 256)");
  EXPECT_NE(made.find("//@ launch f<<<R, 256>>>(x, y, int32(R), int32(C))\n"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("  int i = blockIdx.x;\n"
                      "  int lane = threadIdx.x;\n"
                      "  float sum = 0.0f;\n"
                      "  for (int j = lane; j < C; j += blockDim.x) {\n"
                      "    sum += x[i * C + j];\n"
                      "  }\n"
                      "  sum = BlockSum(sum);\n"
                      "  if (lane == 0) {\n"
                      "    y[i] = sum;\n"
                      "  }\n"
                      "}\n"),
            std::string::npos)
      << made;
}

TEST(ShareRowsTest, ARunningSumIsAScanOfTheWarp) {
  const std::string source =
      Row("    float sum = 0.0f;\n"
          "    for (int j = 0; j < C; ++j) {\n"
          "      sum += x[i * C + j];\n"
          "      y[i * C + j] = sum;\n"
          "    }\n");
  const std::string made = RewriteText(source, "rows(f, 32)");
  EXPECT_NE(made.find("    for (int first = 0; first < C; first += 32) {\n"
                      "      int j = first + lane;\n"
                      "      float value = j < C ? x[i * C + j] : 0.0f;\n"
                      "      value = WarpScan(value, lane);\n"
                      "      if (j < C) {\n"
                      "        y[i * C + j] = sum + value;\n"
                      "      }\n"
                      "      sum += __shfl_sync(0xffffffff, value, 31);\n"
                      "    }\n"),
            std::string::npos)
      << made;
  EXPECT_TRUE(RewriteText(source, "rows(f, 64)").starts_with("refused"));
}

TEST(ShareRowsTest, LanesCompareTheIndexOfTheirLargest) {
  const std::string source =
      Row("    int best = 0;\n"
          "    for (int j = 1; j < C; ++j) {\n"
          "      if (x[i * C + j] > x[i * C + best]) {\n"
          "        best = j;\n"
          "      }\n"
          "    }\n"
          "    y[i] = best;\n");
  const std::string made = RewriteText(source, "rows(f, 32)");
  EXPECT_NE(made.find("for (int j = 1 + lane; j < C; j += 32) {"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("      int other = __shfl_xor_sync(0xffffffff, best, "
                      "step);\n"),
            std::string::npos)
      << made;
}

TEST(ShareRowsTest, RefusesWhatLanesCannotShare) {
  const char* const kRefused =
      "refused: rows(f, 32): a loop over the row "
      "cannot be shared";
  // Each step needs the one before.
  EXPECT_EQ(RewriteText(Row("    float s = 0.0f;\n"
                            "    for (int j = 0; j < C; ++j) {\n"
                            "      s = 0.5f * s + x[i * C + j];\n"
                            "    }\n"
                            "    y[i] = s;\n"),
                        "rows(f, 32)"),
            kRefused);
  // Every lane would start from 1.
  EXPECT_EQ(RewriteText(Row("    float s = 1.0f;\n"
                            "    for (int j = 0; j < C; ++j) {\n"
                            "      s += x[i * C + j];\n"
                            "    }\n"
                            "    y[i] = s;\n"),
                        "rows(f, 32)"),
            kRefused);
  // Another lane has stored what this one loads.
  EXPECT_EQ(RewriteText(Row("    for (int j = 1; j < C; ++j) {\n"
                            "      y[i * C + j] = y[i * C + j - 1];\n"
                            "    }\n"),
                        "rows(f, 32)"),
            kRefused);
  EXPECT_EQ(RewriteText(Row("    for (int j = 0; j < C; ++j) {\n"
                            "      y[i * C + j] = x[i * C + j];\n"
                            "    }\n"
                            "    for (int j = 1; j < C; ++j) {\n"
                            "      y[i * C + j] = 2.0f * y[i * C + j];\n"
                            "    }\n"),
                        "rows(f, 32)"),
            kRefused);
  // No loop to share.
  EXPECT_EQ(RewriteText(Row("    y[i] = x[i];\n"), "rows(f, 32)"), kRefused);
  EXPECT_TRUE(
      RewriteText(kSoftmax, "rows(softmax, 48)").starts_with("refused"));
}

std::string RowKernel(const std::string& body) {
  return "//@ launch f<<<ceil_div(R, 128), 128>>>(x, y, int32(R), int32(C))\n"
         "extern \"C\" __global__ void f(float* x, float* y, int R, int C) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < R) {\n" +
         body +
         "  }\n"
         "}\n";
}

bool Shares(const std::string& body, const char* label = "rows(f, 32)") {
  return !RewriteText(RowKernel(body), label).starts_with("refused");
}

// Warps fold floats; a count of 2^24 + 1 or a double is none.
TEST(ShareRowsTest, OnlyFloatsAreFolded) {
  const auto sum = [](const std::string& type, const std::string& zero) {
    return "    " + type + " s = " + zero +
           ";\n"
           "    for (int j = 0; j < C; ++j) {\n"
           "      s += x[i * C + j];\n"
           "    }\n"
           "    y[i] = s;\n";
  };
  EXPECT_TRUE(Shares(sum("float", "0.0f")));
  EXPECT_FALSE(Shares(sum("double", "0.0f")));
  EXPECT_FALSE(Shares(sum("int", "0")));
  EXPECT_FALSE(Shares(sum("float", "1.0f")));  // Each lane would add it.
  const auto most = [](const std::string& type) {
    return "    " + type +
           " m = 0;\n"
           "    for (int j = 0; j < C; ++j) {\n"
           "      m = max(m, x[i * C + j]);\n"
           "    }\n"
           "    y[i] = m;\n";
  };
  EXPECT_TRUE(Shares(most("float")));
  EXPECT_FALSE(Shares(most("int")));
  const auto running = [](const std::string& type) {
    return "    " + type +
           " s = 0;\n"
           "    for (int j = 0; j < C; ++j) {\n"
           "      s += x[i * C + j];\n"
           "      y[i * C + j] = s;\n"
           "    }\n";
  };
  EXPECT_TRUE(Shares(running("float")));
  EXPECT_FALSE(Shares(running("double")));
}

// Nothing says when another lane has stored what this one loads.
TEST(ShareRowsTest, WhatOneLaneStoresNoOtherMayLoad) {
  const std::string store =
      "    for (int j = 0; j < C; ++j) {\n"
      "      y[i * C + j] = x[i * C + j];\n"
      "    }\n";
  EXPECT_TRUE(Shares(store));
  EXPECT_TRUE(Shares(store + "    for (int j = 0; j < C; ++j) {\n"
                             "      y[i * C + j] = 2.0f * y[i * C + j];\n"
                             "    }\n"));
  EXPECT_FALSE(Shares(store + "    for (int j = 1; j < C; ++j) {\n"
                              "      y[i * C + j] = y[i * C + j - 1];\n"
                              "    }\n"));
  EXPECT_FALSE(Shares(store + "    float first = y[i * C];\n"
                              "    x[i] = first;\n"));
  EXPECT_FALSE(Shares(store + "    float first = 0.0f;\n"
                              "    first = y[i * C];\n"
                              "    x[i] = first;\n"));
  EXPECT_FALSE(
      Shares("    float first = x[i * C];\n"
             "    for (int j = 0; j < C; ++j) {\n"
             "      x[i * C + j] = x[i * C + j] - first;\n"
             "    }\n"));
  // The elements of a running sum, read one further on.
  EXPECT_FALSE(
      Shares("    float s = 0.0f;\n"
             "    for (int j = 0; j < C; ++j) {\n"
             "      s += x[i * C + j];\n"
             "      y[i * C + j] = s;\n"
             "    }\n"
             "    for (int j = 1; j < C; ++j) {\n"
             "      x[i * C + j] = y[i * C + j - 1];\n"
             "    }\n"));
}

TEST(ShareRowsTest, WhatCannotBeShared) {
  EXPECT_FALSE(
      Shares("    float s = 0.0f;\n"
             "    for (int j = 0; j < C; ++j) {\n"
             "      s = 0.5f * s + x[i * C + j];\n"
             "    }\n"
             "    y[i] = s;\n"));
  EXPECT_FALSE(
      Shares("    float s = 0.0f;\n"
             "    for (int j = 0; j < C; j += 2) {\n"
             "      s += x[i * C + j];\n"
             "    }\n"
             "    y[i] = s;\n"));
  EXPECT_FALSE(
      Shares("    for (int j = 0; j < C; ++j) {\n"
             "      for (int k = 0; k < j; ++k) {\n"
             "        y[i * C + j] = x[k];\n"
             "      }\n"
             "    }\n"));
  EXPECT_FALSE(Shares("    y[i] = x[i];\n"));  // There is no row.
  const std::string sum =
      "    float s = 0.0f;\n"
      "    for (int j = 0; j < C; ++j) {\n"
      "      s += x[i * C + j];\n"
      "    }\n"
      "    y[i] = s;\n";
  EXPECT_TRUE(Shares(sum, "rows(f, 1024)"));
  EXPECT_FALSE(Shares(sum, "rows(f, 16)"));
  EXPECT_FALSE(Shares(sum, "rows(f, 48)"));
  EXPECT_FALSE(Shares(sum, "rows(f, 2048)"));
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
