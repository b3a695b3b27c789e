#include "agents/catalogue/cuda/geometry.h"

#include <gtest/gtest.h>

#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

std::optional<Guarded> Read(const std::string& body) {
  const auto source = ParseDeviceSource(
      "//@ launch f<<<1, 1>>>(x)\n"
      "extern \"C\" __global__ void f(float* x, int M, int N) {\n" +
      body + "}\n");
  return source ? ReadGuarded(source->kernels[0]) : std::nullopt;
}

constexpr char kI[] = "int i = blockIdx.y * blockDim.y + threadIdx.y;\n";
constexpr char kJ[] = "int j = blockIdx.x * blockDim.x + threadIdx.x;\n";

TEST(GeometryTest, ReadsVariablesBoundsAndWhatStandsBefore) {
  const auto guarded = Read("constexpr int C = 4;\n" + std::string(kI) + kJ +
                            "int h = blockIdx.z;\n"
                            "if (i < M && j < N) { x[i * N + j] = 0.0f; }\n");
  ASSERT_TRUE(guarded);
  ASSERT_EQ(guarded->variables.size(), 2u);
  EXPECT_EQ(guarded->Find('y')->name, "i");
  EXPECT_EQ(Print(guarded->Find('y')->bound), "M");
  EXPECT_EQ(Print(guarded->Find('x')->bound), "N");
  EXPECT_EQ(guarded->Find('z'), nullptr);
  EXPECT_EQ(Print(guarded->prologue),
            "constexpr int C = 4;\nint h = "
            "blockIdx.z;\n");
  EXPECT_EQ(guarded->body.size(), 1u);
}

// Such as j <= i in causal attention: below i's bound, then.
TEST(GeometryTest, AVariableBelowAnotherHasItsBound) {
  const auto guarded =
      Read(std::string(kI) + kJ + "if (i < M && j <= i) { x[j] = 0.0f; }\n");
  ASSERT_TRUE(guarded);
  EXPECT_EQ(Print(guarded->Find('x')->bound), "M");
}

TEST(GeometryTest, LinesAndPlanesAreToldApart) {
  struct Case {
    std::string body;
    bool flat, plane;
  };
  const std::string row = "if (i < M) { x[i] = 0.0f; }\n";
  const std::string column = "if (j < N) { x[j] = 0.0f; }\n";
  for (const auto& [body, flat, plane] : {
           Case{kJ + column, true, false},
           Case{kI + row, false, false},  // Along y.
           Case{std::string(kI) + kJ + "if (i < M && j < N) { x[j] = 0; }\n",
                false, true},
           Case{std::string(kJ) + "if (j < N && N > 3) { x[j] = 0.0f; }\n",
                false, false},
           Case{"x[0] = 0.0f;\n", false, false},
       }) {
    const auto source = ParseDeviceSource(
        "//@ launch f<<<1, 1>>>(x)\n"
        "extern \"C\" __global__ void f(float* x, int M, int N) {\n" +
        body + "}\n");
    ASSERT_TRUE(source) << body;
    EXPECT_EQ(ReadFlat(source->kernels[0]).has_value(), flat) << body;
    EXPECT_EQ(ReadPlane(source->kernels[0]).has_value(), plane) << body;
  }
}

TEST(GeometryTest, OtherKernelsAreNotRead) {
  EXPECT_FALSE(Read(""));
  EXPECT_FALSE(Read(std::string(kI) + "x[i] = 0.0f;\n"));
  EXPECT_FALSE(Read(std::string(kI) + kJ + "if (i < M) { x[j] = 0.0f; }\n"));
  EXPECT_FALSE(Read(std::string(kI) +
                    "if (i < M) { x[i] = 0.0f; } else { x[i] = 1.0f; }\n"));
  EXPECT_FALSE(Read(std::string(kI) + "if (i < M) { while (i) --i; }\n"));
  EXPECT_FALSE(Read("int i = threadIdx.x;\nif (i < M) { x[i] = 0.0f; }\n"));
}

TEST(GeometryTest, AnExtentIsWhatTheGridDividesByTheBlock) {
  const auto launch = [](const std::string& line) {
    return ParseDeviceSource(line + "\n")->launches[0];
  };
  const SourceLaunch plane = launch(
      "//@ launch f<<<(ceil_div(N, 16), ceil_div(2 * M, 4), 3), (16, 4)>>>(x)");
  EXPECT_EQ(Print(*ExtentOf(plane, 'x')), "N");
  EXPECT_EQ(Print(*ExtentOf(plane, 'y')), "2 * M");
  EXPECT_FALSE(ExtentOf(plane, 'z'));
  EXPECT_EQ(ThreadsOf(plane, 'y'), 4);
  EXPECT_EQ(ThreadsOf(plane, 'z'), 1);
  EXPECT_FALSE(
      ExtentOf(launch("//@ launch f<<<ceil_div(N, 64), 32>>>(x)"), 'x'));
  EXPECT_FALSE(ExtentOf(launch("//@ launch f<<<N, 32>>>(x)"), 'x'));
  EXPECT_FALSE(ThreadsOf(launch("//@ launch f<<<1, N>>>(x)"), 'x'));
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
