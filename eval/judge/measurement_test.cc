#include "eval/judge/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace coppice::eval {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// Calls take 1 s of the root and 0.5 s of the candidate, unless a test has it
// otherwise; time passes by calls alone.
class FakeChannel : public CallChannel {
 public:
  Result<Outcome> Load() override {
    history += "load ";
    return loaded;
  }

  Result<Outcome> Fill(const InputsWanted& inputs) override {
    wanted = inputs;
    const bool is_few = wanted.calls == Calls::kFew;
    history += wanted.seed        ? "seed" + std::to_string(*wanted.seed)
               : wanted.kind != 0 ? "kind" + std::to_string(wanted.kind)
               : is_few           ? "few"
                                  : "many";
    history += ":";
    ++fills;
    return Outcome{};
  }

  Result<Timing> Call(Side side) override {
    history += side == Side::kRoot ? "r" : side == Side::kControl ? "c" : "x";
    Timing timing;
    timing.call_s = timing.wall_s = side == Side::kCandidate ? 0.5 : 1.0;
    now_s += timing.wall_s;
    std::deque<Timing>& planned = side == Side::kCandidate ? own : root;
    if (!planned.empty()) {
      timing = planned.front();
      planned.pop_front();
    }
    if (alter) alter(side, timing);
    return timing;
  }

  Result<Judgement> Compare() override {
    history += "= ";
    Judgement judgement;
    judgement.worst_error_ratio = wanted.kind == 0 ? 0.25 : 0.5;
    judgement.on = wanted.kind == 0 ? "plain" : "huge";
    if (wanted.kind != 0 && is_wrong_on_kinds) {
      judgement.verdict = Verdict::kWrongOutput;
      judgement.log = "on inputs huge: wrong";
    }
    return judgement;
  }

  Outcome loaded;
  InputsWanted wanted;
  std::deque<Timing> own, root;
  std::function<void(Side, Timing&)> alter;
  bool is_wrong_on_kinds = false;
  std::string history;
  int fills = 0;
  double now_s = 0.0;
};

// Ends with so many rounds, whatever they say.
TimingBudget Rounds(int count) {
  return {.min_rounds = count,
          .max_rounds = count,
          .seconds = 1e9,
          .noise = 0.0,
          .batch_s = 0.0};
}

class MeasurementTest : public testing::Test {
 protected:
  Measurement Make(MeasurementOptions options = {}) {
    return {channel_, std::move(options), [this] { return channel_.now_s; }};
  }
  FakeChannel channel_;
};

TEST_F(MeasurementTest, ACandidateThatDoesNotLoadIsNotCalled) {
  channel_.loaded = {Verdict::kCrashed, "no entry"};
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Load());
  ASSERT_TRUE(measurement.Check({.plain = 2, .kinds = {1}}));
  EXPECT_EQ(channel_.history, "load ");
  EXPECT_EQ(measurement.result().verdict, Verdict::kCrashed);
  EXPECT_EQ(measurement.log(), "no entry");
}

TEST_F(MeasurementTest, ChecksAreOfTheCandidateAloneWhereAnOracleIsRight) {
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Check({.plain = 2, .kinds = {3, 1}}));
  EXPECT_EQ(channel_.history, "few:x= few:x= kind3:x= kind1:x= ");
  EXPECT_EQ(measurement.result().calls_verified, 4);
  EXPECT_EQ(measurement.result().worst_error_ratio, 0.5);
  EXPECT_EQ(measurement.log(), "");  // Nothing was timed.
}

TEST_F(MeasurementTest, ChecksCallTheRootToWhereItIsRight) {
  Measurement measurement = Make({.root_is_right = true});
  ASSERT_TRUE(measurement.Check({.plain = 1}));
  EXPECT_THAT(channel_.history, testing::AnyOf("few:rx= ", "few:xr= "));
}

TEST_F(MeasurementTest, AWrongOutputEndsIt) {
  channel_.is_wrong_on_kinds = true;
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Check({.plain = 1, .kinds = {1, 2}}));
  EXPECT_EQ(channel_.history, "few:x= kind1:x= ");
  EXPECT_EQ(measurement.result().verdict, Verdict::kWrongOutput);
  EXPECT_EQ(measurement.log(), "on inputs huge: wrong");
}

