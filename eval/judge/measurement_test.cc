#include "eval/judge/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "eval/host/timing_stability.h"

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
    if (broken == "load") return Broken();
    return loaded;
  }

  Result<Outcome> Fill(const InputsWanted& inputs) override {
    wanted = inputs;
    const bool is_few = wanted.calls == CallCount::kFew;
    history += wanted.seed        ? "seed" + std::to_string(*wanted.seed)
               : wanted.kind != 0 ? "kind" + std::to_string(wanted.kind)
               : is_few           ? "few"
                                  : "many";
    history += ":";
    if (broken == "fill") return Broken();
    return filled;
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
    if (broken == "call") return Broken();
    return timing;
  }

  Result<Judgement> Compare() override {
    history += "= ";
    if (broken == "compare") return Broken();
    Judgement judgement;
    judgement.worst_error_ratio = wanted.kind == 0 ? 0.25 : 0.5;
    judgement.on = wanted.kind == 0 ? "plain" : "huge";
    if (wanted.kind != 0 && is_wrong_on_kinds) {
      judgement.verdict = Verdict::kWrongOutput;
      judgement.log = "on inputs huge: wrong";
    }
    return judgement;
  }

  static tl::unexpected<Error> Broken() { return Fail(Errc::kIo, "ours"); }

  Outcome loaded;
  Outcome filled;
  std::string broken;  // What fails by our own fault.
  InputsWanted wanted;
  std::deque<Timing> own, root;
  std::function<void(Side, Timing&)> alter;
  bool is_wrong_on_kinds = false;
  std::string history;
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

// Root 1 s, candidate 0.5 s: ln 2 each.  A round takes 1.5 s, so three do.
TEST_F(MeasurementTest, AWrongOneIsTimedForAHintAndStaysWrong) {
  channel_.is_wrong_on_kinds = true;
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Check({.kinds = {1}}));
  channel_.history.clear();
  const auto rounds = measurement.RunForHint();
  ASSERT_TRUE(rounds);
  EXPECT_THAT(*rounds,
              ElementsAre(std::log(2.0), std::log(2.0), std::log(2.0)));
  // Nothing is compared any more.
  EXPECT_THAT(channel_.history, testing::MatchesRegex("(many:(rx|xr)){3}"));
  EXPECT_EQ(measurement.result().verdict, Verdict::kWrongOutput);
  EXPECT_THAT(measurement.result().samples_s, IsEmpty());
  EXPECT_EQ(measurement.log(), "on inputs huge: wrong");
}

TEST_F(MeasurementTest, AHintOfShortCallsIsOfFiveRounds) {
  channel_.alter = [](Side, Timing& timing) { timing.call_s = 1e-3; };
  Measurement measurement = {channel_, {}, [] { return 0.0; }};
  EXPECT_THAT(measurement.RunForHint().value(),
              testing::AllOf(SizeIs(5), Each(0.0)));
}

TEST_F(MeasurementTest, NoHintComesOfOneThatDoesWorseMeanwhile) {
  channel_.own = {{}, {}};
  channel_.own.back().verdict = Verdict::kTimedOut;
  Measurement measurement = Make();
  EXPECT_THAT(measurement.RunForHint().value(), IsEmpty());
  EXPECT_EQ(measurement.result().verdict, Verdict::kPassed);  // As before.
}

TEST_F(MeasurementTest, AHintLeavesOutWhatIsUnsettledAndBeginsAnew) {
  Timing unsettled;
  unsettled.call_s = 9.0;
  unsettled.unsettled = "late";
  Timing anew;
  anew.call_s = 9.0;
  anew.begins_anew = true;
  channel_.own = {unsettled, Timing{}, anew};
  channel_.own[1].call_s = 9.0;  // Timed in the way of before.
  Measurement measurement = {channel_, {}, [] { return 0.0; }};
  EXPECT_THAT(measurement.RunForHint().value(),
              testing::AllOf(SizeIs(5), Each(std::log(2.0))));
}

// A new process takes over, whose first call is judged: wrong again.
TEST_F(MeasurementTest, AHintEndsWhereEachProcessIsWrongAtOnce) {
  channel_.filled = {Verdict::kWrongOutput, "wrong"};
  Measurement measurement = Make();
  EXPECT_THAT(measurement.RunForHint().value(), IsEmpty());
  EXPECT_EQ(channel_.history, "many:many:many:many:many:many:many:many:");
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
  TimingStability stability(MachineLoad(
      {.most_s = 100.0}, [&](double seconds) { paused_s += seconds; }));
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3), .stability = &stability}));
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
  EXPECT_THAT(measurement.log(),
              HasSubstr("for 5e+05 us of a call the device works beyond it, "
                        "which counts"));
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
    if (side == Side::kRoot) timing.device_contention = 1.5;
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

