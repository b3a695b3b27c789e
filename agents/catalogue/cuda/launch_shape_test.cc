#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

TEST(ThreadsTest, TheGridFollowsTheBlockAndTheKernelStays) {
  EXPECT_EQ(MadeLines(RewriteText(kRelu, "threads(relu, 512)"), kRelu),
            "//@ launch relu<<<ceil_div(N, 512), 512>>>(x, y, int32(N))\n");
  EXPECT_EQ(
      MadeLines(RewriteText(kGemm, "threads(gemm, 32, 8)"), kGemm),
      "//@ launch gemm<<<(ceil_div(N, 32), ceil_div(M, 8)), (32, 8)>>>(A, "
      "B, C, int32(M), int32(N), int32(K))\n");
}

TEST(ThreadsTest, FollowsThroughTheOtherTechniques) {
  EXPECT_EQ(
      MadeLines(
          RewriteText(kSoftmax, "rows(softmax, 32) + threads(softmax, 128)"),
          RewriteText(kSoftmax, "rows(softmax, 32)")),
      "//@ launch softmax<<<ceil_div(R * 32, 128), 128>>>(x, y, int32(R), "
      "int32(C))\n");
  EXPECT_EQ(MadeLines(RewriteText(kSoftmax,
                                  "rows(softmax, 256) + threads(softmax, 64)"),
                      RewriteText(kSoftmax, "rows(softmax, 256)")),
            "//@ launch softmax<<<R, 64>>>(x, y, int32(R), int32(C))\n");
}

TEST(ThreadsTest, RefusesWhatDoesNotFollow) {
  EXPECT_EQ(RewriteText(kRelu, "threads(relu, 256)"),
            "refused: threads(relu, 256): it has them already");
  EXPECT_EQ(RewriteText(kRelu, "threads(relu, 2048)"),
            "refused: threads(relu, 2048): a block has 1 to 1024 threads");
  EXPECT_EQ(RewriteText(kGemm, "threads(gemm, 64, 32)"),
            "refused: threads(gemm, 64, 32): a block has 1 to 1024 threads");
  EXPECT_EQ(RewriteText("//@ launch f<<<4, 32>>>(x)\n"
                        "extern \"C\" __global__ void f(float* x) {\n"
                        "  x[blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;\n"
                        "}\n",
                        "threads(f, 64)"),
            "refused: threads(f, 64): its grid does not follow from its block");
  // Its tiles are made for so many threads.
  EXPECT_EQ(RewriteText(kGemm,
                        "tile(gemm, 32, 32, 8, 2, 2) + "
                        "threads(gemm, 128, 1)"),
            "refused: threads(gemm, 128, 1): the kernel does not ask how many "
            "threads there are");
}

TEST(StrideTest, AThreadTakesWhatIsAGridFurtherOn) {
  EXPECT_EQ(MadeLines(RewriteText(kRelu, "stride(relu, 528)"), kRelu),
            "//@ launch relu<<<min(ceil_div(N, 256), 528), 256>>>(x, y, "
            "int32(N))\n"
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += "
            "gridDim.x * blockDim.x) {\n");
}

TEST(StrideTest, OnlyAlongOneDimension) {
  EXPECT_EQ(RewriteText(kGemm, "stride(gemm, 528)"),
            "refused: stride(gemm, 528): its threads are not guarded along one "
            "dimension");
}

// 512 threads would write past the 256 elements.
TEST(ThreadsTest, ABlockDoesNotOutgrowItsSharedMemory) {
  const std::string source =
      "//@ launch f<<<ceil_div(N, 256), 256>>>(x, y, int32(N))\n"
      "extern \"C\" __global__ void f(const float* x, float* y, int N) {\n"
      "  __shared__ float part[256];\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  part[threadIdx.x] = i < N ? x[i] : 0.0f;\n"
      "  __syncthreads();\n"
      "  if (i < N) {\n"
      "    y[i] = part[blockDim.x - 1 - threadIdx.x];\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(RewriteText(source, "threads(f, 512)"),
            "refused: threads(f, 512): its shared memory is made for fewer "
            "threads");
  EXPECT_FALSE(RewriteText(source, "threads(f, 128)").starts_with("refused"));
  // Room for 1024 is room for 512.
  std::string roomy = source;
  roomy.replace(roomy.find("part[256]"), 9, "part[1024]");
  EXPECT_FALSE(RewriteText(roomy, "threads(f, 512)").starts_with("refused"));
}

TEST(ThreadsTest, BothDimensionsCountTogether) {
  const auto why_not = [](const char* label) {
    const std::string made = RewriteText(kGemm, label);
    return made.starts_with("refused") ? made.substr(made.rfind("): ") + 3)
                                       : "applies";
  };
  EXPECT_EQ(why_not("threads(gemm, 32, 32)"), "applies");
  EXPECT_EQ(why_not("threads(gemm, 64)"), "applies");  // 64 x 16 is 1024.
  EXPECT_EQ(why_not("threads(gemm, 65)"), "a block has 1 to 1024 threads");
  EXPECT_EQ(why_not("threads(gemm, 0, 8)"), "a block has 1 to 1024 threads");
  EXPECT_EQ(why_not("threads(gemm, 16, 16)"), "it has them already");
}

TEST(StrideTest, AGuardThatAsksMoreIsLeftAlone) {
  std::string source = kRelu;
  source.replace(source.find("i < N)"), 6, "i < N && i != 7)");
  EXPECT_EQ(RewriteText(source, "stride(relu, 528)"),
            "refused: stride(relu, 528): its threads are not guarded along one "
            "dimension");
  EXPECT_EQ(RewriteText(kRelu, "stride(relu, 0)"),
            "refused: stride(relu, 0): how many blocks?");
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
