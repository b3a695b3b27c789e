#include "agents/catalogue/cuda/exchange.h"

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

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
