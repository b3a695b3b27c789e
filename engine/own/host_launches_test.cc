#include "engine/own/host_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace coppice::engine::own {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr const char* kKernels =
    "__global__ void k(float* x, int n) { x[0] = n; }\n"
    "__global__ void w(float* x, float a, size_t n) { x[0] = a * n; }\n";

Result<std::vector<std::string>> LaunchesOf(const std::string& text,
                                            const std::string& name = "") {
  const std::string whole = kKernels + text;
  return HostLaunches(whole, CutSource(whole), name);
}

// The lines that a function `f` with this body comes to.
std::vector<std::string> LinesOfBody(const std::string& body,
                                     const std::string& before = "") {
  const auto lines =
      LaunchesOf(before + "void f(float* x, int n) { " + body + " }");
  EXPECT_TRUE(lines) << lines.error().what;
  return lines.value_or(std::vector<std::string>{});
}

std::string LauncherComplaint(const std::string& body) {
  const auto lines = LaunchesOf("void f(float* x, int n) {\n" + body + "\n}");
  EXPECT_FALSE(lines) << body;
  if (lines) return "";
  EXPECT_EQ(lines.error().code, Errc::kUsage);
  return lines.error().what;
}

TEST(HostLaunchesTest, ALaunchIsALineWithItsIntegersCast) {
  EXPECT_THAT(LinesOfBody("k<<<(n + 255) / 256, 256>>>(x, n);"),
              ElementsAre("//@ launch k<<<(n + 255) / 256, 256>>>"
                          "(x, int32(n))"));
}

// Floats are passed as they are, and so are integers of 64 bits.
TEST(HostLaunchesTest, OnlyIntegersOf32BitsAreCast) {
  EXPECT_THAT(LinesOfBody("w<<<1, 32>>>(x, 0.5f, n);"),
              ElementsAre("//@ launch w<<<1, 32>>>(x, 0.5f, n)"));
}

TEST(HostLaunchesTest, NamesAreWhatTheyStandFor) {
  EXPECT_THAT(LinesOfBody("const int b = (n + B - 1) / B; k<<<b, B>>>(x, n);",
                          "#define B 128\n"),
              ElementsAre("//@ launch k<<<(n + 128 - 1) / 128, 128>>>"
                          "(x, int32(n))"));
  EXPECT_THAT(LinesOfBody("k<<<n / T, T>>>(x, n);", "constexpr int T = 64;\n"),
              ElementsAre("//@ launch k<<<n / 64, 64>>>(x, int32(n))"));
}

TEST(HostLaunchesTest, DimensionsMayBeSaidInAnyWay) {
  for (const char* body :
       {"dim3 g(n, 2); dim3 b(8, 4); k<<<g, b>>>(x, n);",
        "dim3 g(n, 2), b(8, 4); k<<<g, b>>>(x, n);",
        "const dim3 g = dim3(n, 2); auto b = dim3{8, 4}; k<<<g, b>>>(x, n);",
        "k<<<dim3(n, 2), dim3(8, 4)>>>(x, n);"}) {
    EXPECT_THAT(LinesOfBody(body),
                ElementsAre("//@ launch k<<<(n, 2), (8, 4)>>>"
                            "(x, int32(n))"))
        << body;
  }
}

// A size that is a name stands for what that was said to be, however often.
TEST(HostLaunchesTest, NamesStandForNamesThatStandForNumbers) {
  const struct {
    const char* body;
    const char* grid;
  } cases[] = {
      {"int a = n; int b = a; k<<<b, 64>>>(x, n);", "n, 64"},
      {"int a = n + 1; int b = a / 2; k<<<b, 64>>>(x, n);", "(n + 1) / 2, 64"},
      {"dim3 g(n); k<<<g, 64>>>(x, n);", "n, 64"},
      {"const  int  a  =  n ; k<<<a, 64>>>(x, n);", "n, 64"},
      {"dim3 g{n, 2, 3}; k<<<g, 64>>>(x, n);", "(n, 2, 3), 64"},
      {"int t = 64; dim3 b(t, 2); k<<<n, b>>>(x, n);", "n, (64, 2)"},
      {"int a = a; k<<<n, 64>>>(x, n);", "n, 64"},
      {"k<<<(unsigned)n, 8 * 8u>>>(x, n);", "n, 8 * 8"},
      {"k<<<n, 64, 0, 0>>>(x, n);", "n, 64"},
      {"int s = 4; k<<<n, 64, s * 64>>>(x, n);", "n, 64, 4 * 64"},
  };
  for (const auto& one : cases) {
    EXPECT_THAT(LinesOfBody(one.body),
                ElementsAre("//@ launch k<<<" + std::string(one.grid) +
                            ">>>(x, int32(n))"))
        << one.body;
  }
}

