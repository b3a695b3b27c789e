#include "eval/cpu/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "eval/cpu/bench_fixture.h"
#include "eval/cpu/data_set.h"

namespace coppice::eval {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kScaleSource[] =
    "for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];";

class CpuChannelTest : public BenchFixture {
 protected:
  // The pool has six sets.
  void SetUp() override {
    bench_ = Open();
    ASSERT_TRUE(bench_);
    for (int i = 0; i < 4; ++i) {
      auto data = bench_->NewDataSet().value();
      ASSERT_TRUE(bench_->Reveal(*data));
      bench_->Keep(std::move(data));
    }
    ASSERT_TRUE(bench_->EstimateRoot());
  }

  CpuChannel& Load(const std::string& body, CpuChannelOptions options = {}) {
    options.program = Kernel(body);
    channel_ = std::make_unique<CpuChannel>(*bench_, std::move(options));
    const auto loaded = channel_->Load();
    EXPECT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(loaded->verdict, Verdict::kPassed) << loaded->log;
    return *channel_;
  }

  // What became of one round on such inputs.
  Judgement Judge(const InputsWanted& wanted) {
    const auto filled = channel_->Fill(wanted);
    EXPECT_TRUE(filled && filled->verdict == Verdict::kPassed);
    const auto called = channel_->Call(Side::kCandidate);
    EXPECT_TRUE(called) << called.error().what;
    if (called->verdict != Verdict::kPassed) {
      Judgement judgement;
      static_cast<Outcome&>(judgement) = *called;
      return judgement;
    }
    calls_ = called->calls;
    return channel_->Compare().value();
  }
  Judgement Judge() { return Judge({.calls = CallCount::kFew}); }

  // Kinds count from 1 on.
  std::uint32_t KindOf(Distribution distribution) const {
    const auto& all = bench_->adversarial();
    return static_cast<std::uint32_t>(std::ranges::find(all, distribution) -
                                      all.begin() + 1);
  }

