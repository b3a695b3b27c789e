#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

TEST(RestrictPointersTest, PromisesItOfEachPointerOnce) {
  const std::string once = RewriteText(kRelu, "restrict(relu)");
  EXPECT_EQ(MadeLines(once, kRelu),
            "extern \"C\" __global__ void relu(const float* __restrict__ x,\n"
            "float* __restrict__ y, int N) {\n");
  EXPECT_EQ(RewriteText(once, "restrict(relu)"),
            "refused: restrict(relu): its pointers are restricted already");
}

TEST(RestrictPointersTest, NotIfTwoArgumentsAreOneBuffer) {
  std::string in_place = kRelu;
  in_place.replace(in_place.find("(x, y,"), 6, "(y, y,");
  EXPECT_EQ(RewriteText(in_place, "restrict(relu)"),
            "refused: restrict(relu): two arguments are one");
}

TEST(UnrollLoopTest, PutsAPragmaBeforeTheLoop) {
  const std::string once = RewriteText(kGemm, "unroll(gemm, k, 8)");
  EXPECT_EQ(MadeLines(once, kGemm), "#pragma unroll 8\n");
  EXPECT_EQ(RewriteText(once, "unroll(gemm, k, 4)"),
            "refused: unroll(gemm, k, 4): it has a pragma already");
  EXPECT_EQ(RewriteText(kGemm, "unroll(gemm, q, 8)"),
            "refused: unroll(gemm, q, 8): there is no such loop here");
}

TEST(QuickMathTest, TakesTheHardwaresFunctions) {
  EXPECT_EQ(MadeLines(RewriteText(kSoftmax, "math(softmax)"), kSoftmax),
            "y[i * C + j] = __expf(x[i * C + j] - largest);\n");
  std::string norm = kRelu;
  norm.replace(norm.find("fmaxf(x[i], 0.0f)"), 17,
               "1.0f / sqrtf(x[i] + 1.0f) * tanhf(x[i])");
  EXPECT_EQ(MadeLines(RewriteText(norm, "math(relu)"), norm),
            "// tanh from the hardware's exp.\n"
            "__device__ float QuickTanh(float x) {\n"
            "return 1.0f - 2.0f / (__expf(2.0f * x) + 1.0f);\n"
            "y[i] = rsqrtf(x[i] + 1.0f) * QuickTanh(x[i]);\n");
  EXPECT_EQ(RewriteText(kRelu, "math(relu)"),
            "refused: math(relu): it calls nothing that the hardware has");
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
