#include <gtest/gtest.h>

#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

std::string Histogram(const std::string& bin) {
  return "//@ launch count<<<ceil_div(N, 256), 256>>>(x, counts, int32(N))\n"
         "extern \"C\" __global__ void count(const int* x, int* counts, int N) "
         "{\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < N) {\n"
         "    atomicAdd(&counts[" +
         bin +
         "], 1);\n"
         "  }\n"
         "}\n";
}

TEST(SharedBinsTest, CountsInTheBlockFirst) {
  const std::string source = Histogram("x[i] & 63");
  EXPECT_EQ(MadeLines(RewriteText(source, "bins(count, 528)"), source),
            "//@ launch count<<<min(ceil_div(N, 256), 528), 256>>>(x, counts, "
            "int32(N))\n"
            "__shared__ int bins[64];\n"
            "for (int b = threadIdx.x; b < 64; b += blockDim.x) {\n"
            "bins[b] = 0;\n"
            "__syncthreads();\n"
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += "
            "gridDim.x * blockDim.x) {\n"
            "atomicAdd(&bins[x[i] & 63], 1);\n"
            "__syncthreads();\n"
            "for (int b = threadIdx.x; b < 64; b += blockDim.x) {\n"
            "if (bins[b] != 0) {\n"
            "atomicAdd(&counts[b], bins[b]);\n");
}

TEST(SharedBinsTest, HowManyThereAreMustBeKnown) {
  EXPECT_EQ(RewriteText(Histogram("x[i]"), "bins(count, 528)"),
            "refused: bins(count, 528): how many bins there are is not known");
  EXPECT_TRUE(RewriteText(Histogram("x[i] & 65535"), "bins(count, 528)")
                  .starts_with("refused"));
  EXPECT_TRUE(RewriteText(kRelu, "bins(relu, 528)").starts_with("refused"));
}

// What is not to be counted would be.
TEST(SharedBinsTest, AGuardThatAsksMoreIsLeftAlone) {
  std::string source = Histogram("x[i] & 63");
  source.replace(source.find("i < N)"), 6, "i < N && x[i] >= 0)");
  EXPECT_EQ(RewriteText(source, "bins(count, 528)"),
            "refused: bins(count, 528): its threads are not guarded along one "
            "dimension");
}

TEST(SharedBinsTest, OneCountAndNothingElse) {
  const std::string plain = Histogram("x[i] & 63");
  const auto why_not = [](const std::string& source, const char* label) {
    const std::string made = RewriteText(source, label);
    return made.starts_with("refused") ? made.substr(made.rfind("): ") + 3)
                                       : "applies";
  };
  EXPECT_EQ(why_not(plain, "bins(count, 1)"), "applies");
  EXPECT_EQ(why_not(plain, "bins(count, 0)"), "how many blocks?");
  std::string source = plain;
  source.insert(source.find("    atomicAdd"), "    if (x[i] > 0)\n  ");
  EXPECT_EQ(why_not(source, "bins(count, 8)"),
            "it is not one atomicAdd on an array");
  source = plain;
  source.replace(source.find("atomicAdd"), 9, "atomicMax");
  EXPECT_EQ(why_not(source, "bins(count, 8)"),
            "it is not one atomicAdd on an array");
  EXPECT_EQ(why_not(Histogram("x[i] % 10"), "bins(count, 8)"),
            "how many bins there are is not known");
  EXPECT_EQ(why_not(Histogram("x[i] & 8192"), "bins(count, 8)"),
            "how many bins there are is not known");
}

// As many bins as the mask lets through: 0 to 8191.
TEST(SharedBinsTest, TheLastMaskThatFits) {
  EXPECT_NE(RewriteText(Histogram("x[i] & 8191"), "bins(count, 8)")
                .find("__shared__ int bins[8192];"),
            std::string::npos);
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