  std::unique_ptr<CpuBench> bench_;
  std::unique_ptr<CpuChannel> channel_;
  std::uint32_t calls_ = 0;  // Calls that were timed together.
};

TEST_F(CpuChannelTest, WhatIsRightPassesOnEveryKind) {
  Load(kScaleSource);
  for (std::uint32_t kind = 0; kind <= bench_->adversarial().size(); ++kind) {
    const Judgement judgement = Judge({.calls = CallCount::kFew, .kind = kind});
    EXPECT_EQ(judgement.verdict, Verdict::kPassed) << judgement.log;
    EXPECT_EQ(judgement.calls, 1u);
    EXPECT_LE(judgement.worst_error_ratio, 1.0);
  }
}

TEST_F(CpuChannelTest, AWrongElementIsNamed) {
  Load(std::string(kScaleSource) + "y[7] = 1e9f;");
  const Judgement judgement = Judge();
  EXPECT_EQ(judgement.verdict, Verdict::kWrongOutput);
  EXPECT_THAT(judgement.log, StartsWith("output y[7] (element 7): got 1e+09"));
  EXPECT_EQ(judgement.calls, 0u);  // None was right.
  EXPECT_GT(judgement.worst_error_ratio, 1.0);
}

// Right on N(0, 1), and wrong where x is 4096 and more.
TEST_F(CpuChannelTest, WhatIsWrongOnAKindIsSaidSo) {
  Load(std::string(kScaleSource) + "if (x[0] * x[0] > 1e6f) y[3] += 1e6f;");
  EXPECT_EQ(Judge().verdict, Verdict::kPassed);
  const Judgement judgement =
      Judge({.calls = CallCount::kFew, .kind = KindOf(Distribution::kLarge)});
  EXPECT_EQ(judgement.verdict, Verdict::kWrongOutput);
  EXPECT_THAT(judgement.log, StartsWith("on inputs large: output y[3] "));
  EXPECT_EQ(judgement.on, "large");
}

// A judgement is of the calls since the one before.
TEST_F(CpuChannelTest, OfAJudgementNothingIsLeft) {
  Load(
      "for (int64_t i = 0; i < N; ++i) y[i] = a * x[i] * "
      "(calls == 1 ? 1.0000004f : 1.0f);");
  const Judgement first = Judge();
  EXPECT_EQ(first.verdict, Verdict::kPassed) << first.log;
  EXPECT_GT(first.worst_error_ratio, 0.2);
  EXPECT_GT(first.max_relative_error, 2e-7);
  const Judgement second = Judge();
  EXPECT_LT(second.worst_error_ratio, 0.2);
  EXPECT_LT(second.max_absolute_error, first.max_absolute_error);
  EXPECT_EQ(second.calls, 1u);
}

TEST_F(CpuChannelTest, WhatLiesBesideAnOutputStaysAsItIs) {
  for (const char* slip : {"y[N] = 0;", "y[-1] = 0;"}) {
    Load(std::string(kScaleSource) + slip);
    const Judgement judgement = Judge();
    EXPECT_EQ(judgement.verdict, Verdict::kCrashed);
    EXPECT_EQ(judgement.log, "it wrote out of bounds of output y");
  }
}

TEST_F(CpuChannelTest, OutputsHoldNothingOfTheCallBefore) {
  Load("if (calls > 1) return; " + std::string(kScaleSource));
  EXPECT_EQ(Judge().verdict, Verdict::kPassed);
  const Judgement judgement = Judge();
  EXPECT_EQ(judgement.verdict, Verdict::kWrongOutput);
  EXPECT_THAT(judgement.log, HasSubstr("1000 never written"));
}

TEST_F(CpuChannelTest, ACrashIsAnOutcome) {
  Load("abort();");
  const Judgement judgement = Judge();
  EXPECT_EQ(judgement.verdict, Verdict::kCrashed);
  EXPECT_EQ(judgement.log, "killed by SIGABRT");
}

// As many as take a second, which are all of the pool but one.
TEST_F(CpuChannelTest, ABatchHasNoMoreCallsThanThePoolHasSets) {
  Load(kScaleSource, {.program = {}, .batch_s = 1.0});
  EXPECT_EQ(Judge({.calls = CallCount::kTimed}).calls, 5u);
  EXPECT_EQ(calls_, 5u);
  EXPECT_EQ(Judge().calls, 1u);
  Load(kScaleSource, {.program = {}, .batch_s = 0.0});
  EXPECT_EQ(Judge({.calls = CallCount::kTimed}).calls, 1u);
}

TEST_F(CpuChannelTest, OneOfABatchIsOfTheKind) {
  Load("if (x[0] * x[0] > 1e6f) printf(\"large %d\\n\", calls); " +
           std::string(kScaleSource),
       {.program = {}, .batch_s = 1.0});
  const Judgement judgement =
      Judge({.calls = CallCount::kTimed, .kind = KindOf(Distribution::kLarge)});
  EXPECT_EQ(judgement.verdict, Verdict::kPassed) << judgement.log;
  EXPECT_EQ(judgement.calls, 5u);
  const std::string printed = channel_->Output();
  EXPECT_THAT(printed, testing::MatchesRegex("(large [1-5]\n)?"));
}

// The pool has six, and what is new is kept there, too: a process sees none of
// them twice, and another takes over.
TEST_F(CpuChannelTest, NoProcessIsShownASetTwice) {
  Load(R"(static float seen[64]; for (int i = 1; i < calls; ++i)
            if (seen[i] == x[0]) abort();
          seen[calls] = x[0];)" +
       std::string(kScaleSource));
  for (int i = 0; i < 20; ++i) {
    const Judgement judgement = Judge();
    ASSERT_EQ(judgement.verdict, Verdict::kPassed) << judgement.log;
  }
  EXPECT_LE(bench_->pool().size(), 8u);
}

// While its seconds last, each call has a set that is made for it.
TEST_F(CpuChannelTest, FreshSetsAreMadeForACandidate) {
  Load(kScaleSource, {.program = {}, .fresh_s = 1e9});
  const std::size_t before = bench_->pool().size();
  for (int i = 0; i < 4; ++i) Judge();
  EXPECT_EQ(bench_->pool().size(), before + 4);
  Load(kScaleSource, {.program = {}, .fresh_s = 0.0});  // Only the first.
  for (int i = 0; i < 4; ++i) Judge();
  EXPECT_EQ(bench_->pool().size(), before + 5);
}

