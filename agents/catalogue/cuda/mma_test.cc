#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"
#include "store/records/tuning.h"

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
constexpr char kWgmmaLabel[] = "wgmma(gemm, 128, 192, 4)";

// The kernel's part of what is made.
std::string MmaMade(const std::string& source, const std::string& label) {
  const std::string made = RewriteText(source, label);
  const std::size_t at = made.find("extern \"C\"");
  return at == made.npos
             ? made
             : MadeLines(made.substr(0, made.find('\n') + 1) + made.substr(at),
                         source);
}

// The lines that declare numbers.
std::string NumbersOf(const std::string& made) {
  std::string lines;
  for (std::size_t at = 0;
       (at = made.find("\nconstexpr int ", at)) != made.npos; ++at) {
    lines += made.substr(at + 1, made.find('\n', at + 1) - at);
  }
  return lines;
}

TEST(MmaTest, WarpsSumOnTensorCoresAndBlocksStorePacks) {
  EXPECT_EQ(
      MmaMade(NarrowGemm(), kMmaLabel),
      "//@ launch gemm<<<(ceil_div(N, BN), ceil_div(M, BM)), BM / WM * (BN / "
      "WN) * 32, max(STAGES * (BM + BN) * BK * 2, BM * (BN + 8) * 4)>>>(A, B, "
      "C, int32(M), int32(N), int32(K))\n"
      "extern \"C\" __global__ void __launch_bounds__(THREADS, BLOCKS)\n"
      "gemm(const __half* A, const __half* B, __half* C, int M, int N, int K) "
      "{\n"
      "extern __shared__ __align__(1024) uint4 shared[];\n"
      "__half* tiles = reinterpret_cast<__half*>(shared);\n"
      "float* staged = reinterpret_cast<float*>(shared);\n"
      "const Matrix<__half> left = {A, 0, K, M, K};\n"
      "const Matrix<__half> right = {B, 0, N, K, N};\n"
      "const Matrix<__half> result = {C, 0, N, M, N};\n"
      "int i0 = blockIdx.y * BM;\n"
      "int j0 = blockIdx.x * BN;\n"
      "float sums[WM / 16][WN / 8][4] = {};\n"
      "if ((left.origin | left.stride | right.origin | right.stride) % 8 == 0) "
      "{\n"
      "TensorSums<BM, BN, BK, WM, WN, STAGES, true, false, true>(left, right, "
      "i0, j0, tiles, sums);\n"
      "} else {\n"
      "TensorSums<BM, BN, BK, WM, WN, STAGES, true, false, false>(left, right, "
      "i0, j0, tiles, sums);\n"
      "StageSums<BN, WM, WN>(sums, staged);\n"
      "__syncthreads();\n"
      "if ((result.origin | result.stride | result.length) % 4 == 0) {\n"
      "#pragma unroll 4\n"
      "for (int t = threadIdx.x; t < BM * (BN / 4); t += THREADS) {\n"
      "Pack<float, 4> few = *reinterpret_cast<const Pack<float, 4>*>(staged + "
      "t / (BN / 4) * (BN + 8) + t % (BN / 4) * 4);\n"
      "Pack<__half, 4> chunk;\n"
      "int i = i0 + t / (BN / 4);\n"
      "#pragma unroll\n"
      "for (int v = 0; v < 4; ++v) {\n"
      "int j = j0 + t % (BN / 4) * 4 + v;\n"
      "if (i < M && j < N) {\n"
      "float sum = few.v[v];\n"
      "chunk.v[v] = __float2half(sum);\n"
      "int j = j0 + t % (BN / 4) * 4;\n"
      "if (i < M && j < N) {\n"
      "*reinterpret_cast<Pack<__half, 4>*>(C + i * N + j) = chunk;\n"
      "} else {\n"
      "#pragma unroll 8\n"
      "for (int t = threadIdx.x; t < BM * BN; t += THREADS) {\n"
      "int i = i0 + t / BN;\n"
      "int j = j0 + t % BN;\n"
      "if (i < M && j < N) {\n"
      "float sum = staged[t / BN * (BN + 8) + t % BN];\n"
      "C[i * N + j] = __float2half(sum);\n");
}

TEST(MmaTest, SizesAreLeftToBeTuned) {
  const std::string made = RewriteText(NarrowGemm(), kMmaLabel);
  EXPECT_EQ(NumbersOf(made),
            "constexpr int BM = 128;  //@ tune 64 128\n"
            "constexpr int BN = 64;  //@ tune 64 128 256\n"
            "constexpr int BK = 32;  //@ tune 32 64\n"
            "constexpr int WM = 64;  //@ tune 32 64\n"
            "constexpr int WN = 32;  //@ tune 32 64\n"
            "constexpr int STAGES = 4;  //@ tune 3 4 5\n"
            "constexpr int BLOCKS = 1;  //@ tune 1 2\n"
            "constexpr int THREADS = BM / WM * (BN / WN) * 32;\n");
  const auto numbers = TuningParametersOf(made);
  ASSERT_TRUE(numbers) << numbers.error().what;
  EXPECT_EQ(numbers->size(), 7u);
  // A size that is not among those that are tried is one more.
  EXPECT_NE(RewriteText(NarrowGemm(), "mma(gemm, 32, 64, 32, 32, 32, 4)")
                .find("constexpr int BM = 32;  //@ tune 32 64 128\n"),
            std::string::npos);
}

