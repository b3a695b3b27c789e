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
  EXPECT_EQ(why("double d = x[0]; x[0] = d;"), "k uses double");
  EXPECT_EQ(why("x[0] = __ldg(x) * __fdividef(x[0], 2.0f);").substr(0, 7),
            "k uses ");
  EXPECT_EQ(why("x[0] = my_atomic(x[0]) + doubled(x[0]);"), "");
}

// A plan finds a kernel by its C name, whatever its file says of linkage.
TEST(CudaDraftTest, AKernelIsFoundByItsNameHoweverItIsDeclared) {
  for (const char* before :
       {"", "static ", "inline ", "extern \"C\" ", "extern \"C\" static "}) {
    const auto draft = CudaDrafted(before + std::string(kCudaScale));
    ASSERT_TRUE(draft) << draft.error().what;
    for (const Solution* solution : {&draft->task.root, &draft->task.oracle}) {
      EXPECT_THAT(solution->sources.front().content,
                  HasSubstr("\nextern \"C\" __global__ void scale("))
          << before;
    }
  }
}

// The kernel's text in an oracle in double, to which the atomic addition leads.
std::string InDouble(const std::string& body) {
  const auto draft = CudaDrafted(
      "//@ launch k<<<ceil_div(n, 64), 64>>>(x, y, a, int32(n))\n"
      "__device__ float maxf(float v) { return v; }\n"
      "__global__ void k(const float* x, float* y, float a, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) atomicAdd(&y[0], x[i]);\n  " +
      body + "\n}\n");
  if (!draft) return draft.error().what;
  const std::string oracle = draft->task.oracle.sources.front().content;
  const std::size_t from = oracle.find("x[i]);\n  ") + 9;
  return oracle.substr(from, oracle.find("\n}", from) - from);
}

// Those of floats would round what they are given; others, and functions of
// the file's own, keep their names.
TEST(CudaDraftTest, FunctionsOfFloatsAreThoseOfDoublesInAnOracleOfDoubles) {
  const struct {
    const char* text;
    const char* as;
  } cases[] = {
      {"float s = sqrtf(x[0]);", "double s = sqrt(x[0]);"},
      {"y[0] = __expf(a) + expf(a);", "y[0] = exp(a) + exp(a);"},
      {"y[0] = fmaf(a, a, a);", "y[0] = fma(a, a, a);"},
      {"y[0] = rsqrtf(a);", "y[0] = rsqrt(a);"},
      {"y[0] = erff(a) + erf(a);", "y[0] = erf(a) + erf(a);"},
      {"y[0] = asinf(a) + sinhf(a);", "y[0] = asin(a) + sinh(a);"},
      {"y[0] = fmaxf(a, 1.0f);", "y[0] = fmax(a, 1.0f);"},
      {"y[0] = maxf(a) + max(1, 2);", "y[0] = maxf(a) + max(1, 2);"},
      {"y[0] = (float)n;", "y[0] = (double)n;"},
      {"int erff_ = elf;", "int erff_ = elf;"},
  };
  for (const auto& one : cases) EXPECT_EQ(InDouble(one.text), one.as);
}

// A number that is passed by value comes as the plan has it, in 4 bytes.
TEST(CudaDraftTest, WhatIsPassedByValueStaysAsWideAsItWas) {
  const auto oracle = [](const std::string& body) {
    const auto draft = CudaDrafted(
        "__global__ void k(float* y, const float a, float b, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) " +
        body +
        "\n}\n"
        "void f(float* y, float a, float b, int n) {\n"
        "  k<<<(n + 63) / 64, 64>>>(y, a, b, n);\n}\n");
    EXPECT_TRUE(draft) << draft.error().what;
    return draft ? draft->task.oracle.sources.front().content : "";
  };
  EXPECT_THAT(oracle("y[i] = a * b;"),
              HasSubstr("void k(Real_<24>* y, const float a, float b, int n)"));
  EXPECT_THAT(oracle("atomicAdd(&y[i], a * b);"),
              HasSubstr("void k(double* y, const float a, float b, int n)"));
}

// What is read and written in whole numbers of several types is given back by
// one kernel of each.
TEST(CudaDraftTest, WholeNumbersOfEachTypeAreGivenBackByAKernelOfTheirOwn) {
  const auto draft = CudaDrafted(
      "//@ launch k<<<ceil_div(n, 64), 64>>>(a, b, c, int32(n))\n"
      "__global__ void k(int* a, int* b, short* c, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) { a[i] = i; b[i] = i; c[i] += i; }\n}\n");
  ASSERT_TRUE(draft) << draft.error().what;
  const std::string oracle = draft->task.oracle.sources.front().content;
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (std::size_t at = 0; (at = oracle.find(text, at)) != oracle.npos; ++at)
      ++found;
    return found;
  };
  EXPECT_EQ(count("__global__ void give_int("), 1);
  EXPECT_EQ(count("__global__ void give_short("), 1);
  EXPECT_EQ(count("//@ launch give_int<<<"), 2);
  EXPECT_EQ(count("//@ launch take_short<<<ceil_div(n, 256), 256>>>"
                  "(c_before, c_own, n)\n"),
            1);
  EXPECT_EQ(count("take_int<<<"), 0);  // They are written only.
}

TEST(CudaDraftTest, ATypeOfTwoWordsNamesItsKernelsToo) {
  // A plan knows it by the word of the second.
  for (const auto& [type, word] :
       {std::pair{"long long", "int64_t"}, std::pair{"short int", "int16_t"},
        std::pair{"signed char", "int8_t"}, std::pair{"short", "short"}}) {
    const auto draft = CudaDrafted(
        "//@ launch k<<<ceil_div(n, 64), 64>>>(y, int32(n))\n"
        "__global__ void k(" +
        std::string(type) +
        "* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] += 1;\n}\n");
    ASSERT_TRUE(draft) << draft.error().what;
    const std::string oracle = draft->task.oracle.sources.front().content;
    const std::string name = word;
    EXPECT_THAT(oracle, HasSubstr("//@ scratch " + name + " y_own[(n)]\n"));
    EXPECT_THAT(oracle, HasSubstr("//@ launch give_" + name + "<<<"));
    EXPECT_THAT(oracle, HasSubstr("void give_" + name + "(const " + type +
                                  "* from, double* y"));
    EXPECT_THAT(oracle, HasSubstr("void take_" + name + "(const " + type +
                                  "* from, " + type + "* to"));
  }
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
  for (const char* type : {"unsigned", "size_t", "uint64_t", "unsigned char"}) {
    EXPECT_THAT(complaint(launch + "__global__ void k(" + type +
                          "* y, int n) {\n" + index + "y[i] = 1;\n}\n"),
                HasSubstr("functions in CUDA have float, bool, and integers "
                          "with a sign"))
        << type;
  }
  for (const char* use :
       {"float4 v; y[i] = v.x;", "half h; y[i] = h;", "y[i] = __half2float(h);",
        "memcpy(y, y, 4);", "asm(\"nop;\"); y[i] = 1;"}) {
    EXPECT_THAT(complaint(launch + "__global__ void k(float* y, int n) {\n" +
                          index + "y[i] = 1;\n  " + use + "\n}\n"),
                HasSubstr("which cannot be computed in a wider type; such a "
                          "task is written as a folder"))
        << use;
  }
}

}  // namespace
}  // namespace coppice::engine::own