TEST_F(CpuChannelTest, EachSideIsCalledOnTheSameInputs) {
  Load(kScaleSource, {.program = {}, .batch_s = 1.0});
  ASSERT_TRUE(channel_->Fill({.calls = CallCount::kFew}));
  ASSERT_TRUE(channel_->Call(Side::kCandidate));
  ASSERT_TRUE(channel_->Compare());
  ASSERT_TRUE(channel_->BeginTiming());
  const std::size_t most = bench_->pool().size() - 1;
  ASSERT_TRUE(channel_->Fill({}));
  for (const Side side : {Side::kRoot, Side::kCandidate, Side::kControl}) {
    const auto timing = channel_->Call(side);
    ASSERT_TRUE(timing) << timing.error().what;
    EXPECT_EQ(timing->verdict, Verdict::kPassed);
    EXPECT_EQ(timing->calls, most);
    EXPECT_GT(timing->call_s, 0.0);
    EXPECT_LE(timing->call_s * static_cast<double>(most),
              timing->wall_s * 1.000001);
  }
  EXPECT_EQ(channel_->Compare()->calls, most);
}

// Who has a second thread is called one by one from the start, and told so.
TEST_F(CpuChannelTest, WhoHasThreadsIsCalledOneByOne) {
  Load(R"(static pthread_t thread; if (calls == 1)
            pthread_create(&thread, nullptr,
                           [](void* p) { for (;;) pause(); return p; },
                           nullptr);)" +
           std::string(kScaleSource),
       {.program = {}, .batch_s = 1.0});
  ASSERT_EQ(Judge().verdict, Verdict::kPassed);
  ASSERT_TRUE(channel_->BeginTiming());
  ASSERT_TRUE(channel_->Fill({}));
  const auto timing = channel_->Call(Side::kCandidate);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->remark, "one by one");
  EXPECT_GE(timing->calls, 5u);
  EXPECT_EQ(channel_->Compare()->verdict, Verdict::kPassed);
}

TEST_F(CpuChannelTest, TheFirstInputsComeAgainBeforeAnotherProcess) {
  Load("printf(\"%d\\n\", calls); " + std::string(kScaleSource),
       {.program = {}, .repeats = true});
  Judge();
  Judge();
  EXPECT_EQ(channel_->Output(), "1\n2\n");
  const auto filled = channel_->FillFirstAgain();
  ASSERT_TRUE(filled);
  EXPECT_EQ(filled->verdict, Verdict::kPassed);
  ASSERT_TRUE(channel_->Call(Side::kCandidate));
  EXPECT_EQ(channel_->Output(), "1\n");
  EXPECT_EQ(channel_->Compare()->verdict, Verdict::kPassed);
  EXPECT_EQ(channel_->WhatDiffers(), "");
}

TEST_F(CpuChannelTest, WhatIsNotAsItWasIsRemarkedOn) {
  // Within the tolerance; the address of a function differs from process to
  // process, in 28 bits: they are equal once in 2^28.
  Load(std::string(kScaleSource) +
           R"(const auto at = reinterpret_cast<uintptr_t>(&printf) >> 12;
              for (int i = 0; i < 28; ++i)
                y[i] *= (at >> i & 1) ? 1.0000001f : 1.0f;)",
       {.program = {}, .repeats = true});
  ASSERT_EQ(Judge().verdict, Verdict::kPassed);
  ASSERT_TRUE(channel_->FillFirstAgain());
  ASSERT_TRUE(channel_->Call(Side::kCandidate));
  EXPECT_EQ(channel_->Compare()->verdict, Verdict::kPassed);
  EXPECT_EQ(channel_->WhatDiffers(),
            "output y differs from run to run on the same inputs, within the "
            "tolerance");
}

}  // namespace
}  // namespace coppice::eval