// 128 x 192 is a grid of its own; twice four warps have 64 rows each.
TEST(MmaTest, FourWarpsMultiplyTogether) {
  const std::string made = RewriteText(NarrowGemm(), kWgmmaLabel);
  for (const char* line :
       {"//@ launch gemm<<<(ceil_div(N, BN), ceil_div(M, BM)), 2 * BM, "
        "max(STAGES * (BM + BN) * 64 * 2, BM * (BN + 8) * 4)>>>",
        "float sums[1][BN / 8][4] = {};",
        "WarpgroupSums<BM, BN, STAGES, true, false, true>(left, right, i0, j0, "
        "tiles, sums);",
        "StageSums<BN, 16, BN>(sums, staged);",
        // 64 x 64 over 128 threads are 32 sums.
        "__device__ void MultiplyAsync(float (&d)[8][4],",
        "\"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {\"\n"
        "      \"%0, %1, %2, %3, %4, %5, %6, %7, \"\n",
        "\"%24, %25, %26, %27, %28, %29, %30, %31}, \"\n"
        "      \"%32, %33, 1, 1, 1, %34, %35;\"\n"
        "      : \"+f\"(d[0][0]), \"+f\"(d[0][1]), \"+f\"(d[0][2]), "
        "\"+f\"(d[0][3]),\n",
        "\"+f\"(d[7][3])\n      : \"l\"(a), \"l\"(b), ", "m64n192k16"}) {
    EXPECT_NE(made.find(line), std::string::npos) << line << " in\n" << made;
  }
  EXPECT_EQ(NumbersOf(made),
            "constexpr int BM = 128;  //@ tune 64 128\n"
            "constexpr int BN = 192;  //@ tune 64 128 192 256\n"
            "constexpr int STAGES = 4;  //@ tune 3 4 5 6\n"
            "constexpr int BLOCKS = 1;  //@ tune 1 2\n"
            "constexpr int THREADS = 2 * BM;\n");
}

TEST(MmaTest, AFactorsLinesMayGoAlongEitherOfItsVariables) {
  const std::string made =
      MmaMade(NarrowGemm("A[k * M + i]", "B[j * K + k + 8]"), kMmaLabel);
  for (const char* line :
       {"left = {A, 0, M, K, M};", "right = {B, 8, K, N, K};",
        "TensorSums<BM, BN, BK, WM, WN, STAGES, false, true, true>"}) {
    EXPECT_NE(made.find(line), std::string::npos) << line << " in\n" << made;
  }
}

TEST(MmaTest, BiasAndActivationStay) {
  const std::string source =
      With(NarrowGemm(), "C[i * N + j] = __float2half(sum);",
           "float z = sum + bias[j];\n"
           "    C[i * N + j] = __float2half(z);");
  for (const char* label : {kMmaLabel, kWgmmaLabel}) {
    const std::string made = MmaMade(source, label);
    EXPECT_NE(made.find("float sum = few.v[v];\nfloat z = sum + bias[j];\n"
                        "chunk.v[v] = __float2half(z);\n"),
              std::string::npos)
        << made;
    EXPECT_NE(made.find("t % BN];\nfloat z = sum + bias[j];\n"
                        "C[i * N + j] = __float2half(z);\n"),
              std::string::npos)
        << made;
  }
}

// What follows still finds the kernel, and its launch.
TEST(MmaTest, AnotherMoveMayFollow) {
  const std::string made = RewriteText(
      With(NarrowGemm(), "__float2half(sum)", "__float2half(tanhf(sum))"),
      std::string(kWgmmaLabel) + " + math(gemm)");
  EXPECT_EQ(made.find("tanhf(sum)"), std::string::npos) << made;
  EXPECT_NE(made.find("constexpr int BN = 192;  //@ tune"), std::string::npos);
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
  const std::string four = RewriteText(source, kWgmmaLabel);
  EXPECT_NE(four.find("m64n256k16.f32.bf16.bf16 {"), std::string::npos);
  EXPECT_EQ(four.find(".f16.f16 "), std::string::npos);
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
  EXPECT_EQ(why(NarrowGemm(), "wgmma(gemm, 128, 192)"), "which sizes?");
  EXPECT_EQ(why(NarrowGemm(), "wgmma(gemm, 128, 96, 4)"),
            "four warps have 64 rows and a multiple of 64 columns");
  // 256 rows are 512 threads.
  EXPECT_EQ(why(NarrowGemm(), "wgmma(gemm, 256, 128, 4)"),
            "four warps have 64 rows and a multiple of 64 columns");
  // 5 * (128 + 256) * 64 * 2 bytes again.
  EXPECT_EQ(why(NarrowGemm(), "wgmma(gemm, 128, 256, 5)"),
            "the tiles need 3 stages, and shared memory for them");
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
