#include "engine/own/cuda_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/own/source_reader.h"

namespace coppice::engine::own {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSoftmaxRows = R"(
#include <cmath>
#include <vector>
constexpr int kThreads = 128;
__global__ void row_max(const float* x, float* y, int R, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= R) return;
  float most = x[i * C];
  for (int j = 1; j < C; ++j) most = fmaxf(most, x[i * C + j]);
  y[i] = most;
}

void launch(const float* x, float* y, int rows, int cols) {
  dim3 block(kThreads);
  const int blocks = (rows + kThreads - 1) / kThreads;
  row_max<<<blocks, block>>>(x, y, rows, cols);
  cudaDeviceSynchronize();
}
int main() { std::vector<float> v; }
)";

std::vector<std::string> Plan(const CudaSource& source) {
  std::vector<std::string> lines;
  for (const auto& launch : source.launches) lines.push_back(Print(launch));
  return lines;
}

std::string ComplaintOf(const std::string& text, const std::string& name = "") {
  const auto source = ReadCudaSource(text, name);
  return source ? "" : source.error().what;
}

Reading ReadingOf(const std::string& text) {
  const auto source = ReadCudaSource(text, "");
  EXPECT_TRUE(source) << source.error().what;
  if (!source) return {};
  const auto reading = Read(source->as_function, {});
  EXPECT_TRUE(reading) << reading.error().what;
  return reading.value_or(Reading{});
}

// Sizes are what their names stand for; what is of the host is left out.
TEST(CudaSourceTest, AHostFunctionIsItsLaunches) {
  const auto source = ReadCudaSource(kSoftmaxRows, "");
  ASSERT_TRUE(source) << source.error().what;
  EXPECT_THAT(Plan(*source),
              ElementsAre("//@ launch row_max<<<(rows + 128 - 1) / 128, 128>>>"
                          "(x, y, int32(rows), int32(cols))"));
  ASSERT_EQ(source->pieces.size(), 3u);
  EXPECT_EQ(source->pieces[2].name, "row_max");
}

// Where a thread was there is a loop, up to what it is compared with.
TEST(CudaSourceTest, ThreadsAreLoopsOfAFunction) {
  const Reading reading = ReadingOf(kSoftmaxRows);
  EXPECT_EQ(reading.name, "row_max");
  ASSERT_EQ(reading.arguments.size(), 4u);
  EXPECT_THAT(reading.arguments[0].shape, ElementsAre("rows", "cols"));
  EXPECT_THAT(reading.arguments[1].shape, ElementsAre("rows"));
  EXPECT_EQ(reading.arguments[1].part, ArgumentRole::kResult);
  EXPECT_EQ(reading.arguments[2].part, ArgumentRole::kSize);
}

TEST(CudaSourceTest, AGuardInFrontOfTheRestBoundsTwoVariables) {
  const Reading reading = ReadingOf(
      "//@ launch add<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>"
      "(x, y, int32(M), int32(N))\n"
      "extern \"C\" __global__ void add(const float* a, float* b, int m, int n)"
      " {\n"
      "  int j = threadIdx.x + blockIdx.x * blockDim.x;\n"
      "  int i = threadIdx.y + blockIdx.y * blockDim.y;\n"
      "  if (i < m && j < n) b[i * n + j] += a[i * n + j];\n}\n");
  ASSERT_EQ(reading.arguments.size(), 4u);
  EXPECT_THAT(reading.arguments[0].shape, ElementsAre("M", "N"));
  EXPECT_EQ(reading.arguments[1].part, ArgumentRole::kInPlace);
}

// A block for each row, whose threads go over it.
TEST(CudaSourceTest, BlocksAreLoopsOverTheGrid) {
  const Reading reading = ReadingOf(
      "//@ launch scale<<<R, 64>>>(x, y, int32(C))\n"
      "__global__ void scale(const float* x, float* y, int C) {\n"
      "  int row = blockIdx.x;\n"
      "  for (int j = threadIdx.x; j < C; j += blockDim.x)\n"
      "    y[row * C + j] = 2 * x[row * C + j];\n}\n");
  ASSERT_EQ(reading.arguments.size(), 4u);  // And R, of the grid.
  EXPECT_THAT(reading.arguments[0].shape, ElementsAre("R", "C"));
}

