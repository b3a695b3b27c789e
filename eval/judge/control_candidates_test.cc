#include "eval/judge/control_candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "eval/formats/test_tasks.h"
#include "eval/host/whole_file.h"

namespace coppice::eval {
namespace {

// Nothing but what is supposed: 0.5 %, squared 2.5e-5.
TEST(BetweenProcessesTest, IsHalfAPercentUntilMoreIsKnown) {
  const ProcessSpread spread = BetweenProcesses({});
  EXPECT_NEAR(spread.variance, 2.5e-5, 1e-7);
  EXPECT_EQ(spread.freedom, 2.0);
}

// Four at 0.03 without noise, two supposed at 0.005:
// (36 + 0.5) / 6 = 6.083 e-4.
TEST(BetweenProcessesTest, QuietControlsTell) {
  const std::deque<Estimate> controls(4, Estimate{0.03, 0.0, 2.0});
  const ProcessSpread spread = BetweenProcesses(controls);
  EXPECT_NEAR(spread.variance, 6.083e-4, 1e-6);
  EXPECT_NEAR(spread.freedom, 6.0, 1e-6);
}

// 64 that are off by 0.2 with a variance of 0.04: what noise makes of any.
TEST(BetweenProcessesTest, NoisyControlsTellLittle) {
  const std::deque<Estimate> controls(64, Estimate{0.2, 0.04, 2.0});
  const ProcessSpread spread = BetweenProcesses(controls);
  EXPECT_NEAR(spread.variance, 2.5e-5, 2.5e-6);
  EXPECT_NEAR(spread.freedom, 2.0, 0.01);
}

// A control that is off by `off` in every round.
std::vector<WorkloadResult> Controlled(double off) {
  WorkloadResult result;
  result.samples_s = result.root_samples_s = {1.0, 1.0, 1.0};
  result.control_samples_s.assign(3, std::exp(-off));
  return {result};
}

class ControlCandidatesTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }
  const std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) / "controls_test";
};

// (25 + 0.5) / 3 = 8.5 e-4, then (50 + 0.5) / 4 = 12.625 e-4.
TEST_F(ControlCandidatesTest, AddUpAndAreKept) {
  ControlCandidates first(file_, "this machine");
  auto results = Controlled(0.05);
  ASSERT_TRUE(first.Enter(results));
  EXPECT_NEAR(results[0].between_processes->variance, 8.5e-4, 1e-6);
  ControlCandidates second(file_, "this machine");
  results = Controlled(0.05);
  ASSERT_TRUE(second.Enter(results));
  EXPECT_NEAR(results[0].between_processes->variance, 12.625e-4, 1e-5);
}

TEST_F(ControlCandidatesTest, ThoseOfAnotherMachineAreForgotten) {
  ControlCandidates first(file_, "that machine");
  auto results = Controlled(0.05);
  ASSERT_TRUE(first.Enter(results));
  ControlCandidates second(file_, "this machine");
  std::vector<WorkloadResult> none(1);
  ASSERT_TRUE(second.Enter(none));
  EXPECT_NEAR(none[0].between_processes->variance, 2.5e-5, 1e-7);
}

TEST_F(ControlCandidatesTest, AFolderThatCannotBeIsAnError) {
  ControlCandidates controls("/proc/nothing/controls", "this machine");
  auto results = Controlled(0.05);
  EXPECT_FALSE(controls.Enter(results));
}

// 0.5 % and 5 % weigh by their squares: 64 of 0.05 leave of those before them
// no more than what is supposed, (64 * 25 + 0.5) / 66 = 24.25 e-4.
TEST_F(ControlCandidatesTest, TheLast64AreKept) {
  ControlCandidates controls(file_, "this machine");
  auto results = Controlled(1.0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(controls.Enter(results));
  results = Controlled(0.05);
  for (int i = 0; i < 63; ++i) ASSERT_TRUE(controls.Enter(results));
  EXPECT_GT(results[0].between_processes->variance, 50e-4);
  ASSERT_TRUE(controls.Enter(results));
  EXPECT_NEAR(results[0].between_processes->variance, 24.25e-4, 5e-6);
  EXPECT_EQ(results[0].between_processes->freedom, 66.0);
  // Their file has a line for each, and one that says whose they are.
  const std::string text = ReadWhole(file_).value();
  EXPECT_EQ(std::ranges::count(text, '\n'), 65);
  EXPECT_TRUE(text.starts_with("this machine\n"));
}

TEST_F(ControlCandidatesTest, OfAllWorkloadsAreEnteredAndToldToEach) {
  ControlCandidates controls(file_, "this machine");
  auto results = Controlled(0.05);
  results.push_back(Controlled(0.05).front());
  results.emplace_back();  // Was not timed.
  ASSERT_TRUE(controls.Enter(results));
  for (const WorkloadResult& result : results) {
    EXPECT_NEAR(result.between_processes->variance, 12.625e-4, 1e-5);
  }
}

TEST_F(ControlCandidatesTest, WithoutANewOneNothingIsWritten) {
  ControlCandidates controls(file_, "this machine");
  std::vector<WorkloadResult> none(1);
  ASSERT_TRUE(controls.Enter(none));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(ControlCandidatesTest, AFolderThatIsNotThereYetIsMade) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "new_folder";
  ControlCandidates controls(folder / "deep" / "controls", "this machine");
  auto results = Controlled(0.05);
  ASSERT_TRUE(controls.Enter(results));
  EXPECT_TRUE(std::filesystem::exists(folder / "deep" / "controls"));
  std::filesystem::remove_all(folder);
}

// What they say hangs on machine, threads, task and root.
TEST_F(ControlCandidatesTest, AreOfOneRootOnOneMachine) {
  const std::filesystem::path cache =
      std::filesystem::path(testing::TempDir()) / "controls_of";
  const Task task = RowSumTask();
  ControlCandidates first = ControlsOf(cache, "machine", 2, task);
  auto results = Controlled(0.05);
  ASSERT_TRUE(first.Enter(results));
  const auto seen = [](ControlCandidates controls) {
    std::vector<WorkloadResult> none(1);
    EXPECT_TRUE(controls.Enter(none));
    return none[0].between_processes->variance > 1e-4;
  };
  EXPECT_TRUE(seen(ControlsOf(cache, "machine", 2, task)));
  EXPECT_FALSE(seen(ControlsOf(cache, "another", 2, task)));
  EXPECT_FALSE(seen(ControlsOf(cache, "machine", 1, task)));
  Task renamed = task;
  renamed.definition.name = "sums";
  EXPECT_FALSE(seen(ControlsOf(cache, "machine", 2, renamed)));
  Task faster = task;
  faster.root.sources[0].content += " ";
  EXPECT_FALSE(seen(ControlsOf(cache, "machine", 2, faster)));
  std::filesystem::remove_all(cache);
}

}  // namespace
}  // namespace coppice::eval
