#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

TEST(CoarsenTest, LoopsAreSharedAndWhatDependsIsDoneForEach) {
  EXPECT_EQ(
      MadeLines(RewriteText(kGemm, "coarsen(gemm, j, 2)"), kGemm),
      "//@ launch gemm<<<(ceil_div(N, 32), ceil_div(M, 16)), (16, 16)>>>(A, B, "
      "C, int32(M), int32(N), int32(K))\n"
      "int j = blockIdx.x * (2 * blockDim.x) + threadIdx.x;\n"
      "if (i < M && j + 1 * blockDim.x < N) {\n"
      "int j_0 = j;\n"
      "int j_1 = j + 1 * blockDim.x;\n"
      "float sum_0 = 0.0f;\n"
      "float sum_1 = 0.0f;\n"
      "sum_0 += A[i * K + k] * B[k * N + j_0];\n"
      "sum_1 += A[i * K + k] * B[k * N + j_1];\n"
      "C[i * N + j_0] = sum_0;\n"
      "C[i * N + j_1] = sum_1;\n"
      "} else {\n"
      // The last ones, as before.
      "for (int last = j + 2 * blockDim.x; j < last; j += blockDim.x) {\n"
      "if (i < M && j < N) {\n"
      "float sum = 0.0f;\n"
      "for (int k = 0; k < K; ++k) {\n"
      "sum += A[i * K + k] * B[k * N + j];\n"
      "C[i * N + j] = sum;\n");
}

constexpr char kPlanes[] =
    R"(//@ launch f<<<(ceil_div(W, 16), ceil_div(H, 16), B * K), (16, 16)>>>(x, w, y, int32(H), int32(W))
extern "C" __global__ void f(const float* x, const float* w, float* y, int H,
                             int W) {
  constexpr int K = 8;
  int b = blockIdx.z / K;
  int k = blockIdx.z % K;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < H && j < W) {
    int pixel = (b * H + i) * W + j;
    y[((b * K + k) * H + i) * W + j] = x[pixel] * w[k];
  }
}
)";

TEST(CoarsenTest, WhatTheGridHoldsIsTakenInGroups) {
  EXPECT_EQ(
      MadeLines(RewriteText(kPlanes, "coarsen(f, k, 2)"), kPlanes),
      "//@ launch f<<<(ceil_div(W, 16), ceil_div(H, 16), B * K / 2), (16, "
      "16)>>>(x, w, y, int32(H), int32(W))\n"
      "int b = blockIdx.z / (K / 2);\n"
      "int k = blockIdx.z % (K / 2) * 2;\n"
      "int k_0 = k;\n"
      "int k_1 = k + 1;\n"
      // `pixel` does not depend on k: once.
      "y[((b * K + k_0) * H + i) * W + j] = x[pixel] * w[k_0];\n"
      "y[((b * K + k_1) * H + i) * W + j] = x[pixel] * w[k_1];\n");
  EXPECT_TRUE(RewriteText(kPlanes, "coarsen(f, k, 3)").starts_with("refused"));
  EXPECT_TRUE(RewriteText(kPlanes, "coarsen(f, q, 2)").starts_with("refused"));
}