// A request that made one call, of so many seconds.
Timing OneCall(double call_s) {
  Timing timing;
  timing.call_s = timing.wall_s = call_s;
  return timing;
}

TEST_F(MeasurementTest, AFaultOfOursIsNoVerdict) {
  for (const char* broken : {"load", "fill", "call", "compare"}) {
    channel_.broken = broken;
    Measurement measurement = Make();
    const Result<void> loaded = measurement.Load();
    const Result<void> checked = measurement.Check({.plain = 1});
    const Result<void> timed = measurement.Time({.budget = Rounds(3)});
    const Result<void> in_turn =
        measurement.TimeInTurn({.seeds = {1}, .calls = 1});
    const bool is_loading = channel_.broken == "load";
    EXPECT_EQ(loaded.has_value(), !is_loading) << broken;
    EXPECT_EQ(checked.has_value(), is_loading) << broken;
    EXPECT_EQ(timed.has_value(), is_loading) << broken;
    EXPECT_EQ(in_turn.has_value(), is_loading || channel_.broken == "compare")
        << broken;
    EXPECT_EQ(measurement.result().verdict, Verdict::kPassed) << broken;
  }
}

TEST_F(MeasurementTest, WhoCannotBeGivenInputsIsNotCalled) {
  channel_.filled = {Verdict::kCrashed, "died of it"};
  Measurement checked = Make();
  ASSERT_TRUE(checked.Check({.plain = 2, .kinds = {1}}));
  Measurement timed = Make();
  ASSERT_TRUE(timed.Time({.budget = Rounds(3), .kinds = {1}}));
  Measurement in_turn = Make();
  ASSERT_TRUE(in_turn.TimeInTurn({.seeds = {7, 8}, .calls = 2}));
  EXPECT_EQ(channel_.history, "few:many:seed7:");
  EXPECT_EQ(checked.log(), "died of it");
  EXPECT_EQ(timed.log(), "died of it");
  EXPECT_EQ(in_turn.result().verdict, Verdict::kCrashed);
}

TEST_F(MeasurementTest, ACallThatFailsIsTheLast) {
  channel_.alter = [](Side side, Timing& timing) {
    if (side != Side::kCandidate) return;
    static_cast<Outcome&>(timing) =
        Rejected(Breach::kForgedAnswer, "it forged");
  };
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Check({.plain = 2, .kinds = {1}}));
  EXPECT_EQ(channel_.history, "few:x");
  EXPECT_EQ(measurement.result().verdict, Verdict::kRejected);
  EXPECT_EQ(measurement.result().breach, Breach::kForgedAnswer);
  EXPECT_EQ(measurement.result().calls_verified, 0);
  EXPECT_EQ(measurement.log(), "it forged");

  channel_.history.clear();
  Measurement timed = Make();
  ASSERT_TRUE(timed.Time({.budget = Rounds(3), .kinds = {1}}));
  EXPECT_EQ(channel_.history.back(), 'x');
  EXPECT_THAT(channel_.history, testing::Not(HasSubstr("=")));
  EXPECT_THAT(timed.result().samples_s, IsEmpty());

  channel_.history.clear();
  Measurement in_turn = Make();
  ASSERT_TRUE(in_turn.TimeInTurn(
      {.seeds = {7}, .first = Side::kRoot, .warm_ups = 1, .calls = 2}));
  EXPECT_EQ(channel_.history, "seed7:rrrx");
}

TEST_F(MeasurementTest, WhoFailsLateKeepsNothingThatWasMeasured) {
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  measurement.result().profile.emplace();
  measurement.Fail({Verdict::kTimedOut, "too late"});
  const WorkloadResult& result = measurement.result();
  EXPECT_EQ(result.verdict, Verdict::kTimedOut);
  EXPECT_FALSE(measurement.Passing());
  EXPECT_THAT(result.samples_s, IsEmpty());
  EXPECT_THAT(result.root_samples_s, IsEmpty());
  EXPECT_THAT(result.control_samples_s, IsEmpty());
  EXPECT_THAT(result.readings, IsEmpty());
  EXPECT_FALSE(result.profile.has_value());
  EXPECT_EQ(measurement.log(), "too late");
  EXPECT_EQ(result.calls_verified, 3);  // They were.
}

