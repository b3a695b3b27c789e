#include "eval/cpu/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "eval/cpu/bench_fixture.h"
#include "eval/cpu/data_set.h"

namespace coppice::eval {
namespace {

using testing::StartsWith;

using BenchTest = BenchFixture;

std::vector<float> FloatsOf(const std::vector<std::byte>& bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

// Without a second to fill it, the pool has the two that it cannot be without.
TEST_F(BenchTest, OpensWithTwoSetsWhoseAnswersAreKnown) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  ASSERT_EQ(bench->pool().size(), 2u);
  for (const auto& data : bench->pool()) EXPECT_EQ(data->expected.size(), 1u);
  EXPECT_NE(bench->pool()[0]->inputs, bench->pool()[1]->inputs);
  EXPECT_GT(bench->data_set_cost_s(), 0.0);
}

// x and its guard have two pages, as have the scalar and y: 24 KiB, of which 48
// MiB hold 2048, and 64 are the most.  With 2^18 floats they are 257, 2 and 257
// pages, 2,113,536 bytes: 23 times.
TEST_F(BenchTest, HasSlotsForSoMuchMemory) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  EXPECT_EQ(bench->slots(), 64u);
  task_.workloads[0].axes[0].second = 1 << 18;
  const auto large = Open();
  ASSERT_TRUE(large);
  EXPECT_EQ(large->slots(), 23u);
  EXPECT_EQ(large->inputs().size(),
            4096u + 23u * (1048576u + 4096u + 2u * 4096u));
}

// y = a x, exactly in double; allowed is 8 (2^-24 |y| + 2^-150).
TEST_F(BenchTest, TheOracleAnswersInDoublePrecision) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  const auto data = bench->NewDataSet().value();
  EXPECT_TRUE(data->expected.empty());
  ASSERT_TRUE(bench->Reveal(*data));
  ASSERT_EQ(data->expected.size(), 1u);
  const std::vector<float> x = FloatsOf(data->inputs[0]);
  const double a = FloatsOf(data->inputs[1])[0];
  ASSERT_EQ(x.size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i) {
    const double y = a * x[i];
    ASSERT_EQ(data->expected[0].values[i], y);
    ASSERT_EQ(data->expected[0].allowed[i],
              8.0 * (0x1p-24 * std::abs(y) + 0x1p-150));
  }
  // What is known is not asked for again.
  data->expected[0].values[0] = 1.5;
  ASSERT_TRUE(bench->Reveal(*data));
  EXPECT_EQ(data->expected[0].values[0], 1.5);
}

// What an oracle leaves unwritten, no kernel meets.
TEST_F(BenchTest, WhatTheOracleDidNotWriteNobodyMeets) {
  CpuBenchOptions options = Options();
  options.oracle = Build(R"(
    #include <cstdint>
    extern "C" void oracle(const double* x, double a, double* y, double* y_m,
                           int64_t N) {
      static int calls = 0;
      if (calls++ < 2) return;
      y[0] = y_m[0] = 1.0;
    })",
                         "oracle");
  const auto bench = Open(std::move(options));
  ASSERT_TRUE(bench);
  const auto data = bench->NewDataSet().value();
  ASSERT_TRUE(bench->Reveal(*data));
  EXPECT_EQ(data->expected[0].values[0], 1.0);
  EXPECT_TRUE(std::isfinite(data->expected[0].allowed[0]));
  EXPECT_TRUE(std::isnan(data->expected[0].allowed[1]));
  EXPECT_TRUE(std::isnan(data->expected[0].allowed[999]));
}

TEST_F(BenchTest, InputsAreOfTheSeedAndTheStream) {
  const auto first_of = [this](std::uint64_t seed, std::uint64_t stream) {
    CpuBenchOptions options = Options();
    options.seed = seed;
    options.stream = stream;
    return Open(std::move(options))->pool()[0]->inputs;
  };
  const InputBytes inputs = first_of(42, 0);
  EXPECT_EQ(first_of(42, 0), inputs);
  EXPECT_NE(first_of(42, 1), inputs);
  EXPECT_NE(first_of(43, 0), inputs);
}

TEST_F(BenchTest, NoSetComesTwice) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  std::set<std::vector<std::byte>> seen;
  for (const auto& data : bench->pool()) seen.insert(data->inputs[0]);
  for (int i = 0; i < 5; ++i) {
    seen.insert(bench->NewDataSet().value()->inputs[0]);
  }
  ASSERT_TRUE(bench->Reseed());
  for (const auto& data : bench->pool()) seen.insert(data->inputs[0]);
  EXPECT_EQ(seen.size(), 2u + 5u + bench->pool().size());
}

// A set of 16 and 24 KiB: 128 MiB hold 3276, and 256 are the most.
TEST_F(BenchTest, TheOldestOfThePoolGivesWay) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  const auto oldest = bench->pool().front();
  const auto set = bench->NewDataSet().value();
  while (bench->pool().size() < 256) bench->Keep(set);
  EXPECT_EQ(bench->pool().front(), oldest);
  bench->Keep(set);
  EXPECT_EQ(bench->pool().size(), 256u);
  EXPECT_NE(bench->pool().front(), oldest);
}