TEST(CudaSourceTest, ScratchIsNoArgument) {
  const Reading reading = ReadingOf(
      "//@ scratch float t[n]\n"
      "//@ launch f<<<ceil_div(n, 64), 64>>>(x, t, int32(n))\n"
      "//@ launch f<<<ceil_div(n, 64), 64>>>(t, y, int32(n))\n"
      "__global__ void f(const float* a, float* b, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) b[i] = a[i];\n}\n");
  ASSERT_EQ(reading.arguments.size(), 3u);
  EXPECT_EQ(reading.arguments[0].name, "x");
  EXPECT_EQ(reading.arguments[2].name, "y");
}

// An atomic addition reads and writes what it adds to.
TEST(CudaSourceTest, WhatIsAddedToIsUpdated) {
  const Reading reading = ReadingOf(
      "//@ launch sum<<<ceil_div(n, 64), 64>>>(x, y, int32(n), int32(b))\n"
      "__global__ void sum(const float* x, float* y, int n, int b) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n"
      "  atomicAdd(&y[i], x[i]);\n}\n");
  ASSERT_EQ(reading.arguments.size(), 4u);
  EXPECT_EQ(reading.arguments[1].part, ArgumentRole::kInPlace);
  EXPECT_THAT(reading.arguments[1].shape, ElementsAre("n"));
  EXPECT_EQ(reading.arguments[3].part, ArgumentRole::kNumber);
}

// However the place of a thread is written, and whatever guards it.
TEST(CudaSourceTest, AThreadIsKnownByItsPlace) {
  for (const char* body :
       {"int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) y[i] = x[i];",
        "int i = threadIdx.x + blockDim.x * blockIdx.x;\n"
        "  if (i >= n) { return; }\n  y[i] = x[i];",
        "const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) { y[i] = x[i]; }"}) {
    const Reading reading = ReadingOf(
        "//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, int32(n))\n"
        "__global__ void k(const float* x, float* y, int n) {\n  " +
        std::string(body) + "\n}\n");
    ASSERT_EQ(reading.arguments.size(), 3u) << body;
    EXPECT_THAT(reading.arguments[0].shape, ElementsAre("n")) << body;
    EXPECT_EQ(reading.arguments[1].part, ArgumentRole::kResult) << body;
  }
}

// However many threads there are, each goes on to what is left.
TEST(CudaSourceTest, AGridMayStrideOverItsArray) {
  for (const char* head :
       {"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"
        "       i += gridDim.x * blockDim.x)",
        "for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * 64)",
        "int first = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  for (int i = first; i < n; i += gridDim.x * blockDim.x)"}) {
    const Reading reading = ReadingOf(
        "//@ launch k<<<64, 256>>>(x, y, int32(n))\n"
        "__global__ void k(const float* x, float* y, int n) {\n  " +
        std::string(head) + " y[i] = x[i];\n}\n");
    ASSERT_EQ(reading.arguments.size(), 3u) << head;
    EXPECT_THAT(reading.arguments[0].shape, ElementsAre("n")) << head;
    EXPECT_THAT(reading.arguments[1].shape, ElementsAre("n")) << head;
    EXPECT_EQ(reading.arguments[1].part, ArgumentRole::kResult) << head;
  }
}

