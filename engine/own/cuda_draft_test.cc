#include "engine/own/cuda_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace coppice::engine::own {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<CudaDraft> CudaDrafted(const std::string& text,
                              const Wishes& wishes = {}) {
  TRY(source, ReadCudaSource(text, ""));
  TRY(reading, Read(source.as_function, wishes));
  Drafting drafting;
  drafting.name = "mine";
  drafting.file = "mine.cu";
  return DraftCuda(source, reading, wishes, drafting);
}

constexpr const char* kCudaScale =
    "__global__ void scale(float* x, float a, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] = a * sqrtf(x[i]);\n}\n"
    "void launch(float* x, float a, int n) {\n"
    "  scale<<<(n + 255) / 256, 256>>>(x, a, n);\n}\n";

// What is updated is copied first; a number is an input by its name.
TEST(CudaDraftTest, TheRootIsTheFilesKernelsWithAPlan) {
  const auto draft = CudaDrafted(kCudaScale);
  ASSERT_TRUE(draft) << draft.error().what;
  const Solution& root = draft->task.root;
  EXPECT_EQ(root.language, Language::kCuda);
  EXPECT_EQ(root.entry_file, "root.cu");
  EXPECT_THAT(
      root.sources.front().content,
      testing::StartsWith(
          "//@ launch copy_x<<<ceil_div(n, 256), 256>>>(x_before, x, n)\n"
          "//@ launch scale<<<(n + 255) / 256, 256>>>(x, a, int32(n))\n"));
  EXPECT_THAT(root.sources.front().content,
              HasSubstr("extern \"C\" __global__ void scale(float* x, float a, "
                        "int n) {"));
  EXPECT_EQ(draft->task.workloads.size(), 3u);
}

// Each 32 bytes of which are one number.
TEST(CudaDraftTest, TheOracleIsTheSameKernelsWithNumbersThatKeepTheirError) {
  const auto draft = CudaDrafted(kCudaScale);
  ASSERT_TRUE(draft) << draft.error().what;
  const std::string oracle = draft->task.oracle.sources.front().content;
  EXPECT_THAT(
      oracle,
      testing::StartsWith(
          "//@ scratch double x_own[4 * (n)]\n"
          "//@ launch take_<<<ceil_div(n, 256), 256>>>(x_before, x_own, n)\n"
          "//@ launch scale<<<(n + 255) / 256, 256>>>(x_own, a, int32(n))\n"
          "//@ launch give_<<<ceil_div(n, 256), 256>>>(x_own, x, x_m, n)\n"));
  EXPECT_THAT(oracle, HasSubstr("void scale(Real_<24>* x, float a, int n)"));
  EXPECT_TRUE(draft->notes.empty());
}

// An atomic addition takes no such number.
TEST(CudaDraftTest, WhereNumbersCannotKeepTheirErrorItIsAssumed) {
  const auto draft = CudaDrafted(
      "//@ launch sum<<<ceil_div(n, 64), 64>>>(x, y, int32(n))\n"
      "__global__ void sum(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) atomicAdd(&y[0], expf(x[i]));\n}\n");
  ASSERT_TRUE(draft) << draft.error().what;
  ASSERT_EQ(draft->notes.size(), 1u);
  EXPECT_THAT(draft->notes[0], HasSubstr("sum uses atomicAdd"));
  const std::string oracle = draft->task.oracle.sources.front().content;
  EXPECT_THAT(oracle, HasSubstr("void sum(const double* x, double* y, int n)"));
  EXPECT_THAT(oracle, HasSubstr("exp(x[i])"));
  EXPECT_THAT(oracle, HasSubstr("constexpr double kFactor = 8;"));
  EXPECT_THAT(oracle, Not(HasSubstr("Real_")));
}

// Threads of a block share 32 bytes for each float that they shared.
TEST(CudaDraftTest, SharedMemoryGrowsWithTheNumbers) {
  const auto draft = CudaDrafted(
      "//@ launch k<<<ceil_div(n, 64), 64, 256>>>(x, y, int32(n))\n"
      "__global__ void k(const float* x, float* y, int n) {\n"
      "  extern __shared__ float s[];\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i];\n}\n");
  ASSERT_TRUE(draft) << draft.error().what;
  EXPECT_THAT(draft->task.oracle.sources.front().content,
              HasSubstr("k<<<ceil_div(n, 64), 64, 8 * (256)>>>(x_own, y_own"));
}