// 8 calls of two rounds took 8 and 16 s, 2 and 6 s of processors, at 1 and 3
// GHz.
TEST_F(MeasurementTest, AReadingIsOfAllCallsOfItsSample) {
  channel_.alter = [n = 0](Side side, Timing& timing) mutable {
    if (side == Side::kRoot) timing.calls = 5;
    if (side != Side::kCandidate) return;
    const bool is_second = n++ % 2 == 1;
    timing.calls = 4;
    timing.call_s = is_second ? 4.0 : 2.0;
    timing.wall_s = is_second ? 16.0 : 8.0;
    timing.cpu_s = is_second ? 6.0 : 2.0;
    timing.clock_hz = is_second ? 3e9 : 1e9;
    timing.remark = "one by one";
  };
  Measurement measurement = Make({.rounds_per_sample = 2});
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  EXPECT_THAT(measurement.result().samples_s, Each(3.0));
  const SampleReading& reading = measurement.result().readings.at(0);
  EXPECT_EQ(reading.calls, 8);
  EXPECT_EQ(reading.wall_s, 3.0);
  EXPECT_EQ(reading.cpu_s, 1.0);
  EXPECT_EQ(reading.clock_mhz, 2000.0);
  EXPECT_EQ(measurement.remark(), "one by one");
  EXPECT_THAT(measurement.log(),
              StartsWith("3 rounds of 8 calls, one by one (root 10); "));
}

TEST_F(MeasurementTest, AReadingTellsNothingThatIsNotKnownOfEachCall) {
  channel_.alter = [n = 0](Side side, Timing& timing) mutable {
    if (side == Side::kCandidate && n++ % 2 == 0) timing.cpu_s = 1.0;
  };
  Measurement measurement = Make({.rounds_per_sample = 2});
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  const SampleReading& reading = measurement.result().readings.at(0);
  EXPECT_EQ(reading.cpu_s, std::nullopt);
  EXPECT_EQ(reading.clock_mhz, std::nullopt);
}

TEST_F(MeasurementTest, TheLogHasTheWorstInputsAndAllRemarks) {
  Measurement measurement = Make();
  measurement.Remark("early");
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3), .kinds = {1}}));
  measurement.Remark("late");
  EXPECT_THAT(measurement.log(),
              testing::EndsWith("(root 1); error up to 0.50 of the allowed, on "
                                "huge inputs; early; late"));
}

// Rounds of 2.5 s: 6 s have two, so that the fewest do.
TEST_F(MeasurementTest, LongRoundsNeedToBeFewer) {
  TimingBudget budget{.min_rounds = 5,
                      .max_rounds = 9,
                      .seconds = 100.0,
                      .noise = 0.1,
                      .batch_s = 0.0,
                      .long_s = 6.0};
  Measurement few = Make();
  ASSERT_TRUE(few.Time({.budget = budget}));
  EXPECT_THAT(few.result().samples_s, SizeIs(3));
  budget.long_s = 11.0;
  Measurement four = Make();
  ASSERT_TRUE(four.Time({.budget = budget}));
  EXPECT_THAT(four.result().samples_s, SizeIs(4));
}

// Without noise a session ends with its 10 s: four rounds of 2.5 s, or two more
// that were disturbed, and do not count.
TEST_F(MeasurementTest, RoundsThatAreMadeAgainTakeNoTimeAway) {
  const TimingBudget budget{.min_rounds = 3,
                            .max_rounds = 100,
                            .seconds = 10.0,
                            .noise = 0.0,
                            .batch_s = 0.0};
  int calls = 0;
  channel_.alter = [&](Side side, Timing& timing) {
    const bool is_hit = side == Side::kControl && (++calls == 2 || calls == 3);
    if (is_hit) timing.disturbed = "somebody";
  };
  TimingStability stability(MachineLoad({.most_s = 100.0}, [](double) {}));
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = budget, .stability = &stability}));
  EXPECT_THAT(measurement.result().samples_s, SizeIs(4));
  EXPECT_EQ(measurement.result().discarded_samples, 2);
}

// Without somebody who waits, what disturbs is measured as it comes.
TEST_F(MeasurementTest, WithoutStillnessNothingIsMadeAgain) {
  channel_.alter = [](Side, Timing& timing) { timing.disturbed = "somebody"; };
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  EXPECT_THAT(measurement.result().samples_s, SizeIs(3));
  EXPECT_EQ(measurement.result().discarded_samples, 0);
}

