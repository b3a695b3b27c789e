#include "agents/catalogue/cuda/device_source.h"

#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

TEST(DeviceSourceTest, ReadsPlanAndKernels) {
  const auto source = ParseDeviceSource(
      "//@ scratch float h[M * N]\n"
      "//@ launch first<<<(ceil_div(N, 16), min(M, 8)), (16, 4), 64 * 4>>>(x, "
      "h, int32(M * N))\n"
      "//@ launch second<<<M, 128>>>(h, y)\n"
      "#include <cuda_fp16.h>\n"
      "\n"
      "__device__ int Twice(int i) { return 2 * i; }\n"
      "\n"
      "// What it does.\n"
      "// And how.\n"
      "extern \"C\" __global__ void __launch_bounds__(64) first(\n"
      "    const __half* x, float* __restrict__ h, int N) {\n"
      "  h[threadIdx.x] = 0.0f;\n"
      "}\n"
      "extern \"C\" __global__ void second(const float* h, float* y) {}\n");
  ASSERT_TRUE(source) << source.error();
  ASSERT_EQ(source->launches.size(), 2u);
  EXPECT_EQ(Print(source->launches[0]),
            "//@ launch first<<<(ceil_div(N, 16), min(M, 8)), (16, 4), 64 * "
            "4>>>(x, h, int32(M * N))");
  EXPECT_EQ(source->launches[1].grid.size(), 1u);
  EXPECT_EQ(source->launches[1].line, 3);

  const DeviceKernel* first = source->FindKernel("first");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->attributes, "__launch_bounds__(64)");
  ASSERT_EQ(first->params.size(), 3u);
  EXPECT_EQ(first->params[0].Element(), "__half");
  EXPECT_EQ(first->params[1].type, "float* __restrict__");
  EXPECT_EQ(first->first_line, 8);
  EXPECT_EQ(first->signature_line, 10);
  EXPECT_EQ(first->body_line, 11);
  EXPECT_EQ(first->last_line, 13);
  EXPECT_TRUE(source->FindKernel("second")->body.empty());
  EXPECT_EQ(source->FindKernel("Twice"), nullptr);
}

TEST(DeviceSourceTest, OnlyASourceWithALaunchIsForADevice) {
  EXPECT_TRUE(IsDeviceSource(kRelu));
  EXPECT_TRUE(IsDeviceSource("\n" + std::string(kRelu)));
  EXPECT_FALSE(IsDeviceSource("extern \"C\" void run() {}\n"));
  EXPECT_FALSE(IsDeviceSource("  // see //@ launch\n"));
}

TEST(DeviceSourceTest, WhatCannotBeReadIsSaid) {
  const auto error = [](const std::string& text) {
    const auto source = ParseDeviceSource(text);
    return source ? "none" : source.error();
  };
  EXPECT_EQ(error(""), "the source has no launch plan");
  EXPECT_EQ(error("\n//@ launch f<<<1>>>(x)\n"),
            "line 2: a launch that cannot be read");
  EXPECT_EQ(error("//@ launch f<<<1, 1>>>(x\n"),
            "line 1: a launch that cannot be read");
  const std::string launch = "//@ launch f<<<1, 1>>>(x)\n";
  const std::string kernel = "extern \"C\" __global__ void ";
  EXPECT_EQ(error(launch + kernel), "a kernel has no parameter list");
  EXPECT_EQ(error(launch + kernel + "f(widget x) {}"),
            "a parameter of f has an unknown type");
  EXPECT_EQ(error(launch + kernel + "f(int x);"), "f has no body");
  EXPECT_EQ(error(launch + kernel + "f(int x) { if (x) {"),
            "the body of f does not end");
}

TEST(DeviceSourceTest, AKernelLaunchedTwiceHasNoOnlyLaunch) {
  const auto source = ParseDeviceSource(
      "//@ launch f<<<1, 1>>>(x)\n//@ launch f<<<2, 1>>>(x)\n"
      "//@ launch g<<<2, 1>>>(x)\n");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->OnlyLaunch("f"), nullptr);
  EXPECT_EQ(source->OnlyLaunch("g"), &source->launches[2]);
  EXPECT_EQ(source->OnlyLaunch("h"), nullptr);
}

TEST(DeviceSourceTest, AnEditReplacesItsLinesAndNoOthers) {
  const std::string text =
      "//@ launch f<<<N, 32>>>(x)\n"
      "//@ launch g<<<N, 32>>>(x)\n"
      "#include <cuda_fp16.h>\n"
      "\n"
      "// First.\n"
      "extern \"C\" __global__ void f(float* x) { x[0] = 0.0f; }\n"
      "\n"
      "// Second.\n"
      "extern \"C\" __global__ void g(float* x) {\n"
      "  x[1] = 0.0f;\n"
      "}\n";
  const auto source = ParseDeviceSource(text);
  ASSERT_TRUE(source) << source.error();
  DeviceEdit edit;
  edit.launch = source->launches[1];
  edit.launch->block = {Number(64)};
  edit.body = "  x[1] = 1.0f;\n  x[2] = 1.0f;\n";
  edit.helpers = {"// Helps.\n"};
  edit.header = "#include <mma.h>";
  EXPECT_EQ(ApplyEdit(*source, source->kernels[1], edit),
            "//@ launch f<<<N, 32>>>(x)\n"
            "//@ launch g<<<N, 64>>>(x)\n"
            "#include <cuda_fp16.h>\n"
            "#include <mma.h>\n"
            "\n"
            "// Helps.\n"
            "\n"
            "// First.\n"
            "extern \"C\" __global__ void f(float* x) { x[0] = 0.0f; }\n"
            "\n"
            "// Second.\n"
            "extern \"C\" __global__ void g(float* x) {\n"
            "  x[1] = 1.0f;\n"
            "  x[2] = 1.0f;\n"
            "}\n");

  // A kernel on one line is put on several.
  DeviceEdit params;
  params.params = std::vector<Param>{{"float* __restrict__", "x"}};
  const std::string changed = ApplyEdit(*source, source->kernels[0], params);
  EXPECT_NE(
      changed.find("void f(float* __restrict__ x) {\n  x[0] = 0.0f;\n}\n"),
      std::string::npos)
      << changed;

  // From its launch to its end, for a plan to mark.
  EXPECT_EQ(SpanOf(*source, source->kernels[1]), (Lines{2, 11}));
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