// Each variable is bounded by what it is compared with, in whatever order.
TEST(CudaSourceTest, AReturnBoundsAllThatItCompares) {
  for (const char* guard :
       {"if (i >= m || j >= n) return;", "if (j >= n || i >= m) { return; }",
        "if (i >= m) return;\n  if (j >= n) return;",
        "if (!(i < m && j < n)) return;"}) {
    const Reading reading = ReadingOf(
        "//@ launch k<<<(ceil_div(n, 16), ceil_div(m, 16)), (16, 16)>>>"
        "(x, y, int32(m), int32(n))\n"
        "__global__ void k(const float* x, float* y, int m, int n) {\n"
        "  int j = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  int i = blockIdx.y * blockDim.y + threadIdx.y;\n  " +
        std::string(guard) + "\n  y[i * n + j] = x[i * n + j];\n}\n");
    ASSERT_EQ(reading.arguments.size(), 4u) << guard;
    EXPECT_THAT(reading.arguments[1].shape, ElementsAre("m", "n")) << guard;
  }
}

// A kernel without a guard is for sizes that it does not tell.
TEST(CudaSourceTest, AThreadThatNothingBoundsTellsNoSize) {
  const auto source = ReadCudaSource(
      "//@ launch k<<<n / 256, 256>>>(x, y)\n"
      "__global__ void k(const float* x, float* y) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  y[i] = x[i];\n}\n",
      "");
  ASSERT_TRUE(source) << source.error().what;
  const auto reading = Read(source->as_function, {});
  ASSERT_FALSE(reading);
  EXPECT_THAT(reading.error().what, HasSubstr("the size of x cannot be read"));
  Wishes wishes;
  wishes.shapes["x"] = {"n"};
  wishes.shapes["y"] = {"n"};
  EXPECT_TRUE(Read(source->as_function, wishes));
}

// `a + 1` is no name, so the kernel's own stands for it, in brackets.
TEST(CudaSourceTest, ANumberOfALaunchIsReadAsItIsWritten) {
  const Reading reading = ReadingOf(
      "//@ launch k<<<ceil_div(n, 64), 64>>>(x, y, int32(n + 1))\n"
      "__global__ void k(const float* x, float* y, int size) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < size) y[i] = x[i] * size;\n}\n");
  ASSERT_EQ(reading.arguments.size(), 3u);
  EXPECT_EQ(reading.arguments[2].name, "n");
  EXPECT_THAT(reading.arguments[1].shape, ElementsAre("n_plus_1"));
}

// Whoever writes it in any of its launches has it not const.
TEST(CudaSourceTest, AnArrayThatOneKernelReadsAndAnotherWritesIsUpdated) {
  const Reading reading = ReadingOf(
      "//@ launch a<<<ceil_div(n, 64), 64>>>(x, y, int32(n))\n"
      "//@ launch b<<<ceil_div(n, 64), 64>>>(x, int32(n))\n"
      "__global__ void a(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = in[i];\n}\n"
      "__global__ void b(float* v, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) v[i] = 0;\n}\n");
  ASSERT_EQ(reading.arguments.size(), 3u);
  EXPECT_EQ(reading.arguments[0].part, ArgumentRole::kInPlace);
  EXPECT_EQ(reading.arguments[1].part, ArgumentRole::kResult);
}

// What a kernel may not be called with is said of the kernel's own argument.
TEST(CudaSourceTest, AnArgumentOfAKernelThatNoTaskHasIsNamed) {
  EXPECT_THAT(ComplaintOf("//@ launch k<<<1, 1>>>(x)\n"
                          "__global__ void k(float** rows) { rows[0][0] = 1; }"
                          "\n"),
              HasSubstr("k: argument rows is a pointer to pointers"));
}

// The second kernel reads what the first has written.
TEST(CudaSourceTest, KernelsFollowEachOtherInOneFunction) {
  const Reading reading = ReadingOf(
      "//@ launch a<<<ceil_div(n, 64), 64>>>(x, y, int32(n))\n"
      "//@ launch b<<<ceil_div(n, 64), 64>>>(y, z, int32(n))\n"
      "__global__ void a(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = in[i];\n}\n"
      "__global__ void b(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = 2 * in[i];\n}\n");
  ASSERT_EQ(reading.arguments.size(), 4u);
  EXPECT_EQ(reading.arguments[0].part, ArgumentRole::kInput);
  EXPECT_EQ(reading.arguments[1].name, "y");
  EXPECT_EQ(reading.arguments[1].part, ArgumentRole::kResult);
  EXPECT_EQ(reading.arguments[3].name, "z");
  EXPECT_EQ(reading.arguments[3].part, ArgumentRole::kResult);
}

