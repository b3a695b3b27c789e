#include "eval/cpu/sampling.h"

#include <gtest/gtest.h>

#include "eval/cpu/bench_fixture.h"
#include "eval/cpu/generated_code.h"

namespace coppice::eval {
namespace {

class SamplingTest : public BenchFixture {
 protected:
  std::vector<std::uint64_t> Sample(const std::string& body, double seconds) {
    const auto bench = Open();
    const auto samples =
        SampleCalls(*bench, Processes(), Kernel(body), seconds);
    EXPECT_TRUE(samples) << samples.error().what;
    return samples.value_or(std::vector<std::uint64_t>{});
  }
};

// One of two loops runs 50 times as often as the other.  The divisor tells
// which one.  Neither is unrolled, since each step waits for the one before.
constexpr const char* kTwoLoops = R"(
  float few = x[0], often = x[1];
#pragma GCC novector
  for (int i = 0; i < 20000; ++i) few = std::sqrt(few * few + a);
#pragma GCC novector
  for (int i = 0; i < 1000000; ++i) often = 1.0f / (often + a);
  y[0] = few + often;)";

TEST_F(SamplingTest, TheLoopThatTakesTheTimeHasTheSamples) {
  const auto bench = Open();
  const Program program = Kernel(kTwoLoops);
  const auto samples = SampleCalls(*bench, Processes(), program, 0.2);
  ASSERT_TRUE(samples) << samples.error().what;
  ASSERT_GE(samples->size(), 20u);
  const auto compiler = Compiler::Find(COPPICE_TEST_CACHE, 60.0, nullptr);
  const auto code = compiler->Disassemble(program.object);
  ASSERT_TRUE(code) << code.error().what;
  const std::string told = TellLoop(*code, *samples, 1000);
  EXPECT_TRUE(told.starts_with("The hottest loop")) << told;
  EXPECT_NE(told.find("divss"), told.npos) << told;
}

// It is the candidate's own affair, so that no more comes of it.
TEST_F(SamplingTest, WhoRefusesOrForgesSamplesIsToldNothing) {
  EXPECT_TRUE(Sample("std::exit(3);", 0.05).empty());
  EXPECT_TRUE(Sample("sigset_t all; sigfillset(&all);"
                     "pthread_sigmask(SIG_SETMASK, &all, nullptr);"
                     "for (int i = 0; i < 1000000; ++i)"
                     "  y[0] = std::sqrt(y[0] + a);",
                     0.05)
                  .empty());
}

TEST_F(SamplingTest, NoMoreThanTheRoomForThemIsTaken) {
  EXPECT_LE(Sample("for (int i = 0; i < 1000000; ++i)"
                   "  y[0] = std::sqrt(y[0] + a);",
                   1.0)
                .size(),
            kMaxSamples);
}

}  // namespace
}  // namespace coppice::eval