// Memory of the plan's own holds four doubles for each float, too, and what is
// counted in it stays an integer.
TEST(CudaDraftTest, ScratchGrowsWithTheNumbersItHolds) {
  const auto draft = CudaDrafted(
      "//@ scratch float t[n]\n"
      "//@ scratch int c[n]\n"
      "//@ launch k<<<ceil_div(n, 64), 64>>>(x, t, c, int32(n))\n"
      "//@ launch l<<<ceil_div(n, 64), 64>>>(t, c, y, int32(n))\n"
      "__global__ void k(const float* x, float* t, int* c, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) { t[i] = x[i]; c[i] = i; }\n}\n"
      "__global__ void l(const float* t, const int* c, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = t[i] * c[i];\n}\n");
  ASSERT_TRUE(draft) << draft.error().what;
  const std::string oracle = draft->task.oracle.sources.front().content;
  EXPECT_THAT(oracle, HasSubstr("//@ scratch double t[4 * (n)]\n"));
  EXPECT_THAT(oracle, HasSubstr("//@ scratch int c[n]\n"));
  EXPECT_THAT(draft->task.root.sources.front().content,
              testing::StartsWith("//@ scratch float t[n]\n"));
}

// They are what they are: given back as doubles that may not differ at all.
TEST(CudaDraftTest, IntegersThatAreWrittenHaveNoError) {
  const auto draft = CudaDrafted(
      "//@ launch k<<<ceil_div(n, 64), 64>>>(x, y, int32(n))\n"
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i] + 1;\n}\n");
  ASSERT_TRUE(draft) << draft.error().what;
  const std::string oracle = draft->task.oracle.sources.front().content;
  EXPECT_THAT(oracle, HasSubstr("//@ scratch int y_own[(n)]\n"));
  EXPECT_THAT(oracle, HasSubstr("//@ launch give_int<<<ceil_div(n, 256), 256>>>"
                                "(y_own, y, y_m, n)\n"));
  EXPECT_THAT(oracle, HasSubstr("y_m[i] = 0;"));
  EXPECT_THAT(oracle, HasSubstr("(x, y_own, int32(n))"));
}

TEST(CudaDraftTest, WhatKeepsNumbersNarrowIsNamed) {
  const auto why = [](const std::string& body) {
    const auto source = ReadCudaSource(
        "//@ launch k<<<1, 32>>>(x)\n__global__ void k(float* x) { " + body +
            " }\n",
        "");
    EXPECT_TRUE(source) << source.error().what;
    return source ? WhyNotWide(*source) : "";
  };
  EXPECT_EQ(why("x[0] = sqrtf(x[0]);"), "");
  EXPECT_EQ(why("x[0] = __expf(x[0]);"), "k uses __expf");
  EXPECT_EQ(why("x[0] = __shfl_down_sync(~0u, x[0], 1);"),
            "k uses __shfl_down_sync");
  EXPECT_EQ(why("atomicMax((int*)x, 1);"), "k uses atomicMax");
}

TEST(CudaDraftTest, SizesThatAreGivenAreTaken) {
  Wishes wishes;
  wishes.sizes["n"] = 4096;
  const auto draft = CudaDrafted(kCudaScale, wishes);
  ASSERT_TRUE(draft) << draft.error().what;
  EXPECT_EQ(draft->task.workloads.front().axes.front().second, 4096);
}

// Without sizes they are some megabytes: 8 of an array that counts twice.
TEST(CudaDraftTest, InputsAreSomeMegabytes) {
  const auto draft = CudaDrafted(kCudaScale);
  ASSERT_TRUE(draft) << draft.error().what;
  const double bytes =
      8.0 *
      static_cast<double>(draft->task.workloads.front().axes.front().second);
  EXPECT_GT(bytes, 4e6);
  EXPECT_LT(bytes, 20e6);
}

TEST(CudaDraftTest, SaysWhatTasksOnAGpuCannotHave) {
  const auto complaint = [](const std::string& text) {
    const auto draft = CudaDrafted(text);
    return draft ? "" : draft.error().what;
  };
  const std::string launch =
      "//@ launch k<<<ceil_div(n, 64), 64>>>(y, int32(n))\n";
  const std::string index =
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) ";
  EXPECT_THAT(complaint(launch + "__global__ void k(double* y, int n) {\n" +
                        index + "y[i] = 1;\n}\n"),
              HasSubstr("argument y is of type double; functions in CUDA"));
  EXPECT_THAT(
      complaint(launch + "__global__ void k(float* y, int n) {\n" + index +
                "*reinterpret_cast<float*>(y + i) = y[i];\n}\n"),
      HasSubstr("k uses reinterpret_cast, which cannot be computed"));
  EXPECT_THAT(complaint("//@ launch k<<<n, 2048>>>(y, int32(n))\n"
                        "__global__ void k(float* y, int n) {\n" +
                        index + "y[i] = 1;\n}\n"),
              HasSubstr("a block of 2048"));
}

}  // namespace
}  // namespace coppice::engine::own
