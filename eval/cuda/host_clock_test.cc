#include "eval/cuda/host_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/cuda/runner_fixture.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kLarge = 140'000 * kMiB;

TensorShape FloatTensor(std::size_t elements) {
  TensorShape shape;
  shape.elements = elements;
  return shape;
}

Shapes OneToOne(std::size_t inputs, std::size_t outputs) {
  Shapes shapes;
  shapes.inputs = {FloatTensor(inputs)};
  shapes.outputs = {FloatTensor(outputs)};
  return shapes;
}

TEST(BatchSizeTest, SmallTensorsGiveTheMostThatTheProtocolTakes) {
  EXPECT_EQ(BatchSize(OneToOne(1000, 1000), 1e-4, kLarge), kMaxSets);
}

// 6 GiB of 2 * 64 MiB for the inputs, as much for the outputs, and 16 bytes for
// each of 2^24 expected elements: 512 MiB in all.
TEST(BatchSizeTest, LargeTensorsFillTheMemoryThatIsForThem) {
  EXPECT_EQ(BatchSize(OneToOne(1 << 24, 1 << 24), 1e-4, kLarge), 12u);
  // A twelfth of 30 GiB is less than 6 GiB.
  EXPECT_EQ(BatchSize(OneToOne(1 << 24, 1 << 24), 1e-4, 30 * 1024 * kMiB), 5u);
}

// Four inputs and two outputs, each with its copy: 8 of 240 descriptors.
TEST(BatchSizeTest, AllTensorsFitIntoOneMessage) {
  Shapes shapes;
  shapes.inputs.assign(4, FloatTensor(10));
  shapes.outputs.assign(2, FloatTensor(10));
  EXPECT_EQ(BatchSize(shapes, 1e-4, kLarge), 30u);
  TensorShape scalar = FloatTensor(1);
  scalar.scalar = true;  // Needs none.
  shapes.inputs.push_back(scalar);
  EXPECT_EQ(BatchSize(shapes, 1e-4, kLarge), 30u);
}

// 40 ms at 2 ms a data set.
TEST(BatchSizeTest, ASlowOracleMakesThemFewer) {
  EXPECT_EQ(BatchSize(OneToOne(10, 10), 2e-3, kLarge), 20u);
}

TEST(BatchSizeTest, FewAreEnoughWhateverTheyCost) {
  EXPECT_EQ(BatchSize(OneToOne(10, 10), 1.0, kLarge), 4u);
  EXPECT_EQ(BatchSize(OneToOne(1 << 28, 1 << 28), 1e-3, kLarge), 4u);
}

// 1 % and 0.2 us: 10.3 us where events tell of 10, and 1.0102 ms of 1.
TEST(HostClockTest, AsMuchAsTwoClocksDifferByDoesNotExceed) {
  EXPECT_TRUE(Exceeds(10.4e-6, 10e-6));
  EXPECT_FALSE(Exceeds(10.2e-6, 10e-6));
  EXPECT_FALSE(Exceeds(1.009e-3, 1e-3));
  EXPECT_TRUE(Exceeds(1.011e-3, 1e-3));
  EXPECT_FALSE(Exceeds(-1e-6, 10e-6));
}

// 1.01 times and 0.2 us, at the edge: of 100 us 101.2 are borne.
TEST(HostClockTest, AHundredthAndAFifthOfAMicrosecondAreBearable) {
  EXPECT_FALSE(Exceeds(0.10119e-3, 0.1e-3));
  EXPECT_TRUE(Exceeds(0.10121e-3, 0.1e-3));
  EXPECT_FALSE(Exceeds(0.199e-6, 0.0));
  EXPECT_TRUE(Exceeds(0.201e-6, 0.0));
}

// Where a batch had 2 ms beside its calls, 5 ms are somebody's doing.
TEST(HostClockTest, WhatIsBesideTheCallsGrowsByATenthAtMost) {
  EXPECT_DOUBLE_EQ(Believed(1.9e-3, 2e-3), 1.9e-3);
  EXPECT_DOUBLE_EQ(Believed(2.1e-3, 2e-3), 2.1e-3);
  EXPECT_DOUBLE_EQ(Believed(5e-3, 2e-3), 2.2e-3);
}

// Nothing is shared where all that there is are scalars; and an oracle that
// takes no time is no reason to divide by it.
TEST(BatchSizeTest, WithoutTensorsTheProtocolIsTheLimit) {
  Shapes shapes;
  TensorShape scalar = FloatTensor(1);
  scalar.scalar = true;
  shapes.inputs = {scalar};
  EXPECT_EQ(BatchSize(shapes, 0.0, kLarge), kMaxSets);
}

// On a clock of its own beside the bench of the workload.
class HostClockTimeTest : public CudaBenchFixture {
 protected:
  // Scripts are of the clock's oracle and of the code that is timed.
  HostClock::Told TimeOf(const std::string& oracle, const std::string& code,
                         double expected_s = 1.0) {
    const auto usual = Opened();
    CudaBenchOptions options = OptionsOf(oracle, "");
    options.number = 1;
    const auto clock =
        HostClock::Open(trusted_, std::move(options), *usual, kLarge);
    EXPECT_TRUE(clock) << clock.error().what;
    const auto told =
        (*clock)->Time(process_ = Started(), 0,
                       Program(code, Part::kSharedObject), expected_s, 10.0);
    EXPECT_TRUE(told) << told.error().what;
    return *told;
  }

  std::shared_ptr<RunnerProcess> process_;
};

// A second is not exceeded by a call of a process that does nothing; three
// batches are the least.
TEST_F(HostClockTimeTest, ThreeBatchesAreEnoughWhereNothingIsExceeded) {
  const HostClock::Told told = TimeOf("", "");
  EXPECT_EQ(told.verdict, Verdict::kPassed) << told.log;
  EXPECT_LT(told.call_s, 1.0);
  const std::string output = process_->Output();
  std::size_t batches = 0;
  for (std::size_t at = output.find("go_all"); at != std::string::npos;
       at = output.find("go_all", at + 1)) {
    ++batches;
  }
  EXPECT_EQ(batches, 3u) << output;
}

// The bench has asked for two judgements before any of a batch.
TEST_F(HostClockTimeTest, EachCallOfABatchIsJudged) {
  HostClock::Told told = TimeOf("judge#5 wrong=1 got=1", "");
  EXPECT_EQ(told.verdict, Verdict::kWrongOutput);
  EXPECT_THAT(told.log, testing::StartsWith("of many calls in a row: output y[0"
                                            "] (element 0): got 1"));
  told = TimeOf("judge#3 changed=2", "");
  EXPECT_EQ(told.verdict, Verdict::kRejected);
  EXPECT_EQ(told.breach, Breach::kWroteInput);
}

TEST_F(HostClockTimeTest, WhatFailsHasItsVerdict) {
  EXPECT_EQ(TimeOf("", "open refuse=no_entry").verdict,
            Verdict::kCompileFailed);
  EXPECT_EQ(TimeOf("", "go_all fail=700").verdict, Verdict::kCrashed);
}

}  // namespace
}  // namespace coppice::eval::cuda
