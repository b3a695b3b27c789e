#include "eval/cuda/nsight.h"

#include <gtest/gtest.h>

namespace coppice::eval::cuda {
namespace {

// As ncu 2025.3 prints it, with fewer columns.
constexpr char kOutput[] =
    "==WARNING== Note: Running with unmodified GPU clocks.\n"
    "==PROF== Connected to process 497 (/coppice-cuda-runner)\n"
    "hello, \"world\"\n"
    "\"ID\",\"Process Name\",\"Kernel Name\",\"dram__bytes.sum\","
    "\"lts__t_sector_hit_rate.pct\","
    "\"sm__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"sm__warps_active.avg.pct_of_peak_sustained_active\","
    "\"gpu__time_duration.sum\"\n"
    "\"\",\"\",\"\",\"byte\",\"%\",\"%\",\"%\",\"nsecond\"\n"
    "\"0\",\"k\",\"coppice_empty\",\"1,024\",\"0\",\"1\",\"2\",\"9\"\n"
    "\"1\",\"k\",\"first\",\"107,343,616\",\"50\",\"32.5\",\"71\",\"1,500\"\n"
    "\"2\",\"k\",\"second\",\"1000\",\"10\",\"20\",\"30\",\"4\"\n"
    "\"3\",\"k\",\"first\",\"0\",\"70\",\"37.5\",\"73\",\"500\"\n";

// The two launches of `first` come to: 107343616 bytes; (50 + 70) / 2 = 60 %,
// (32.5 + 37.5) / 2 = 35 %, (71 + 73) / 2 = 72 %; 1500 + 500 = 2000 ns.
TEST(NsightTest, SumsBytesAndAveragesShares) {
  const auto kernels = ParseNsight(kOutput);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "first");
  EXPECT_EQ(kernels[0].calls, 2);
  EXPECT_DOUBLE_EQ(kernels[0].dram_bytes.value(), 107343616.0);
  EXPECT_DOUBLE_EQ(kernels[0].l2_hits.value(), 0.6);
  EXPECT_DOUBLE_EQ(kernels[0].busy.value(), 0.35);
  EXPECT_DOUBLE_EQ(kernels[0].achieved_occupancy.value(), 0.72);
  EXPECT_DOUBLE_EQ(kernels[0].total_s.value(), 2e-6);
  EXPECT_EQ(kernels[1].name, "second");
}

TEST(NsightTest, GoesToTheKernelsOfTheSameName) {
  std::vector<KernelProfile> kernels(2);
  kernels[0].name = "second";
  kernels[0].total_s = 1e-6;
  kernels[1].name = "third";
  AddCounters(ParseNsight(kOutput), kernels);
  EXPECT_EQ(kernels[0].dram_bytes, 1000.0);
  EXPECT_EQ(kernels[0].total_s, 1e-6);
  EXPECT_EQ(kernels[1].dram_bytes, std::nullopt);
}

TEST(NsightTest, WhatIsNoTableIsNothing) {
  for (const char* output :
       {"", "\n", "\"ID\"", "\"ID\",\"Kernel Name\"\n\"0\",\"k",
        "\"0\",\"k\"\n", "==ERROR== ERR_NVGPUCTRPERM\n",
        "\"ID\",\"Kernel Name\"\n\"x\",\"k\"\n",
        "\"ID\",\"Kernel Name\"\n\"1\"\n"}) {
    EXPECT_TRUE(ParseNsight(output).empty()) << output;
  }
}

TEST(NsightTest, ACounterThatIsNoNumberIsNotKnown) {
  const auto kernels = ParseNsight(
      "\"ID\",\"Kernel Name\",\"dram__bytes.sum\"\n"
      "\"0\",\"a \"\"quoted\"\" name\",\"n/a\"\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "a \"quoted\" name");
  EXPECT_EQ(kernels[0].dram_bytes, std::nullopt);
  EXPECT_EQ(kernels[0].busy, std::nullopt);
}

}  // namespace
}  // namespace coppice::eval::cuda
