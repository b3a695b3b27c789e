#include "agents/catalogue/cuda/device_catalogue.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "agents/catalogue/agent/catalogue.h"
#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

namespace fs = std::filesystem;

TEST(DeviceCatalogueTest, StepsFollowEachOther) {
  const std::string both = RewriteText(
      kSoftmax,
      "rows(softmax, 32) + unroll(softmax, j, 4) + restrict(softmax)");
  EXPECT_NE(
      both.find("#pragma unroll 4\n    for (int j = lane; j < C; j += 32) "
                "{"),
      std::string::npos)
      << both;
  EXPECT_NE(both.find("const float* __restrict__ x"), std::string::npos);
}

TEST(DeviceCatalogueTest, AgainStartsFromTheRoot) {
  Setting setting;
  setting.root = kRelu;
  const auto again = RewriteSpan(RewriteText(kRelu, "vector(relu, 4)"), 1, 1,
                                 "again + threads(relu, 128)", setting);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(*again, RewriteText(kRelu, "threads(relu, 128)"));
}

TEST(DeviceCatalogueTest, WhatCannotBeDoneIsSaid) {
  EXPECT_EQ(RewriteText(kRelu, "jam(i, 4)"),
            "refused: `jam` is not in the catalogue");
  EXPECT_EQ(RewriteText(kRelu, "threads(other, 4)"),
            "refused: there is no kernel other");
  EXPECT_EQ(RewriteText(std::string(kRelu) +
                            "//@ launch relu<<<1, 32>>>(x, y, int32(N))\n",
                        "threads(relu, 64)"),
            "refused: relu is not launched exactly once");
  EXPECT_EQ(RewriteText(kRelu, "threads(relu, 64) + threads(relu, 256)"),
            "refused: nothing would change");
}

// A helper that a later kernel needed stands above an earlier one too.
TEST(DeviceCatalogueTest, HelpersStandAboveAllKernels) {
  std::string two = kSoftmax;
  std::string second = kSoftmax;
  for (std::size_t at; (at = second.find("softmax")) != second.npos;) {
    second.replace(at, 7, "other");
  }
  two += second;
  const std::string made =
      RewriteText(two, "rows(other, 32) + rows(softmax, 32)");
  const std::size_t helper = made.find("__device__ float WarpSum");
  EXPECT_LT(helper, made.find("void softmax("));
  EXPECT_EQ(made.find("__device__ float WarpSum", helper + 1), made.npos);
}

// nvcc takes what the techniques make, one source for each.
class CompileTest : public testing::TestWithParam<const char*> {};

std::string SourceFor(const std::string& label) {
  if (label.find("softmax") != label.npos) return kSoftmax;
  if (label.find("relu") != label.npos) return kRelu;
  if (label.find("tensor") == label.npos && label.find("mma") == label.npos) {
    return kGemm;
  }
  std::string half = kGemm;
  const auto replace = [&](const std::string& from, const std::string& to) {
    half.replace(half.find(from), from.size(), to);
  };
  replace("\n\n", "\n#include <cuda_fp16.h>\n\n");
  replace("const float* A, const float* B", "const __half* A, const __half* B");
  replace("A[i * K + k] * B[k * N + j]",
          "__half2float(A[i * K + k]) * __half2float(B[k * N + j])");
  return half;
}

TEST_P(CompileTest, ByNvcc) {
  if (std::system("command -v nvcc >/dev/null") != 0) {
    GTEST_SKIP() << "skipped: no nvcc";
  }
  const std::string source = RewriteText(SourceFor(GetParam()), GetParam());
  ASSERT_FALSE(source.starts_with("refused")) << source;
  std::string folder = (fs::temp_directory_path() / "coppice_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr) << folder;
  std::ofstream(folder + "/kernel.cu") << source;
  const std::string command = "nvcc -cubin -arch=sm_90a -std=c++17 -o " +
                              folder + "/kernel.cubin " + folder + "/kernel.cu";
  EXPECT_EQ(std::system(command.c_str()), 0) << source;
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(
    EveryTechnique, CompileTest,
    testing::Values("vector(relu, 4) + restrict(relu)",
                    "stride(relu, 528) + threads(relu, 128)",
                    "coarsen(relu, i, 4)",
                    "rows(softmax, 32) + unroll(softmax, j, 4)",
                    "rows(softmax, 256) + math(softmax)",
                    "tile(gemm, 64, 64, 16, 4, 4, wide) + restrict(gemm)",
                    "tile(gemm, 32, 32, 16, 1, 1)", "coarsen(gemm, j, 4)",
                    "tensor(gemm, 64, 64, wide)",
                    "mma(gemm, 128, 64, 32, 64, 32, 4)"),
    [](const auto& one) {
      std::string name;
      for (const char c : std::string(one.param)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
      }
      return name;
    });

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