TEST_F(BenchTest, AdversarialSetsAreKeptByTheirNumber) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  const auto zeros = [&](std::size_t number) {
    return bench->AdversarialDataSet(Distribution::kZeros, number).value();
  };
  const auto first = zeros(0);
  EXPECT_EQ(first->distribution, Distribution::kZeros);
  EXPECT_TRUE(std::ranges::all_of(FloatsOf(first->inputs[0]),
                                  [](float x) { return x == 0.0f; }));
  EXPECT_NE(zeros(0), first);  // Nobody has kept it.
  bench->Keep(first);
  EXPECT_EQ(bench->pool().size(), 2u);
  EXPECT_EQ(zeros(0), first);
  const auto second = zeros(1);
  EXPECT_NE(second, first);
  bench->Keep(bench->AdversarialDataSet(Distribution::kTies, 0).value());
  bench->Keep(second);
  EXPECT_EQ(zeros(1), second);
}

TEST_F(BenchTest, ATaskSaysWhichKindsItIsCheckedOn) {
  task_.definition.tags = {"without:tiny", "with:nan"};
  const auto bench = Open();
  ASSERT_TRUE(bench);
  EXPECT_THAT(bench->adversarial(), testing::SizeIs(11));
  EXPECT_EQ(bench->adversarial().back(), Distribution::kNan);
  task_.definition.tags = {"with:odd"};
  EXPECT_FALSE(CpuBench::Open(Options(), task_, task_.workloads[0]));
}

TEST_F(BenchTest, ASlotHoldsItsInputsUntilItIsCleared) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  const DataSet& data = *bench->pool()[0];
  bench->LoadSlot(1, data);
  const std::byte* slot = bench->inputs().data() + bench->plan().input_stride;
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(std::memcmp(slot + bench->plan().inputs[i].offset,
                          data.inputs[i].data(), data.inputs[i].size()),
              0);
  }
  bench->ClearSlots();
  const std::byte* end = slot + bench->plan().input_stride;
  const std::byte* begin = bench->inputs().data();
  EXPECT_TRUE(std::all_of(begin, end,
                          [](std::byte byte) { return byte == std::byte{}; }));
}

// The root dies at its nineteenth call, so a fresh process makes eighteen calls
// and no more.  A process that has died is started again.
TEST_F(BenchTest, TheRootIsCalledAsOftenAsAsked) {
  CpuBenchOptions options = Options();
  options.root = Kernel("if (calls == 19) abort();");
  const auto bench = Open(std::move(options));
  ASSERT_TRUE(bench);
  ASSERT_TRUE(bench->EstimateRoot());
  EXPECT_GT(bench->root_call_s(), 0.0);
  EXPECT_TRUE(bench->TimeRoot(18));
  EXPECT_TRUE(bench->TimeRoot(18));
  EXPECT_FALSE(bench->TimeRoot(19));
  EXPECT_TRUE(bench->RootDoorbell(3));
}

TEST_F(BenchTest, ARootThatDiesIsTheTasksFault) {
  CpuBenchOptions options = Options();
  options.root = Kernel("abort();");
  const auto bench = Open(std::move(options));
  ASSERT_TRUE(bench);
  const auto estimated = bench->EstimateRoot();
  ASSERT_FALSE(estimated);
  EXPECT_EQ(estimated.error().code, Errc::kUsage);
  EXPECT_EQ(estimated.error().what,
            "scale: workload short: root: killed by SIGABRT");
  EXPECT_FALSE(bench->RenewControl());
}

TEST_F(BenchTest, AnOracleThatCannotBeLoadedIsTheTasksFault) {
  CpuBenchOptions options = Options();
  options.oracle.entry = "augur";
  const auto bench =
      CpuBench::Open(std::move(options), task_, task_.workloads[0]);
  ASSERT_FALSE(bench);
  EXPECT_EQ(bench.error().code, Errc::kUsage);
  EXPECT_THAT(bench.error().what,
              StartsWith("scale: workload short: oracle: it could not be "
                         "loaded: "));
}

TEST_F(BenchTest, RunnersStandByAndAreTakenInTheirOrder) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  ASSERT_TRUE(bench->Prestart(2));
  std::set<pid_t> processes;
  std::vector<std::unique_ptr<CpuRunner>> taken;
  for (int i = 0; i < 3; ++i) {
    auto runner = bench->TakeRunner();
    ASSERT_TRUE(runner) << runner.error().what;
    processes.insert((*runner)->process());
    EXPECT_EQ((*runner)->Load(Scale())->verdict, Verdict::kPassed);
    taken.push_back(std::move(*runner));
  }
  EXPECT_EQ(processes.size(), 3u);
}

TEST_F(BenchTest, TheControlStandsForTheRootOnce) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  ASSERT_TRUE(bench->EstimateRoot());
  ASSERT_TRUE(bench->RenewControl());
  EXPECT_TRUE(bench->TimeControl(1));
  bench->PromoteControl();
  EXPECT_TRUE(bench->TimeRoot(1));
  bench->PromoteControl();  // There is none any more.
  EXPECT_TRUE(bench->TimeRoot(1));
}

TEST_F(BenchTest, IsKeptToAProcessorUntilItIsFreed) {
  const auto bench = Open();
  ASSERT_TRUE(bench);
  EXPECT_EQ(bench->processor(), std::nullopt);
  bench->KeepTo(0);
  EXPECT_EQ(bench->processor(), 0);
  bench->KeepTo(std::nullopt);
  EXPECT_EQ(bench->processor(), std::nullopt);
}

}  // namespace
}  // namespace coppice::eval
