#include "agents/catalogue/cuda/launch_shape.h"

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

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
