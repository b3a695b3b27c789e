#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

TEST(PackElementsTest, GroupsAreLoadedTogetherAndTheRestOneByOne) {
  EXPECT_EQ(
      MadeLines(RewriteText(kRelu, "vector(relu, 4)"), kRelu),
      "//@ launch relu<<<ceil_div(N, 1024), 256>>>(x, y, int32(N))\n"
      "// Neighbouring elements, loaded and stored together.\n"
      "template <class T, int kCount>\n"
      "struct alignas(sizeof(T) * kCount) Pack {\n"
      "T v[kCount];\n"
      "};\n"
      "int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;\n"
      "if (first + 3 < N) {\n"
      "Pack<float, 4> x_pack = *reinterpret_cast<const Pack<float, 4>*>(x + "
      "first);\n"
      "Pack<float, 4> y_pack;\n"
      "#pragma unroll\n"
      "for (int e = 0; e < 4; ++e) {\n"
      "y_pack.v[e] = fmaxf(x_pack.v[e], 0.0f);\n"
      "*reinterpret_cast<Pack<float, 4>*>(y + first) = y_pack;\n"
      "} else {\n"
      "for (int i = first; i < N; ++i) {\n"
      "y[i] = fmaxf(x[i], 0.0f);\n");
}

TEST(PackElementsTest, ElementsOfTwoBytesGoEightAtATime) {
  std::string half = kRelu;
  half.replace(half.find("const float* x, float* y"), 24,
               "const __half* x, __half* y");
  half.replace(half.find("fmaxf(x[i], 0.0f)"), 17, "__hmax(x[i], x[i])");
  const std::string made = RewriteText(half, "vector(relu, 8)");
  EXPECT_NE(made.find("Pack<__half, 8> x_pack"), std::string::npos) << made;
  EXPECT_EQ(RewriteText(kRelu, "vector(relu, 8)"),
            "refused: vector(relu, 8): more than 16 bytes");
}

TEST(PackElementsTest, AnArrayUsedElsewhereIsLeftAlone) {
  for (const char* statement :
       {"y[i] = x[i + 1]", "y[i] = x[0]", "atomicAdd(&y[i], 1.0f)"}) {
    std::string source = kRelu;
    source.replace(source.find("y[i] = fmaxf(x[i], 0.0f)"), 24, statement);
    EXPECT_EQ(RewriteText(source, "vector(relu, 4)"),
              "refused: vector(relu, 4): an array is used at another index too")
        << statement;
  }
}

// What is read before it is written must be loaded.
TEST(PackElementsTest, AnArrayUpdatedInPlaceIsLoadedAndStored) {
  std::string source = kRelu;
  source.replace(source.find("y[i] = fmaxf(x[i], 0.0f)"), 24, "y[i] += x[i]");
  const std::string made = RewriteText(source, "vector(relu, 4)");
  EXPECT_NE(made.find("Pack<float, 4> y_pack = *reinterpret_cast"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("(y + first) = y_pack;"), std::string::npos) << made;
}

// A group stores all its elements: those that are left out keep what they had.
TEST(PackElementsTest, AStoreUnderAConditionLoadsFirst) {
  std::string source = kRelu;
  source.replace(source.find("    y[i] = fmaxf(x[i], 0.0f);\n"), 30,
                 "    if (x[i] > 0.0f) {\n      y[i] = x[i];\n    }\n");
  const std::string made = RewriteText(source, "vector(relu, 4)");
  EXPECT_NE(made.find("Pack<float, 4> y_pack = *reinterpret_cast"),
            std::string::npos)
      << made;
}

// What more the guard asks would be asked of nobody.
TEST(PackElementsTest, AGuardThatAsksMoreIsLeftAlone) {
  std::string source = kRelu;
  source.replace(source.find("i < N)"), 6, "i < N && i != 7)");
  EXPECT_EQ(RewriteText(source, "vector(relu, 4)"),
            "refused: vector(relu, 4): its threads are not guarded along one "
            "dimension");
}

TEST(PackElementsTest, RefusesWithAReason) {
  const auto why_not = [](const std::string& source, const char* label) {
    const std::string made = RewriteText(source, label);
    return made.starts_with("refused") ? made.substr(made.rfind("): ") + 3)
                                       : "applies";
  };
  EXPECT_EQ(why_not(kRelu, "vector(relu, 3)"), "a group is of 2, 4 or 8");
  EXPECT_EQ(why_not(kRelu, "vector(relu, 1)"), "a group is of 2, 4 or 8");
  EXPECT_EQ(why_not(kGemm, "vector(gemm, 4)"),
            "its threads are not guarded along one dimension");
  std::string source = kRelu;
  source.replace(source.find("    y[i] = fmaxf(x[i], 0.0f);\n"), 30,
                 "    for (int k = 0; k < 3; ++k) {\n      y[i] = x[i];\n"
                 "    }\n");
  EXPECT_EQ(why_not(source, "vector(relu, 4)"),
            "an array is used at another index too");
  source = kRelu;
  source.replace(source.find("ceil_div(N, 256)"), 16, "4");
  EXPECT_EQ(why_not(source, "vector(relu, 4)"),
            "its grid does not follow from its block");
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