TEST_F(MeasurementTest, EachSideMeetsEachPlaceEquallyOften) {
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(6)}));
  // Whatever order comes first, all six come once.
  for (const char* order : {"rxc", "xcr", "crx", "cxr", "rcx", "xrc"}) {
    EXPECT_THAT(channel_.history, HasSubstr("many:" + std::string(order) + "="))
        << channel_.history;
  }
  EXPECT_THAT(measurement.result().samples_s, SizeIs(6));
  EXPECT_THAT(measurement.result().samples_s, Each(0.5));
  EXPECT_THAT(measurement.result().root_samples_s, Each(1.0));
  EXPECT_THAT(measurement.result().control_samples_s, SizeIs(6));
  EXPECT_THAT(measurement.result().readings, SizeIs(6));
  EXPECT_THAT(measurement.log(), StartsWith("6 rounds of 1 calls (root 1); "
                                            "error up to 0.25 of the allowed, "
                                            "on plain inputs"));
}

TEST_F(MeasurementTest, ALongRootIsCalledOnceARound) {
  Measurement measurement =
      Make({.root_is_right = true, .most_controlled_s = 0.9});
  ASSERT_TRUE(measurement.Check({.plain = 1}));
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  EXPECT_THAT(measurement.result().control_samples_s, IsEmpty());
  EXPECT_THAT(measurement.result().root_samples_s, SizeIs(3));
}

TEST_F(MeasurementTest, OtherKindsComeAmongTimedRoundsAndAreNoSamples) {
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(40), .kinds = {1, 2}}));
  EXPECT_THAT(measurement.result().samples_s, SizeIs(40));
  // One in four rounds; 40 with none would come 1 of 100,000 times.
  const std::size_t among = channel_.history.find("kind");
  ASSERT_NE(among, std::string::npos);
  EXPECT_NE(channel_.history.find("many", among), std::string::npos);
  // The root is called beside them, or a candidate would know them by that.
  EXPECT_EQ(channel_.history.find("kind1:x="), std::string::npos);
}

TEST_F(MeasurementTest, AllKindsComeWhereAllAreAskedAndOneOfThemAtTheEnd) {
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time(
      {.budget = Rounds(3), .kinds = {1, 2, 3}, .kinds_after = 3}));
  for (const char* kind : {"kind1", "kind2", "kind3"}) {
    EXPECT_THAT(channel_.history, HasSubstr(kind));
  }
  EXPECT_GT(channel_.history.rfind("kind"), channel_.history.rfind("many"));
}

TEST_F(MeasurementTest, AKernelThatIsWrongAmongTimedRoundsKeepsNoTime) {
  channel_.is_wrong_on_kinds = true;
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3), .kinds = {1}}));
  EXPECT_EQ(measurement.result().verdict, Verdict::kWrongOutput);
  EXPECT_THAT(measurement.result().samples_s, IsEmpty());
}

TEST_F(MeasurementTest, ASampleIsTheMeanOfItsRounds) {
  Timing quick, slow;
  quick.call_s = quick.wall_s = 1.0;
  slow.call_s = slow.wall_s = 3.0;
  for (int i = 0; i < 3; ++i)
    channel_.own.insert(channel_.own.end(), {quick, slow});
  Measurement measurement = Make({.rounds_per_sample = 2});
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  EXPECT_THAT(measurement.result().samples_s, ElementsAre(2.0, 2.0, 2.0));
  EXPECT_EQ(measurement.result().readings.front().calls, 2);
  EXPECT_EQ(measurement.result().readings.front().wall_s, 2.0);
}

TEST_F(MeasurementTest, WhoIsTimedAnotherWayFromNowOnBeginsAnew) {
  Timing usual, anew;
  usual.call_s = 9.0;
  anew.begins_anew = true;
  channel_.own = {usual, anew};
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  EXPECT_THAT(measurement.result().samples_s, ElementsAre(0.5, 0.5, 0.5));
}

