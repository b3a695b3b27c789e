#include "agents/catalogue/cuda/mma.h"

#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

std::string With(std::string text, const std::string& from,
                 const std::string& to) {
  const std::size_t at = text.find(from);
  return at == text.npos ? "no " + from : text.replace(at, from.size(), to);
}

// A product in half precision, with these subscripts of its factors.
std::string NarrowGemm(const std::string& a = "A[i * K + k]",
                       const std::string& b = "B[k * N + j]") {
  std::string source = With(kGemm, "const float* A, const float* B",
                            "const __half* A, const __half* B");
  source = With(source, "float* C", "__half* C");
  source = With(source, "j] = sum", "j] = __float2half(sum)");
  return With(source, "A[i * K + k] * B[k * N + j]",
              "__half2float(" + a + ") * __half2float(" + b + ")");
}

constexpr char kMmaLabel[] = "mma(gemm, 128, 64, 32, 64, 32, 4)";

// The kernel's part of what is made.
std::string MmaMade(const std::string& source, const std::string& label) {
  const std::string made = RewriteText(source, label);
  const std::size_t at = made.find("extern \"C\"");
  return at == made.npos
             ? made
             : MadeLines(made.substr(0, made.find('\n') + 1) + made.substr(at),
                         source);
}

TEST(MmaTest, WarpsSumOnTensorCoresAndBlocksStorePacks) {
  EXPECT_EQ(
      MmaMade(NarrowGemm(), kMmaLabel),
      // Warps: 128 / 64 * 64 / 32 = 4.  Tiles: 4 * (128 + 64) * 32 * 2 bytes,
      // and more than the 128 * 72 * 4 of the sums.
      "//@ launch gemm<<<(ceil_div(N, 64), ceil_div(M, 128)), 128, "
      "49152>>>(A, B, C, int32(M), int32(N), int32(K))\n"
      "extern __shared__ uint4 tiles[];\n"
      "float* staged = reinterpret_cast<float*>(tiles);\n"
      "const Matrix<__half> left = {A, 0, K, M, K};\n"
      "const Matrix<__half> right = {B, 0, N, K, N};\n"
      "float sums[4][4][4] = {};\n"
      "if ((left.origin | left.stride | right.origin | right.stride) % 8 == 0) "
      "{\n"
      "TensorSums<128, 64, 32, 64, 32, 4, true, false, true>(left, right, "
      "blockIdx.y * 128, blockIdx.x * 64, reinterpret_cast<__half*>(tiles), "
      "sums);\n"
      "} else {\n"
      "TensorSums<128, 64, 32, 64, 32, 4, true, false, false>(left, right, "
      "blockIdx.y * 128, blockIdx.x * 64, reinterpret_cast<__half*>(tiles), "
      "sums);\n"
      "StageSums<64, 64, 32>(sums, staged);\n"
      "__syncthreads();\n"
      "for (int t = threadIdx.x; t < 128 * 64 / 8; t += 128) {\n"
      "Pack<__half, 8> chunk;\n"
      "int i = blockIdx.y * 128 + t / (64 / 8);\n"
      "#pragma unroll\n"
      "for (int v = 0; v < 8; ++v) {\n"
      "int j = blockIdx.x * 64 + t % (64 / 8) * 8 + v;\n"
      "if (i < M && j < N) {\n"
      "float sum = staged[t / (64 / 8) * 72 + t % (64 / 8) * 8 + v];\n"
      "chunk.v[v] = __float2half(sum);\n"
      "int j = blockIdx.x * 64 + t % (64 / 8) * 8;\n"
      "int at = i * N + j;\n"
      "if (i < M && j + 8 <= N && at % 8 == 0) {\n"
      "*reinterpret_cast<Pack<__half, 8>*>(C + at) = chunk;\n"
      "} else {\n"
      "#pragma unroll\n"
      "for (int v = 0; v < 8; ++v) {\n"
      "if (i < M && j + v < N) {\n"
      "C[at + v] = chunk.v[v];\n");
}

TEST(MmaTest, AFactorsLinesMayGoAlongEitherOfItsVariables) {
  const std::string made =
      MmaMade(NarrowGemm("A[k * M + i]", "B[j * K + k + 8]"), kMmaLabel);
  for (const char* line :
       {"left = {A, 0, M, K, M};", "right = {B, 8, K, N, K};",
        "TensorSums<128, 64, 32, 64, 32, 4, false, true, true>"}) {
    EXPECT_NE(made.find(line), std::string::npos) << line << " in\n" << made;
  }
}

TEST(MmaTest, BiasAndActivationStay) {
  const std::string made =
      MmaMade(With(NarrowGemm(), "C[i * N + j] = __float2half(sum);",
                   "float z = sum + bias[j];\n"
                   "    C[i * N + j] = __float2half(z);"),
              kMmaLabel);
  EXPECT_NE(made.find("* 8 + v];\nfloat z = sum + bias[j];\n"
                      "chunk.v[v] = __float2half(z);\n"),
            std::string::npos)
      << made;
}

TEST(MmaTest, BfloatHasAnInstructionOfItsOwn) {
  std::string source = NarrowGemm();
  for (std::size_t at; (at = source.find("__half2float")) != source.npos;) {
    source.replace(at, 12, "__bfloat162float");
  }
  const std::string made = RewriteText(source, kMmaLabel);
  EXPECT_NE(made.find(".f32.bf16.bf16.f32 "), std::string::npos);
  EXPECT_EQ(made.find(".f32.f16.f16.f32 "), std::string::npos);
  EXPECT_NE(made.find("const __nv_bfloat16*) {"), std::string::npos);
}

TEST(MmaTest, RefusesWhatItCannotDo) {
  const auto why = [](const std::string& source, const std::string& label) {
    const std::string made = RewriteText(source, label);
    return made.substr(std::min(made.size(), made.rfind("): ") + 3));
  };
  EXPECT_EQ(why(kRelu, "mma(relu, 128, 64, 32, 64, 32, 4)"),
            "it is not like a matrix product");
  EXPECT_EQ(why(kGemm, kMmaLabel),
            "its factors are of no type of the tensor cores");
  EXPECT_EQ(why(NarrowGemm("A[i * K + 2 * k]"), kMmaLabel),
            "its factors do not lie in lines");
  EXPECT_EQ(why(With(NarrowGemm(), "C[i * N + j]", "C[j * M + i]"), kMmaLabel),
            "it does not end by storing along its columns");
  EXPECT_EQ(why(NarrowGemm(), "mma(gemm, 128, 64, 32, 64, 32)"),
            "which sizes?");
  EXPECT_EQ(why(NarrowGemm(), "mma(gemm, 96, 64, 32, 32, 32, 4)"),
            "a tile's side is 32 or a multiple of 64");
  // 256 / 32 * 128 / 32 warps are 1024 threads.
  EXPECT_EQ(why(NarrowGemm(), "mma(gemm, 256, 128, 32, 32, 32, 3)"),
            "the warps' parts do not make up a block");
  EXPECT_EQ(why(NarrowGemm(), "mma(gemm, 128, 64, 32, 64, 32, 2)"),
            "the tiles need 3 stages, and shared memory for them");
  // 5 * (128 + 256) * 64 * 2 bytes are 240 KiB.
  EXPECT_EQ(why(NarrowGemm(), "mma(gemm, 128, 256, 64, 64, 64, 5)"),
            "the tiles need 3 stages, and shared memory for them");
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
