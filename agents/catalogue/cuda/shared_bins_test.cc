#include "agents/catalogue/cuda/shared_bins.h"

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

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