// A name of its own for a block is the block.
TEST(CudaSourceTest, AliasesOfBlocksAreLoopsToo) {
  const Reading reading = ReadingOf(
      "//@ launch add<<<(C, R), 32>>>(x, y, int32(C))\n"
      "__global__ void add(const float* x, float* y, int C) {\n"
      "  const int col = blockIdx.x;\n  const int row = blockIdx.y;\n"
      "  y[row * C + col] = x[row * C + col];\n}\n");
  EXPECT_THAT(reading.arguments[1].shape, ElementsAre("R", "C"));
  EXPECT_EQ(reading.arguments[1].part, ArgumentRole::kResult);
}

TEST(CudaSourceTest, LaunchBoundsAreLeftOutAndDeviceCodeStays) {
  const auto source = ReadCudaSource(
      "#include <vector>\n#include <cuda_fp16.h>\n"
      "__device__ float twice(float v) { return 2 * v; }\n"
      "static void host() {}\n"
      "//@ launch k<<<1, 32>>>(x)\n"
      "__global__ void __launch_bounds__(32) k(float* x) {\n"
      "  x[0] = twice(x[0]);\n}\n",
      "");
  ASSERT_TRUE(source) << source.error().what;
  std::vector<std::string> names;
  for (const Piece& piece : source->pieces) names.push_back(piece.name);
  EXPECT_THAT(names, ElementsAre("", "twice", "k"));
  EXPECT_THAT(source->pieces[0].text, HasSubstr("cuda_fp16"));
}

TEST(CudaSourceTest, APlanThatCannotBeReadIsSaid) {
  const std::string kernel = "__global__ void k(float* x) { x[0] = 1; }\n";
  EXPECT_THAT(ComplaintOf("//@ launch k<<<1\n" + kernel),
              testing::StartsWith("the plan: "));
  EXPECT_EQ(ComplaintOf("//@ launch j<<<1, 1>>>(x)\n" + kernel),
            "j: is launched, and no kernel of the file");
  EXPECT_EQ(ComplaintOf("//@ launch t<<<1, 1>>>(x)\n"
                        "template <class T> __global__ void t(T* x) {}\n"),
            "t: is a template");
}

TEST(CudaSourceTest, SaysWhichLineALauncherHasTooMuch) {
  const std::string kernel =
      "__global__ void k(float* x, int n) { x[0] = n; }\n";
  EXPECT_EQ(ComplaintOf("void f() {}"), "no kernel (__global__) is in it");
  EXPECT_THAT(ComplaintOf(kernel), HasSubstr("k: nothing launches it; add"));
  EXPECT_THAT(
      ComplaintOf(kernel + "void f(float* x, int n) {\n  float* t;\n"
                           "  cudaMalloc(&t, n);\n  k<<<1, 1>>>(t, n);\n}"),
      testing::StartsWith("3: float* t: a launcher"));
  EXPECT_THAT(ComplaintOf(kernel + "void f(float* x) { k<<<1, 1>>>(x); }"),
              HasSubstr("launched with 1 arguments, and takes 2"));
  EXPECT_THAT(
      ComplaintOf(kernel + "void f(float* x) { k<<<1, 1>>>(x + 1, 2); }"),
      HasSubstr("for the array x; a plan names whole arrays"));
  EXPECT_THAT(ComplaintOf(kernel + "void f(float* x) { k<<<1, 1>>>(x, 1); }\n"
                                   "void g(float* x) { k<<<1, 1>>>(x, 1); }"),
              HasSubstr("say which one with --function: f, g"));
  EXPECT_EQ(ComplaintOf(kernel + "void f(float* x) { k<<<1, 1>>>(x, 1); }\n"
                                 "void g(float* x) { k<<<1, 1>>>(x, 1); }",
                        "g"),
            "");
}

}  // namespace
}  // namespace coppice::engine::own