// What a name stands for is never asked for: it may stand for itself.
TEST(HostLaunchesTest, NamesThatStandForEachOtherEnd) {
  const auto lines = LinesOfBody("int a = b; int b = a; k<<<a, 64>>>(x, n);");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], StartsWith("//@ launch k<<<"));
}

// Sizes of the file count, but no text and no number with a point.
TEST(HostLaunchesTest, OnlyWholeNumbersOfTheFileAreConstants) {
  const auto grid = [](const std::string& before) {
    const auto lines = LinesOfBody("k<<<B, 64>>>(x, n);", before);
    return lines.empty() ? "" : lines[0].substr(0, lines[0].find(','));
  };
  EXPECT_EQ(grid("#define B 128\n"), "//@ launch k<<<128");
  EXPECT_EQ(grid("const int B = 128;\n"), "//@ launch k<<<128");
  EXPECT_EQ(grid("static constexpr unsigned B = 2 * 64;\n"),
            "//@ launch k<<<2 * 64");
  EXPECT_EQ(grid("#define B(x) 128\n"), "//@ launch k<<<B");
  EXPECT_EQ(grid("#define B \"128\"\n"), "//@ launch k<<<B");
  EXPECT_EQ(grid("int B = 128;\n"), "//@ launch k<<<B");  // It may change.
}

TEST(HostLaunchesTest, SharedMemoryIsNamedUnlessThereIsNone) {
  EXPECT_THAT(LinesOfBody("k<<<n, 64, 4 * 64>>>(x, n);"),
              ElementsAre("//@ launch k<<<n, 64, 4 * 64>>>(x, int32(n))"));
  EXPECT_THAT(LinesOfBody("k<<<n, 64, 0>>>(x, n);"),
              ElementsAre("//@ launch k<<<n, 64>>>(x, int32(n))"));
}

TEST(HostLaunchesTest, CastsSuffixesAndNamespacesAreLeftOut) {
  EXPECT_THAT(
      LinesOfBody("k<<<static_cast<unsigned>(n) / 256u, std::min(256, 64)>>>"
                  "(x, (int)n);"),
      ElementsAre("//@ launch k<<<(n) / 256, min(256, 64)>>>(x, int32(n))"));
}

TEST(HostLaunchesTest, LaunchesStayInTheirOrderAndWaitingIsNothing) {
  EXPECT_THAT(
      LinesOfBody("k<<<1, 1>>>(x, n);  // First; then\n"
                  "cudaDeviceSynchronize();\n"
                  "w<<<1, 1>>>(x, 2.0f, n); return;"),
      ElementsAre(StartsWith("//@ launch k"), StartsWith("//@ launch w")));
}

// The kernels take two lines, and the function's head one.
TEST(HostLaunchesTest, WhatIsNoLaunchIsRefusedWithItsLine) {
  EXPECT_THAT(LauncherComplaint("  cudaMemset(x, 0, n);\n  k<<<1, 1>>>(x, n);"),
              StartsWith("4: cudaMemset(x, 0, n): a launcher that becomes a "
                         "task does nothing but launch"));
  EXPECT_THAT(LauncherComplaint("  k<<<1>>>(x, n);"),
              StartsWith("4: k<<<1>>>(x, n): has no grid and block"));
  EXPECT_THAT(LauncherComplaint("  k<<<1, 1>>>;"),
              StartsWith("4: k<<<1, 1>>>: is no plain launch"));
  EXPECT_THAT(LauncherComplaint("  j<<<1, 1>>>(x);"),
              testing::HasSubstr("j: is no kernel of the file"));
}

TEST(HostLaunchesTest, OfSeveralLaunchersOneIsNamed) {
  const std::string two =
      "void f(float* x, int n) { k<<<1, 1>>>(x, n); }\n"
      "void g(float* x, int n) { k<<<2, 2>>>(x, n); }\n";
  EXPECT_EQ(LaunchesOf(two).error().what,
            "has several functions that launch; say which one with "
            "--function: f, g");
  EXPECT_THAT(*LaunchesOf(two, "g"),
              ElementsAre("//@ launch k<<<2, 2>>>(x, int32(n))"));
  EXPECT_THAT(LaunchesOf("").error().what,
              StartsWith("w: nothing launches it; add a host function"));
}

}  // namespace
}  // namespace coppice::engine::own
