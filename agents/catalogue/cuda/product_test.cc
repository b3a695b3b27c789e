#include "agents/catalogue/cuda/product.h"

#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const std::size_t at = text.find(from);
  return at == text.npos ? "no " + from : text.replace(at, from.size(), to);
}

std::string HalfGemm() {
  std::string source = Replaced(kGemm, "const float* A, const float* B",
                                "const __half* A, const __half* B");
  return Replaced(source, "A[i * K + k] * B[k * N + j]",
                  "__half2float(A[i * K + k]) * __half2float(B[k * N + j])");
}

TEST(TileProductTest, BlocksComputeTilesFromSharedMemory) {
  EXPECT_EQ(
      MadeLines(RewriteText(kGemm, "tile(gemm, 32, 64, 8, 2, 4)"), kGemm),
      "//@ launch gemm<<<(ceil_div(N, 64), ceil_div(M, 32)), 256>>>(A, B, C, "
      "int32(M), int32(N), int32(K))\n"
      "__shared__ alignas(16) float left[8][36];\n"
      "__shared__ alignas(16) float right[8][68];\n"
      "float sums[2][4] = {};\n"
      "for (int base = 0; base < K; base += 8) {\n"
      // A goes along memory with k, B with j.
      "for (int t = threadIdx.x; t < 256; t += 256) {\n"
      "int i = blockIdx.y * 32 + t / 8;\n"
      "int k = base + t % 8;\n"
      "left[t % 8][t / 8] = i < M && k < K ? A[i * K + k] : 0.0f;\n"
      "for (int t = threadIdx.x; t < 512; t += 256) {\n"
      "int j = blockIdx.x * 64 + t % 64;\n"
      "int k = base + t / 64;\n"
      "right[t / 64][t % 64] = j < N && k < K ? B[k * N + j] : 0.0f;\n"
      "__syncthreads();\n"
      "#pragma unroll\n"
      "for (int d = 0; d < 8; ++d) {\n"
      "#pragma unroll\n"
      "for (int u = 0; u < 2; ++u) {\n"
      "#pragma unroll\n"
      "for (int v = 0; v < 4; ++v) {\n"
      "sums[u][v] += left[d][threadIdx.x / 16 * 2 + u] * "
      "right[d][threadIdx.x % 16 * 4 + v];\n"
      "__syncthreads();\n"
      "#pragma unroll\n"
      "for (int u = 0; u < 2; ++u) {\n"
      "#pragma unroll\n"
      "for (int v = 0; v < 4; ++v) {\n"
      "int i = blockIdx.y * 32 + threadIdx.x / 16 * 2 + u;\n"
      "int j = blockIdx.x * 64 + threadIdx.x % 16 * 4 + v;\n"
      "if (i < M && j < N) {\n"
      "float sum = sums[u][v];\n"
      "C[i * N + j] = sum;\n");
}

TEST(TileProductTest, WideLoadsGoWhereTheyAreWholeAndAligned) {
  const std::string made =
      RewriteText(kGemm, "tile(gemm, 32, 64, 8, 2, 4, wide)");
  EXPECT_NE(
      made.find(
          "      int i = blockIdx.y * 32 + t / 2;\n"
          "      int k = base + t % 2 * 4;\n"
          "      int at = i * K + k;\n"
          "      Pack<float, 4> chunk;\n"
          "      if (i < M && k + 3 < K && at % 4 == 0) {\n"
          "        chunk = *reinterpret_cast<const Pack<float, 4>*>(A + at);\n"
          "      } else {\n"
          "        for (int element = 0; element < 4; ++element) {\n"
          "          chunk.v[element] = i < M && k + element < K ? A[at + "
          "element] : 0.0f;\n"),
      std::string::npos)
      << made;
  EXPECT_NE(made.find("right[t / 16][t % 16 * 4 + element] = "
                      "chunk.v[element];"),
            std::string::npos)
      << made;
}

// What follows the loop is done for each of a thread's results.
TEST(TileProductTest, BiasAndActivationStay) {
  const std::string source = Replaced(
      Replaced(kGemm, "float sum = 0.0f;", "float sum = B[j];"),
      "C[i * N + j] = sum;", "float z = 2.0f * sum;\n    C[i * N + j] = z;");
  const std::string made = RewriteText(source, "tile(gemm, 32, 32, 8, 2, 2)");
  EXPECT_NE(made.find("        float sum = B[j] + sums[u][v];\n"
                      "        float z = 2.0f * sum;\n"
                      "        C[i * N + j] = z;\n"),
            std::string::npos)
      << made;
}

TEST(TileProductTest, RefusesWhatIsNoProductOrDoesNotFit) {
  const char* const kNone = "it is not like a matrix product";
  const std::string label = "tile(gemm, 32, 32, 8, 2, 2)";
  for (const char* update :
       {"sum += A[i * K + k] + B[k * N + j];",  // No product.
        "sum += A[i * K + k] * B[k * N + i];",  // Both go with i.
        "sum += A[i * K + k] * B[i * N + j];",  // One goes with both.
        "C[i] += A[i * K + k] * B[k * N + j];"}) {
    EXPECT_EQ(RewriteText(Replaced(kGemm, "sum += A[i * K + k] * B[k * N + j];",
                                   update),
                          label),
              "refused: " + label + ": " + kNone)
        << update;
  }
  EXPECT_EQ(RewriteText(Replaced(kGemm, "k < K", "k < i + 1"), label),
            "refused: " + label + ": " + kNone);
  EXPECT_EQ(RewriteText(kGemm, "tile(gemm, 32, 32, 8, 3, 2)"),
            "refused: tile(gemm, 32, 32, 8, 3, 2): the parts do not make up a "
            "block of threads");
  EXPECT_EQ(RewriteText(kGemm, "tile(gemm, 256, 256, 32, 8, 8)"),
            "refused: tile(gemm, 256, 256, 32, 8, 8): the tiles need more "
            "shared memory than there is");
}

TEST(TensorProductTest, TakesNarrowFactors) {
  const std::string made = RewriteText(HalfGemm(), "tensor(gemm, 64, 32)");
  for (const char* line :
       {"#include <mma.h>\n", "<<<(ceil_div(N, 32), ceil_div(M, 64)), 64>>>",
        "  __shared__ alignas(32) __half left[64][40];\n",
        "  __shared__ alignas(32) __half right[32][40];\n",
        "left[t / 32][t % 32] = i < M && k < K ? A[i * K + k] : "
        "__float2half(0.0f);\n",
        "load_matrix_sync(a[u], &left[warp / 1 * 32 + 16 * u][d], 40);\n",
        "          float sum = staged[warp][t / 16][t % 16];\n"}) {
    EXPECT_NE(made.find(line), std::string::npos) << line << "in\n" << made;
  }
  EXPECT_EQ(RewriteText(kGemm, "tensor(gemm, 64, 64)"),
            "refused: tensor(gemm, 64, 64): its factors are of no type of the "
            "tensor cores");
  EXPECT_EQ(RewriteText(HalfGemm(), "tensor(gemm, 64, 48)"),
            "refused: tensor(gemm, 64, 48): a warp computes 32 x 32");
}

TEST(TensorProductTest, TheKindIsTold) {
  const auto kind = [](const std::string& text) {
    return KindOfProduct(ParseDeviceSource(text)->kernels[0]);
  };
  EXPECT_TRUE(kind(kGemm).is_product);
  EXPECT_FALSE(kind(kGemm).narrow);
  EXPECT_TRUE(kind(HalfGemm()).narrow);
  EXPECT_FALSE(kind(kRelu).is_product);
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