// A root's request takes 1 s.
TEST_F(MeasurementTest, TheControlIsLeftOutFromTheLimitOn) {
  for (const auto& [most_s, controls] : {std::pair(1.0, 0u), {1.1, 3u}}) {
    Measurement measurement =
        Make({.root_is_right = true, .most_controlled_s = most_s});
    ASSERT_TRUE(measurement.Check({.plain = 1}));
    ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
    EXPECT_THAT(measurement.result().control_samples_s, SizeIs(controls));
  }
}

TEST_F(MeasurementTest, OrdersAndKindsDifferFromSeedToSeed) {
  std::set<std::string> pairs, first_orders, last_kinds;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    channel_.history.clear();
    Measurement measurement = Make({.root_is_right = true, .seed = seed});
    ASSERT_TRUE(measurement.Check({.plain = 1}));
    pairs.insert(channel_.history);
    channel_.history.clear();
    ASSERT_TRUE(measurement.Time({.budget = Rounds(3), .kinds = {1, 2, 3, 4}}));
    first_orders.insert(channel_.history.substr(5, 3));
    // Each kind comes once at most, and one comes when all is timed.
    const std::size_t last = channel_.history.rfind("kind");
    ASSERT_GT(last, channel_.history.rfind("many"));
    last_kinds.insert(channel_.history.substr(last, 5));
    for (const std::string kind : {"kind1", "kind2", "kind3", "kind4"}) {
      EXPECT_EQ(channel_.history.find(kind), channel_.history.rfind(kind));
    }
  }
  EXPECT_THAT(pairs, SizeIs(2));
  EXPECT_THAT(first_orders, SizeIs(6));
  EXPECT_THAT(last_kinds, SizeIs(4));
}

// Makes the candidate's calls from `begin` on, so many of them, quick and of no
// measure.
std::function<void(Side, Timing&)> Unsettling(int begin, int count) {
  return [=, n = 0](Side side, Timing& timing) mutable {
    if (side != Side::kCandidate) return;
    const int call = n++;
    if (call < begin || call >= begin + count) return;
    timing.call_s = 0.1;
    timing.unsettled = "nobody knows";
  };
}

TEST_F(MeasurementTest, EightRoundsMaySettleIn) {
  channel_.alter = Unsettling(0, 8);
  Measurement eight = Make();
  ASSERT_TRUE(eight.Time({.budget = Rounds(3)}));
  EXPECT_TRUE(eight.Passing());
  EXPECT_THAT(eight.result().samples_s, ElementsAre(0.5, 0.5, 0.5));
  channel_.alter = Unsettling(0, 9);
  Measurement nine = Make();
  ASSERT_TRUE(nine.Time({.budget = Rounds(3)}));
  EXPECT_EQ(nine.result().verdict, Verdict::kInconclusive);
}

TEST_F(MeasurementTest, AfterASampleThreeMay) {
  channel_.alter = Unsettling(1, 3);
  Measurement three = Make();
  ASSERT_TRUE(three.Time({.budget = Rounds(3)}));
  EXPECT_TRUE(three.Passing());
  channel_.alter = Unsettling(1, 4);
  Measurement four = Make();
  ASSERT_TRUE(four.Time({.budget = Rounds(3)}));
  EXPECT_EQ(four.result().verdict, Verdict::kInconclusive);
}

// Who settled in has three of its own, not what the eight have left.
TEST_F(MeasurementTest, SettlingInIsForgivenWithTheFirstSample) {
  channel_.alter = [a = Unsettling(0, 8), b = Unsettling(9, 3)](
                       Side side, Timing& timing) mutable {
    a(side, timing);
    b(side, timing);
  };
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  EXPECT_TRUE(measurement.Passing());
}

// A stamp behind it waits 4 us longer, of 100 that are honest.
TEST_F(MeasurementTest, WhatAStampWaitsLongerCounts) {
  channel_.alter = [](Side side, Timing& timing) {
    timing.most_after_s = 100e-6;
    timing.after_s = side == Side::kCandidate ? 5e-6 : 1e-6;
  };
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.Time({.budget = Rounds(3)}));
  for (const double sample : measurement.result().samples_s) {
    EXPECT_NEAR(sample, 0.5 + 4e-6, 1e-12);
  }
  EXPECT_THAT(measurement.log(), HasSubstr("for 4 us of a call the device"));
  EXPECT_THAT(measurement.result().root_samples_s, Each(1.0));
}