TEST_F(MeasurementTest, DisturbedRoundsAreMadeAgain) {
  int calls = 0;
  channel_.alter = [&](Side side, Timing& timing) {
    if (side == Side::kRoot && ++calls == 2) timing.disturbed = "somebody";
  };
  double paused_s = 0.0;
  Stillness stillness(
      Quiet({.most_s = 100.0}, [&](double seconds) { paused_s += seconds; }));
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3), .stillness = &stillness}));
  EXPECT_EQ(measurement.result().discarded_samples, 1);
  EXPECT_THAT(measurement.result().samples_s, SizeIs(3));
  EXPECT_GT(paused_s, 0.0);
}

TEST_F(MeasurementTest, UnsettledRoundsAreLeftOutButForThoseThatAreSlow) {
  Timing usual, late, slow;
  usual.call_s = 0.5;
  late.call_s = 0.1;
  slow.call_s = 2.0;
  late.unsettled = slow.unsettled = "nobody knows";
  channel_.own = {usual, late, slow};
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  EXPECT_THAT(measurement.result().samples_s, ElementsAre(0.5, 2.0, 0.5));
}

TEST_F(MeasurementTest, WhoIsUnsettledForEverCannotBeTold) {
  channel_.alter = [](Side side, Timing& timing) {
    if (side == Side::kCandidate) timing.unsettled = "nobody knows";
  };
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  EXPECT_EQ(measurement.result().verdict, Verdict::kInconclusive);
  EXPECT_EQ(measurement.log(), "nobody knows");
}

TEST_F(MeasurementTest, WorkBeyondACallCounts) {
  channel_.alter = [](Side side, Timing& timing) {
    // 0.5 s are hidden; the root's wholes are its calls.
    timing.whole_s = side == Side::kCandidate ? 1.0 : timing.call_s;
  };
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  EXPECT_THAT(measurement.result().samples_s, ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(measurement.log(), HasSubstr("works beyond it, which counts"));
}

TEST_F(MeasurementTest, WorkThatNoStampWaitsForIsRejected) {
  channel_.alter = [](Side side, Timing& timing) {
    timing.most_after_s = 2e-6;
    timing.after_s = side == Side::kCandidate ? 5e-6 : 1e-6;
  };
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(4)}));
  EXPECT_EQ(measurement.result().verdict, Verdict::kRejected);
}

TEST_F(MeasurementTest, ACrowdedDeviceCannotTell) {
  channel_.alter = [](Side side, Timing& timing) {
    if (side == Side::kRoot) timing.crowding = 1.5;
  };
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(4)}));
  EXPECT_EQ(measurement.result().verdict, Verdict::kInconclusive);
}

TEST_F(MeasurementTest, InTurnEachSideIsCalledInARowOnEachSet) {
  Measurement measurement = Make({.root_is_right = true});
  ASSERT_TRUE(measurement.TimeInTurn({.seeds = {7, 8},
                                      .first = Side::kRoot,
                                      .warm_ups = 1,
                                      .calls = 2,
                                      .of_medians = true}));
  EXPECT_EQ(channel_.history, "seed7:rrrseed8:rrrseed7:xxxseed8:xxx");
  EXPECT_THAT(measurement.result().samples_s, ElementsAre(0.5));
  EXPECT_THAT(measurement.result().root_samples_s, ElementsAre(1.0));
}

TEST_F(MeasurementTest, InTurnEqualInputsAreDrawnOnce) {
  Measurement measurement = Make({.root_is_right = true});
  ASSERT_TRUE(measurement.TimeInTurn({.seeds = {42}, .calls = 2}));
  EXPECT_EQ(channel_.history, "seed42:xxrr");
  EXPECT_THAT(measurement.result().samples_s, ElementsAre(0.5, 0.5));
}

TEST_F(MeasurementTest, EventsThatTellLessThanTheClockAreNotBelieved) {
  channel_.alter = [](Side side, Timing& timing) {
    timing.device_s = side == Side::kCandidate ? 0.1 : 1.0;
  };
  Measurement measurement = Make({.root_is_right = true});
  ASSERT_TRUE(measurement.TimeInTurn({.seeds = {42}, .calls = 4}));
  EXPECT_EQ(measurement.result().verdict, Verdict::kInconclusive);
}

}  // namespace
}  // namespace coppice::eval
