#include "eval/cuda/nsight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

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

// A launch without an access has no share of hits; that of the others is
// theirs.
TEST(NsightTest, AShareIsTheMeanOfTheLaunchesThatTellIt) {
  const auto kernels = ParseNsight(
      "\"ID\",\"Kernel Name\",\"lts__t_sector_hit_rate.pct\","
      "\"dram__bytes.sum\"\n"
      "\"0\",\"k\",\"40\",\"8\"\n"
      "\"1\",\"k\",\"n/a\",\"8\"\n"
      "\"2\",\"k\",\"60\",\"n/a\"\n"
      "\"3\",\"k\",\"nan\",\"inf\"\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].calls, 4);
  EXPECT_DOUBLE_EQ(kernels[0].l2_hits.value(), 0.5);
  EXPECT_EQ(kernels[0].dram_bytes, 16.0);
  EXPECT_EQ(kernels[0].busy, std::nullopt);
}

TEST(NsightTest, ColumnsMayComeInAnyOrderAndLinesEndAsInWindows) {
  const auto kernels = ParseNsight(
      "\"ID\",\"dram__bytes.sum\",\"Kernel Name\"\r\n"
      "\"0\",\"1,234,567\",\"k, <int, 4>\"\r\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "k, <int, 4>");
  EXPECT_EQ(kernels[0].dram_bytes, 1234567.0);
}

// A candidate prints what it likes: a header of its own only changes how its
// own lines are read, and a thousand launches are the most.
TEST(NsightTest, WhatACandidatePrintsIsBounded) {
  std::string output = "\"ID\",\"Kernel Name\"\n";
  for (int i = 0; i < 1200; ++i) {
    output += "\"" + std::to_string(i) + "\",\"k\"\n";
  }
  EXPECT_EQ(ParseNsight(output).front().calls, 1000);
  EXPECT_TRUE(ParseNsight("\"ID\"\n\"0\",\"k\"\n").empty());
  EXPECT_TRUE(ParseNsight("\"ID\",\"Kernel Name\"\n\"0\",\"k\" \n").empty());
  EXPECT_TRUE(ParseNsight("\"ID\",\"Kernel Name\"\n\"0\",\"\"\n").empty());
}

TEST(NsightTest, WithoutKernelsItSaysWhatItComplainsOf) {
  const auto note = [](const char* output) { return CountedIn(output).note; };
  EXPECT_EQ(note(""), "Nsight Compute counts nothing here: it says nothing.");
  EXPECT_EQ(note("hello\n==WARNING== No kernels were profiled.\n"),
            "Nsight Compute counts nothing here: No kernels were profiled.");
  EXPECT_EQ(note("==WARNING== a\n==ERROR== ERR_NVGPUCTRPERM ...\nmore\n"),
            "Nsight Compute counts nothing here: ERR_NVGPUCTRPERM .");
  EXPECT_EQ(note(kOutput), "");
  EXPECT_EQ(CountedIn(kOutput).kernels.size(), 2u);
}

TEST(NsightTest, ItsCommandPrintsWhatIsRead) {
  const std::vector<std::string> command = NsightCommand("/opt/ncu");
  EXPECT_EQ(command.front(), "/opt/ncu");
  for (const char* word : {"--csv", "raw", "base", "mangled"}) {
    EXPECT_NE(std::ranges::find(command, word), command.end()) << word;
  }
  for (const char* metric :
       {"dram__bytes.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "lts__t_sector_hit_rate.pct", "gpu__time_duration.sum"}) {
    EXPECT_NE(command.back().find(metric), std::string::npos) << metric;
  }
}

class FindNsightTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "nsight-XXXXXX";
    toolkit_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(toolkit_); }

  // What an installation has, or a part of it.
  void Install(const std::string& folder,
               const std::vector<std::string>& files) {
    std::filesystem::create_directories(toolkit_ / folder);
    for (const std::string& file : files) {
      std::ofstream(toolkit_ / folder / file) << "x";
    }
  }

  std::filesystem::path toolkit_;
};

TEST_F(FindNsightTest, IsTheLatestThatIsWhole) {
  const std::vector<std::string> whole = {"ncu", "libcuda-injection.so"};
  Install("2024.3.2/target/linux-desktop-glibc_2_11_3-x64", whole);
  Install("2025.1.1/target/linux-desktop-glibc_2_11_3-x64", whole);
  Install("2025.2.0/target/linux-desktop-glibc_2_11_3-x64", {"ncu"});
  Install("2025.3.0/target/linux-desktop-t210-a64", whole);
  const auto found = FindNsight(toolkit_);
  EXPECT_EQ(found,
            toolkit_ / "2025.1.1/target/linux-desktop-glibc_2_11_3-x64/ncu");
  EXPECT_EQ(NsightFolder(found), toolkit_ / "2025.1.1");
}

}  // namespace
}  // namespace coppice::eval::cuda