TEST_F(MeasurementTest, InTurnWarmUpsAreNoSamples) {
  for (const double seconds : {9.0, 8.0, 1.0, 2.0}) {
    channel_.own.push_back(OneCall(seconds));
  }
  Measurement measurement = Make();
  ASSERT_TRUE(
      measurement.TimeInTurn({.seeds = {1}, .warm_ups = 2, .calls = 2}));
  EXPECT_EQ(channel_.history, "seed1:xxxxrrrr");
  EXPECT_THAT(measurement.result().samples_s, ElementsAre(1.0, 2.0));
  EXPECT_THAT(measurement.result().root_samples_s, ElementsAre(1.0, 1.0));
  EXPECT_THAT(measurement.log(), StartsWith("2 calls in a row; error"));
}

// Medians of 1 and 3; means would be 11 / 3 and 2.
TEST_F(MeasurementTest, InTurnASampleIsTheMeanOfTheSetsMedians) {
  for (const double seconds : {1.0, 1.0, 9.0, 3.0, 3.0, 0.0}) {
    channel_.own.push_back(OneCall(seconds));
  }
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.TimeInTurn(
      {.seeds = {1, 2}, .calls = 3, .of_medians = true}));
  EXPECT_THAT(measurement.result().samples_s, ElementsAre(2.0));
}

TEST_F(MeasurementTest, InTurnUnsettledCallsAreMadeAgainWithinLimits) {
  for (const auto& [begin, count, passes] :
       {std::tuple(0, 8, true), {0, 9, false}, {1, 3, true}, {1, 4, false}}) {
    channel_.alter = Unsettling(begin, count);
    Measurement measurement = Make();
    ASSERT_TRUE(measurement.TimeInTurn({.seeds = {1}, .calls = 2}));
    EXPECT_EQ(measurement.Passing(), passes) << begin << " " << count;
    if (!passes) continue;
    EXPECT_THAT(measurement.result().samples_s, ElementsAre(0.5, 0.5));
  }
}

// A quarter of 8 calls.
TEST_F(MeasurementTest, InTurnAFewCrowdedCallsAreMadeAgain) {
  for (const auto& [count, passes] : {std::pair(2, true), {3, false}}) {
    channel_.alter = [n = 0, most = count](Side side, Timing& timing) mutable {
      if (side == Side::kCandidate && n++ < most)
        timing.device_contention = 1.5;
    };
    Measurement measurement = Make();
    ASSERT_TRUE(measurement.TimeInTurn({.seeds = {1}, .calls = 8}));
    EXPECT_EQ(measurement.Passing(), passes) << count;
    EXPECT_THAT(measurement.result().samples_s, SizeIs(passes ? 8 : 0));
    EXPECT_THAT(measurement.log(),
                HasSubstr(passes ? "calls in a row" : "had other work"));
  }
}

// By the events, where there are any: of 0.5 s they may tell a fifth less.
TEST_F(MeasurementTest, InTurnEachSetsEventsAreHeldAgainstTheClock) {
  std::string lying;
  channel_.alter = [&](Side side, Timing& timing) {
    const bool lies = std::to_string(*channel_.wanted.seed) == lying;
    timing.device_s = side == Side::kRoot ? 1.0 : lies ? 0.1 : 0.41;
  };
  Measurement honest = Make();
  ASSERT_TRUE(honest.TimeInTurn({.seeds = {1, 2, 3}, .calls = 2}));
  EXPECT_TRUE(honest.Passing()) << honest.log();
  EXPECT_THAT(honest.result().samples_s, Each(0.41));
  for (const char* set : {"1", "2", "3"}) {
    lying = set;
    Measurement measurement = Make();
    ASSERT_TRUE(measurement.TimeInTurn({.seeds = {1, 2, 3}, .calls = 2}));
    EXPECT_EQ(measurement.result().verdict, Verdict::kInconclusive) << set;
    EXPECT_THAT(measurement.log(), HasSubstr("do not tell the same time"));
  }
}

TEST_F(MeasurementTest, InTurnWorkBeyondACallCounts) {
  channel_.alter = [](Side side, Timing& timing) {
    timing.whole_s = side == Side::kCandidate ? 1.0 : timing.call_s;
  };
  Measurement measurement = Make();
  ASSERT_TRUE(measurement.TimeInTurn({.seeds = {1}, .calls = 2}));
  EXPECT_THAT(measurement.result().samples_s, ElementsAre(1.0, 1.0));
}

}  // namespace
}  // namespace coppice::eval
