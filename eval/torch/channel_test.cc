#include "eval/torch/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "eval/torch/worker.h"

namespace coppice::eval::torch {
namespace {

using testing::HasSubstr;

// The reaction of a request that took 2 ms for 4 calls.
Reaction Took(double call_s) {
  Reaction reaction;
  reaction.wall_s = 2e-3;
  reaction.calls = 4;
  reaction.call_s = call_s;
  return reaction;
}

TEST(TimingOfTest, IsWhatIsKnownOfTheCall) {
  Reaction reaction = Took(4e-4);
  reaction.cpu_s = 3e-3;
  reaction.device_s = 1e-4;
  reaction.whole_s = 6e-4;
  reaction.device_contention = 1.5;
  const Timing timing = TimingOf(reaction);
  EXPECT_EQ(timing.verdict, Verdict::kPassed);
  EXPECT_EQ(timing.calls, 4U);
  EXPECT_EQ(timing.wall_s, 2e-3);
  EXPECT_EQ(timing.call_s, 4e-4);
  EXPECT_EQ(timing.cpu_s, 3e-3);
  EXPECT_EQ(timing.device_s, 1e-4);
  EXPECT_EQ(timing.whole_s, 6e-4);
  EXPECT_EQ(timing.device_contention, 1.5);
  EXPECT_EQ(timing.unsettled, "");
  EXPECT_EQ(timing.remark, "");
}

// A tenth of 2 ms / 4 is 50 us: who makes what is taken off look long gains no
// more.
TEST(TimingOfTest, NoMoreThanNineTenthsOfARequestAreTakenOff) {
  EXPECT_DOUBLE_EQ(TimingOf(Took(5.1e-5)).call_s, 5.1e-5);
  EXPECT_DOUBLE_EQ(TimingOf(Took(4.9e-5)).call_s, 5e-5);
  EXPECT_DOUBLE_EQ(TimingOf(Took(0.0)).call_s, 5e-5);
  EXPECT_DOUBLE_EQ(TimingOf(Took(-1.0)).call_s, 5e-5);
}

TEST(TimingOfTest, NoCallFromPythonTakesLessThanAMicrosecond) {
  Reaction reaction;
  reaction.wall_s = 1e-9;
  EXPECT_EQ(TimingOf(reaction).call_s, 1e-6);
}

// Nobody knows what a process that is gone has used.
TEST(TimingOfTest, ProcessorTimeThatIsNotKnownIsLeftOut) {
  Reaction reaction = Took(1e-4);
  reaction.cpu_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(TimingOf(reaction).cpu_s, Timing().cpu_s);
  reaction.cpu_s = std::numeric_limits<double>::infinity();
  EXPECT_EQ(TimingOf(reaction).cpu_s, Timing().cpu_s);
}

TEST(TimingOfTest, SaysWhatIsNotSettledAndWhatIsInIt) {
  Reaction reaction = Took(1e-4);
  reaction.is_unsettled = true;
  EXPECT_THAT(TimingOf(reaction).unsettled, HasSubstr("in new memory"));
  EXPECT_EQ(TimingOf(reaction).remark, "");
  reaction.copies = true;
  EXPECT_THAT(TimingOf(reaction).remark, HasSubstr("copies of its outputs"));
}

TEST(TimingOfTest, AFailureIsTold) {
  Reaction reaction = Took(1e-4);
  reaction.verdict = Verdict::kCrashed;
  reaction.log = "line 7";
  EXPECT_EQ(TimingOf(reaction).verdict, Verdict::kCrashed);
  EXPECT_EQ(TimingOf(reaction).log, "line 7");
}

}  // namespace
}  // namespace coppice::eval::torch
