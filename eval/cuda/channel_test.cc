#include "eval/cuda/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/cuda/runner_fixture.h"

namespace coppice::eval::cuda {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class CudaChannelTest : public CudaBenchFixture {
 protected:
  CudaChannelTest() { abilities_.clock_hz = 2'000'000'000; }

  // Loaded, with plain data at hand.  Scripts are of candidate, oracle and
  // root.
  CudaChannel& Channel(const std::string& candidate,
                       const std::string& oracle = "",
                       const std::string& root = "",
                       Part part = Part::kDeviceCode) {
    CudaBenchOptions options = OptionsOf(oracle, root);
    options.adversarial =
        AdversarialInputs::Make(task_, task_.workloads[0], 3).value();
    auto bench = Open(std::move(options));
    EXPECT_TRUE(bench) << bench.error().what;
    bench_ = std::move(*bench);
    process_ = Started();
    program_ = Program(candidate, part);
    channel_.emplace(*bench_, ChannelOptions{.process = process_,
                                             .runners = pool_,
                                             .libraries = {},
                                             .runner_program = program_,
                                             .abilities = abilities_});
    loaded_ = channel_->Load().value();
    if (loaded_.verdict == Verdict::kPassed) Fill();
    return *channel_;
  }

  void Fill(std::uint32_t kind = 0) {
    const auto filled = channel_->Fill({.kind = kind});
    EXPECT_TRUE(filled && filled->verdict == Verdict::kPassed);
  }
  Timing Call(Side side = Side::kCandidate) {
    const auto timing = channel_->Call(side);
    EXPECT_TRUE(timing) << timing.error().what;
    return *timing;
  }
  eval::Judgement JudgedCall() {
    EXPECT_EQ(Call().verdict, Verdict::kPassed);
    return channel_->Compare().value();
  }

  Abilities abilities_{};
  RunnerPool pool_{Options()};
  std::unique_ptr<CudaBench> bench_;
  Runner process_;
  RunnerProgram program_;
  std::optional<CudaChannel> channel_;
  Outcome loaded_;
};

TEST_F(CudaChannelTest, DeviceCodeCountsByItsEventsAndTheHostsClockBesideThem) {
  Channel("go event=1000000 after=5000000 whole=3000000 ns=1000 cycles=1800");
  const Timing timing = Call();
  EXPECT_EQ(timing.verdict, Verdict::kPassed) << timing.log;
  EXPECT_DOUBLE_EQ(timing.call_s, 1e-6);
  EXPECT_DOUBLE_EQ(timing.whole_s, 3e-6);
  EXPECT_EQ(timing.most_after_s, 0.0);  // No host code could leave work behind.
  EXPECT_DOUBLE_EQ(timing.clock_hz, 1.8e9);
  EXPECT_EQ(timing.disturbed, "");
  EXPECT_GT(timing.wall_s, timing.call_s);
}

// 2 us behind what is held; 10 us where nothing can be held any more.
TEST_F(CudaChannelTest, HostCodeCountsWithWhatItLeavesBehind) {
  Channel("go event=1000000 after=5000000 whole=3000000\ngo#2 held_too_long",
          "", "", Part::kSharedObject);
  Timing timing = Call();
  EXPECT_DOUBLE_EQ(timing.after_s, 5e-6);
  EXPECT_DOUBLE_EQ(timing.most_after_s, 2e-6);
  EXPECT_EQ(timing.whole_s, 0.0);
  timing = Call();
  EXPECT_DOUBLE_EQ(timing.most_after_s, 10e-6);
}

// Three quarters of 2 GHz are 1500 cycles in 1000 ns.
TEST_F(CudaChannelTest, ADeviceBelowThreeQuartersOfItsClockIsDisturbed) {
  Channel("go event=1 ns=1000 cycles=1500\ngo#2 cycles=1499\ngo#3 cycles=0");
  EXPECT_EQ(Call().disturbed, "");
  EXPECT_EQ(Call().disturbed,
            "the device runs below three quarters of its clock");
  EXPECT_EQ(Call().disturbed, "");  // It is not known.
}

// 100 s by the events of a call that returns at once.
TEST_F(CudaChannelTest, EventsThatTellMoreThanHasPassedAreForged) {
  Channel("go event=100000000000000");
  const Timing timing = Call();
  EXPECT_EQ(timing.verdict, Verdict::kRejected);
  EXPECT_EQ(timing.breach, Breach::kForgedTime);
}

TEST_F(CudaChannelTest, ACallThatFailsIsItsVerdict) {
  Channel("go fail=700 stage=3");
  EXPECT_EQ(Call().verdict, Verdict::kCrashed);
}

TEST_F(CudaChannelTest, WhatCannotBeLoadedIsSaidSo) {
  Channel("open refuse=no_kernel");
  EXPECT_EQ(loaded_.verdict, Verdict::kCompileFailed);
  EXPECT_EQ(loaded_.log, "no kernel");
}

TEST_F(CudaChannelTest, HostCodeThatDiesWhileItIsStoppedIsFoundWhenItIsWoken) {
  Channel("wake die=9", "", "", Part::kSharedObject);
  const Timing timing = Call();
  EXPECT_EQ(timing.verdict, Verdict::kCrashed);
  EXPECT_THAT(timing.log, HasSubstr("exit status 9"));
}

// The bench itself asks for the first two judgements.
TEST_F(CudaChannelTest, AJudgementIsOfTheLastCall) {
  Channel("",
          "judge#3 wrong=1 first=7 got=1 expected=2 ratio=9.5 absolute=1 "
          "relative=0.5");
  eval::Judgement judged = JudgedCall();
  EXPECT_EQ(judged.verdict, Verdict::kWrongOutput);
  EXPECT_EQ(judged.on, "plain");
  EXPECT_EQ(judged.log,
            "output y[7] (element 7): got 1, expected 2, allowed error 0; 1 of "
            "1000 elements wrong");
  EXPECT_EQ(judged.worst_error_ratio, 9.5);
  EXPECT_EQ(judged.max_absolute_error, 1.0);
  EXPECT_EQ(judged.max_relative_error, 0.5);
  judged = JudgedCall();
  EXPECT_EQ(judged.verdict, Verdict::kPassed);
  EXPECT_EQ(judged.worst_error_ratio, 0.0);
}

TEST_F(CudaChannelTest, WhoChangesAnInputHasBrokenARuleWhateverItComputes) {
  Channel("", "judge#3 changed=1 wrong=1");
  const eval::Judgement judged = JudgedCall();
  EXPECT_EQ(judged.verdict, Verdict::kRejected);
  EXPECT_EQ(judged.breach, Breach::kWroteInput);
  EXPECT_EQ(judged.log, "it changed an input");
}

// Kinds are numbered from 1 on, and the first is that of zeros.
TEST_F(CudaChannelTest, WhatIsWrongOnOtherInputsNamesThem) {
  Channel("", "judge#3 late=1");
  Fill(1);
  const eval::Judgement judged = JudgedCall();
  EXPECT_EQ(judged.on, "zeros");
  EXPECT_EQ(judged.log,
            "on inputs zeros: it changed output y after its call had returned");
  Fill();
  EXPECT_EQ(JudgedCall().on, "plain");
}

// Data that nobody has met, as long as they cost little: each of the four in
// its turn, made anew.
TEST_F(CudaChannelTest, EachRoundHasDataThatAreNew) {
  Channel("");
  const std::string before = trusted_.trusted_runner->Output();
  for (int i = 0; i < 4; ++i) Fill();  // After that of Channel().
  EXPECT_EQ(trusted_.trusted_runner->Output().substr(before.size()),
            "generate 0 0 1\ngenerate 0 0 2\ngenerate 0 0 3\n"
            "generate 0 0 0\n");
}

// Alone it took 10 us; the bench made 13 calls.  By chance it is slow once.
TEST_F(CudaChannelTest, ARootThatIsSlowTwiceOnItsDataIsDisturbed) {
  const std::string slow = " event=16000000\n";
  Channel("", "",
          "go event=10000000\ngo#14" + slow + "go#15" + slow + "go#17" + slow);
  EXPECT_EQ(Call(Side::kRoot).disturbed, "");
  EXPECT_EQ(Call(Side::kRoot).disturbed, "something else uses the device");
  EXPECT_EQ(Call(Side::kRoot).disturbed, "");
  Fill();
  EXPECT_EQ(Call(Side::kRoot).disturbed, "");
}

// The control is the root's own process.
TEST_F(CudaChannelTest, TheControlIsTheRootOnceMore) {
  Channel("go event=1000000", "", "go event=2000000");
  EXPECT_DOUBLE_EQ(Call(Side::kControl).call_s, 2e-6);
  EXPECT_DOUBLE_EQ(Call(Side::kRoot).call_s, 2e-6);
  EXPECT_DOUBLE_EQ(Call(Side::kCandidate).call_s, 1e-6);
}

TEST_F(CudaChannelTest, AnInventoryIsOfACallMoreOnTheDataAtHand) {
  CudaChannel& channel = Channel("go kernel=scale calls=1 total=500");
  Fill();  // The second data set.
  const auto answer = channel.TakeInventory();
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_STREQ(answer->reply.inventory.kernel[0].name.data(), "scale");
  EXPECT_THAT(trusted_.trusted_runner->Output(), EndsWith(" 1\n"));
  EXPECT_THAT(channel.Output(), EndsWith("held inventory\n"));
}

}  // namespace
}  // namespace coppice::eval::cuda
