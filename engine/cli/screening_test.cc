#include "engine/cli/screening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "agents/provider/model.h"
#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

Task Vanishing() {
  Task task;
  task.definition.name = "level2_1_Vanishing";
  return task;
}

TEST(ScreeningTest, ABenchmarksOwnProtocolKeepsWhatIsUnfit) {
  EXPECT_FALSE(IsKept(Unfit::kAsUsual, Protocol::kCoppice));
  EXPECT_TRUE(IsKept(Unfit::kAsUsual, Protocol::kBenchmark));
  for (const Protocol protocol : {Protocol::kCoppice, Protocol::kBenchmark}) {
    EXPECT_TRUE(IsKept(Unfit::kKeep, protocol));
    EXPECT_FALSE(IsKept(Unfit::kSkip, protocol));
  }
}

TEST(ScreeningTest, WhatIsUnfitIsToldInALineAndListed) {
  std::ostringstream err;
  Screened screened;
  Enter(Vanishing(), {}, err, screened);
  EXPECT_EQ(err.str(), "");
  Enter(Vanishing(), {.why_unfit = "zeros pass", .is_kept = false}, err,
        screened);
  Enter(Vanishing(), {.why_unfit = "ones pass", .is_kept = true}, err,
        screened);
  EXPECT_EQ(err.str(),
            "level2_1_Vanishing: zeros pass; left out (--unfit keep keeps "
            "it)\n"
            "level2_1_Vanishing: ones pass; kept (--unfit skip leaves it "
            "out)\n");
  ASSERT_EQ(screened.left_out.size(), 1u);
  EXPECT_EQ(screened.left_out[0].task, "level2_1_Vanishing");
  EXPECT_EQ(screened.left_out[0].reason, "zeros pass");
  ASSERT_EQ(screened.kept.size(), 1u);
  EXPECT_EQ(screened.kept[0].reason, "ones pass");
}

TEST(ScreeningTest, OnlyTheUsersMistakesAreLeftOut) {
  Screened screened;
  EXPECT_TRUE(LeaveOut("level1_1_Bad", "a/1_Bad.py",
                       {Errc::kUsage, "a/1_Bad.py: defines no Model"},
                       screened));
  ASSERT_EQ(screened.left_out.size(), 1u);
  EXPECT_EQ(screened.left_out[0].task, "level1_1_Bad");
  EXPECT_EQ(screened.left_out[0].reason, "defines no Model");
  EXPECT_FALSE(LeaveOut("level1_1_Bad", "a/1_Bad.py",
                        {Errc::kIo, "/tmp: disk full"}, screened));
  EXPECT_EQ(screened.left_out.size(), 1u);
}

class UnfitOptionTest : public testing::Test, protected Rehearsal {};

TEST_F(UnfitOptionTest, IsCheckedBeforeAnythingIsDone) {
  const Said said = SayBare({"run", "kernelbench:x.py", "--unfit", "drop"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err, "coppice run: --unfit drop: expected skip or keep\n");
  EXPECT_EQ(SayBare({"bench", "--unfit", "keep"}).err,
            "coppice bench: --unfit: is of KernelBench's problems; "
            "--kernelbench names a checkout\n");
}

}  // namespace
}  // namespace coppice::cli