// What is assigned under a condition on the variable depends on it.
TEST(CoarsenTest, AnIndexThatIsSearchedForIsDoneForEach) {
  const std::string made = RewriteText(
      "//@ launch f<<<ceil_div(R, 128), 128>>>(x, y, int32(R), int32(C))\n"
      "extern \"C\" __global__ void f(const float* x, int* y, int R, int C) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < R) {\n"
      "    int best = 0;\n"
      "    for (int j = 1; j < C; ++j) {\n"
      "      if (x[i * C + j] > x[i * C + best]) {\n"
      "        best = j;\n"
      "      }\n"
      "    }\n"
      "    y[i] = best;\n"
      "  }\n"
      "}\n",
      "coarsen(f, i, 2)");
  EXPECT_NE(made.find("if (x[i_1 * C + j] > x[i_1 * C + best_1])"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("y[i_1] = best_1;"), std::string::npos) << made;
}

// With j <= i, the last of several i may be inside where the first is not.
TEST(CoarsenTest, AGuardThatAsksMoreIsLeftAlone) {
  std::string causal = kGemm;
  causal.replace(causal.find("j < N)"), 6, "j <= i)");
  EXPECT_EQ(RewriteText(causal, "coarsen(gemm, i, 2)"),
            "refused: coarsen(gemm, i, 2): its guard asks more than that it is "
            "small");
  EXPECT_FALSE(
      RewriteText(causal, "coarsen(gemm, j, 2)").starts_with("refused"));
}

const char kOneRow[] =
    "//@ launch f<<<ceil_div(R, 128), 128>>>(x, y, int32(R), int32(C))\n"
    "extern \"C\" __global__ void f(const float* x, float* y, int R, int C) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < R) {\n"
    "BODY"
    "  }\n"
    "}\n";

std::string Coarsened(const std::string& body) {
  std::string source = kOneRow;
  source.replace(source.find("BODY"), 4, body);
  return RewriteText(source, "coarsen(f, i, 2)");
}

// Each copy runs it as often as its own i says, into a sum of its own.
TEST(CoarsenTest, ALoopOfItsOwnLengthHasItsOwnSum) {
  const std::string made = Coarsened(
      "    float s = 0.0f;\n"
      "    for (int k = 0; k <= i; ++k) {\n"
      "      s += x[k];\n"
      "    }\n"
      "    y[i] = s;\n");
  for (const char* line : {"float s_0 = 0.0f;", "float s_1 = 0.0f;",
                           "k < i_0 + 1; ++k) {\n      s_0 += x[k];",
                           "k < i_1 + 1; ++k) {\n      s_1 += x[k];",
                           "y[i_0] = s_0;", "y[i_1] = s_1;"}) {
    EXPECT_NE(made.find(line), std::string::npos) << line << "\n" << made;
  }
}

TEST(CoarsenTest, SoHasALoopOfItsOwnSteps) {
  const std::string made = Coarsened(
      "    float s = 0.0f;\n"
      "    for (int k = 0; k < C; k += i + 1) {\n"
      "      s += x[k];\n"
      "    }\n"
      "    y[i] = s;\n");
  EXPECT_NE(made.find("s_1 += x[k];"), std::string::npos) << made;
  EXPECT_NE(made.find("k += i_1 + 1"), std::string::npos) << made;
}

// What is stored in an array of its own depends on the place, too.
TEST(CoarsenTest, AnArrayOfItsOwnIsDoneForEach) {
  const std::string made = Coarsened(
      "    float w[3];\n"
      "    for (int q = 0; q < 3; ++q) {\n"
      "      w[q] = x[i * C + q];\n"
      "    }\n"
      "    y[i] = w[0] * w[2];\n");
  for (const char* line :
       {"float w_0[3];", "float w_1[3];", "w_0[q] = x[i_0 * C + q];",
        "w_1[q] = x[i_1 * C + q];", "y[i_1] = w_1[0] * w_1[2];"}) {
    EXPECT_NE(made.find(line), std::string::npos) << line << "\n" << made;
  }
}

// What does not depend on i is done once, and shared.
TEST(CoarsenTest, WhatAllShareIsDoneOnce) {
  const std::string made = Coarsened(
      "    float bias = x[0];\n"
      "    bias += 1.0f;\n"
      "    y[i] = x[i] + bias;\n");
  EXPECT_EQ(made.find("bias_0"), std::string::npos) << made;
  EXPECT_NE(made.find("y[i_1] = x[i_1] + bias;"), std::string::npos) << made;
}

TEST(CoarsenTest, RefusesWithAReason) {
  const auto why_not = [](const std::string& source, const char* label) {
    const std::string made = RewriteText(source, label);
    return made.starts_with("refused") ? made.substr(made.rfind("): ") + 3)
                                       : "applies";
  };
  EXPECT_EQ(why_not(kGemm, "coarsen(gemm, j, 2)"), "applies");
  EXPECT_EQ(why_not(kGemm, "coarsen(gemm, j, 1)"), "how many?");
  EXPECT_EQ(why_not(kGemm, "coarsen(gemm, j, 17)"), "how many?");
  std::string other = kGemm;
  other.replace(other.find("ceil_div(N, 16)"), 15, "ceil_div(N, 32)");
  EXPECT_EQ(why_not(other, "coarsen(gemm, j, 2)"),
            "its grid does not follow from its block");
  other = kGemm;
  other.replace(other.find("  if (i < M"), 11, "  if (M > i");
  EXPECT_EQ(why_not(other, "coarsen(gemm, j, 2)"),
            "its threads are not guarded");
  other = kGemm;
  other.replace(other.find("j < N)"), 6, "j < N && j != 3)");
  EXPECT_EQ(why_not(other, "coarsen(gemm, j, 2)"),
            "its guard asks more than that it is small");
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
