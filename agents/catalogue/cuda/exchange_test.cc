#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr char kTranspose[] =
    R"(//@ launch turn<<<(ceil_div(C, 16), ceil_div(R, 16)), (16, 16)>>>(x, y, int32(R), int32(C))

extern "C" __global__ void turn(const float* x, float* y, int R, int C) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < R && j < C) {
    y[j * R + i] = x[i * C + j];
  }
}
)";

TEST(TensorExchangeTest, LoadsAndStoresBothGoAlongMemory) {
  EXPECT_EQ(
      MadeLines(RewriteText(kTranspose, "exchange(turn)"), kTranspose),
      "//@ launch turn<<<(ceil_div(C, 32), ceil_div(R, 32)), (32, 8)>>>(x, "
      "y, int32(R), int32(C))\n"
      "__shared__ float tile[32][32 + 1];\n"
      "for (int r = threadIdx.y; r < 32; r += 8) {\n"
      "int i = blockIdx.y * 32 + r;\n"
      "int j = blockIdx.x * 32 + threadIdx.x;\n"
      "if (i < R && j < C) {\n"
      "tile[r][threadIdx.x] = x[i * C + j];\n"
      "__syncthreads();\n"
      "for (int r = threadIdx.y; r < 32; r += 8) {\n"
      "int j = blockIdx.x * 32 + r;\n"
      "int i = blockIdx.y * 32 + threadIdx.x;\n"
      "if (i < R && j < C) {\n"
      "y[j * R + i] = tile[threadIdx.x][r];\n");
}

TEST(TensorExchangeTest, ACopyNeedsNone) {
  std::string copy = kTranspose;
  copy.replace(copy.find("y[j * R + i]"), 12, "y[i * C + j]");
  EXPECT_TRUE(RewriteText(copy, "exchange(turn)").starts_with("refused"));
  EXPECT_TRUE(RewriteText(kGemm, "exchange(gemm)").starts_with("refused"));
}

TEST(TensorExchangeTest, RefusesWithAReason) {
  const auto why_not = [](const std::string& old, const std::string& other) {
    std::string source = kTranspose;
    source.replace(source.find(old), old.size(), other);
    const std::string made = RewriteText(source, "exchange(turn)");
    return made.starts_with("refused") ? made.substr(made.rfind("): ") + 3)
                                       : "applies";
  };
  const std::string statement = "y[j * R + i] = x[i * C + j];";
  EXPECT_EQ(why_not(statement, "y[j * R + i] = 2.0f * x[i * C + j] + 1.0f;"),
            "applies");
  EXPECT_EQ(why_not(statement, "y[j * R + i] += x[i * C + j];"),
            "it is not one assignment");
  EXPECT_EQ(why_not(statement, statement + "\n    y[0] = 1.0f;"),
            "it is not one assignment");
  const std::string along =
      "it does not load along one dimension and store along the other";
  EXPECT_EQ(why_not(statement, "y[j * R + i] = x[i * C + j] + x[j];"), along);
  EXPECT_EQ(why_not(statement, "y[j * R + i] = x[i * C + 2 * j];"), along);
  EXPECT_EQ(why_not(statement, "y[j * R + i * i] = x[i * C + j];"), along);
  EXPECT_EQ(why_not("ceil_div(C, 16)", "ceil_div(C, 8)"),
            "its grid does not follow from its block");
  EXPECT_EQ(why_not("int j =", "int r = 0;\n  int j ="), "`r` is taken");
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
