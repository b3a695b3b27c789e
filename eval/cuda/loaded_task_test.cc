#include "eval/cuda/loaded_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/cuda/host_clock.h"
#include "eval/cuda/runner_fixture.h"
#include "eval/cuda/tool_run.h"

namespace coppice::eval::cuda {
namespace {

using testing::HasSubstr;

class LoadedTaskTest : public CudaBenchFixture {
 protected:
  // A task of one workload; its bench asks an oracle with this script.
  std::unique_ptr<LoadedTask> Loaded(const std::string& oracle) {
    auto loaded_task = std::make_unique<LoadedTask>();
    loaded_task->task = task_;
    loaded_task->task.workloads.resize(1);
    CudaBenchOptions options = OptionsOf(oracle, "");
    loaded_task->oracle.assignments = {options.oracle};
    loaded_task->root.assignments = {options.root};
    loaded_task->benches.push_back(Open(std::move(options)).value());
    loaded_task->runners = trusted_;
    return loaded_task;
  }
};

TEST_F(LoadedTaskTest, IsHealthyAsLongAsItsRootIsRight) {
  const auto loaded_task = Loaded("judge#4 wrong=1");
  EXPECT_TRUE(loaded_task->CheckHealth());
  const auto checked = loaded_task->CheckHealth();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, Errc::kUsage);
}

// Workload 0 of each process is of the bench, and 1 of the clock.
TEST_F(LoadedTaskTest, ItsClocksAreOpenedOnceBehindItsWorkloads) {
  const auto loaded_task = Loaded("");
  EXPECT_EQ(loaded_task->ClockNumber(0), 1u);
  InputSource inputs{.seed = 3, .next_stream = 9};
  for (int i = 0; i < 2; ++i) {
    const auto opened = loaded_task->OpenClocks(inputs, std::uint64_t{1} << 36);
    ASSERT_TRUE(opened) << opened.error().what;
    EXPECT_EQ(loaded_task->clocks.size(), 1u);
    EXPECT_EQ(inputs.next_stream, 10u);
  }
  EXPECT_THAT(trusted_.trusted_runner->Output(),
              HasSubstr("open 1 0 0\ngenerate 1 0 0\n"));
}

}  // namespace
}  // namespace coppice::eval::cuda
