#include "eval/cuda/sanitizers.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "eval/cuda/host_inputs.h"
#include "eval/cuda/runner_fixture.h"
#include "eval/judge/inputs.h"

namespace coppice::eval::cuda {
namespace {

using RehearsalTest = RunnerFixture;

InputBytes BytesOfInputs() {
  const auto bytes = std::bit_cast<std::array<std::byte, 4>>(2.5f);
  // The second is the scalar.
  return {std::vector<std::byte>(16, std::byte{7}),
          std::vector<std::byte>(bytes.begin(), bytes.end())};
}

// One set, of which the second input is a scalar: 2.5f, 0x40200000.
TEST_F(RehearsalTest, AWatchedProcessHasItsOrdersItsCodeAndItsInputs) {
  const Shapes shapes = FourToFour();
  InputBytes bytes = BytesOfInputs();
  bytes[1].resize(8);
  const auto inputs = ShareInputs(bytes);
  ASSERT_TRUE(inputs);
  const RunnerProgram code = Program("memcheck status=0");
  const auto watched = ProgramOf(Options(), {code, shapes, *inputs});
  ASSERT_TRUE(watched) << watched.error().what;
  const auto& control =
      *reinterpret_cast<const Control*>(watched->control.data());
  EXPECT_EQ(control.sets, 1u);
  EXPECT_EQ(control.cells[0], 0u);
  EXPECT_EQ(control.cells[1], 0x40200000u);
  EXPECT_EQ(watched->program.descriptors,
            (std::vector<int>{watched->control.fd(), watched->code.get(),
                              (*inputs)[0].fd(), (*inputs)[1].fd()}));
}

TEST_F(RehearsalTest, InputsAreSharedByteForByteAndNoneIsEmpty) {
  InputBytes bytes = BytesOfInputs();
  bytes.emplace_back();
  const auto inputs = ShareInputs(bytes);
  ASSERT_TRUE(inputs);
  ASSERT_EQ(inputs->size(), 3u);
  EXPECT_EQ((*inputs)[0].data()[15], std::byte{7});
  EXPECT_EQ((*inputs)[0].size(), 16u);
  EXPECT_EQ((*inputs)[1].data()[3], std::byte{0x40});
  EXPECT_EQ((*inputs)[2].size(), 1u);
}

// Both look at a time, and each is told apart by its name.
TEST_F(RehearsalTest, ToolsAnswerInTheOrderInWhichTheyWereAsked) {
  const Shapes shapes = FourToFour();
  InputBytes bytes = BytesOfInputs();
  bytes[1].resize(8);
  const auto inputs = ShareInputs(bytes);
  ASSERT_TRUE(inputs);
  const std::filesystem::path tool = Write("tools/compute-sanitizer", "");
  std::filesystem::copy_file(COPPICE_FAKE_CUDA_RUNNER, tool,
                             std::filesystem::copy_options::overwrite_existing);
  const RunnerProgram code = Program(
      "memcheck status=0\nracecheck status=86 say=a_Race\n"
      "initcheck silent say=Uninitialized_read");
  const std::vector<std::string_view> tools = {"racecheck", "initcheck",
                                               "memcheck"};
  const auto all =
      Watch(Options(), folder_ / "tools", tools, {code, shapes, *inputs}, 20.0);
  ASSERT_TRUE(all) << all.error().what;
  ASSERT_EQ(all->size(), 3u);
  using enum SanitizerOutput::Outcome;
  EXPECT_EQ((*all)[0].tool, "racecheck");
  EXPECT_EQ((*all)[0].outcome, kFound);
  EXPECT_EQ((*all)[0].report, "a Race\n");
  // It goes on for long, and is not waited for once it has said something.
  EXPECT_EQ((*all)[1].outcome, kFound);
  EXPECT_EQ((*all)[1].report, "Uninitialized read\n");
  EXPECT_EQ((*all)[2].outcome, kClean);
}

}  // namespace
}  // namespace coppice::eval::cuda
