#include "eval/judge/off_clock_work.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace coppice::eval {
namespace {

// 0.03, 0.04 and 0.03 ms beyond: 0.03, known to 0.01.
const TimingSeries kRootTimes = {.call_s = {1.00e-3, 1.01e-3, 0.99e-3},
                                 .whole_s = {1.03e-3, 1.05e-3, 1.02e-3}};

TEST(HiddenWorkTest, IsWhatWholesHaveBeyondTheirCalls) {
  const std::vector<double> beyond_s = kRootTimes.Beyond();
  ASSERT_EQ(beyond_s.size(), 3u);
  EXPECT_NEAR(beyond_s[0], 0.03e-3, 1e-12);
  EXPECT_NEAR(beyond_s[1], 0.04e-3, 1e-12);
  EXPECT_NEAR(beyond_s[2], 0.03e-3, 1e-12);
}

TEST(HiddenWorkTest, OfAnHonestCandidateIsNone) {
  EXPECT_EQ(HiddenSeconds(kRootTimes, kRootTimes), 0.0);
  // 0.061 ms beyond, 0.031 more than the root; 0.05 * 0.4 + 0.002 + 0.01 =
  // 0.032 ms may be.
  EXPECT_EQ(HiddenSeconds({{0.4e-3}, {0.461e-3}}, kRootTimes), 0.0);
  EXPECT_NEAR(HiddenSeconds({{0.4e-3}, {0.463e-3}}, kRootTimes), 0.033e-3,
              1e-12);
}

TEST(HiddenWorkTest, IsCountedWhereACallReturnsBeforeItsWork) {
  // 0.1 ms until it returns, 1.1 ms until its results are there: 1.0 ms beyond.
  const TimingSeries late = {{0.1e-3, 0.1e-3, 0.1e-3},
                             {1.0e-3, 1.1e-3, 1.4e-3}};
  EXPECT_NEAR(HiddenSeconds(late, kRootTimes), 0.97e-3, 1e-12);
}

TEST(HiddenWorkTest, IsNotCoveredUpByACallThatHidesNothing) {
  // 1.1 less 0.1 ms, less the root's 0.03.
  const TimingSeries late = {{0.1e-3, 0.1e-3, 1.0e-3},
                             {1.0e-3, 1.1e-3, 1.1e-3}};
  EXPECT_NEAR(HiddenSeconds(late, kRootTimes), 0.97e-3, 1e-12);
}

TEST(HiddenWorkTest, IsCountedWhicheverCallsHaveIt) {
  // Half of the calls are as short as it wants, and all wholes as long as they
  // have to be: 1.0 less 0.5 ms, less the root's 0.03.  What is beyond single
  // calls is 0.9, 0.5, 0.5 and 0.0 ms.
  const TimingSeries late = {{0.1e-3, 0.5e-3, 0.5e-3, 1.0e-3},
                             std::vector(4, 1.0e-3)};
  EXPECT_NEAR(HiddenSeconds(late, kRootTimes), 0.47e-3, 1e-12);
}

TEST(HiddenWorkTest, IsSeenAsExactlyAsTheRootsAllows) {
  // -0.1, 0.0, 0.1, 0.2 ms beyond: 0.05, known to 0.2 - 0.0 = 0.2.
  const TimingSeries loud = {std::vector(4, 1e-3),
                             {0.9e-3, 1.0e-3, 1.1e-3, 1.2e-3}};
  // 0.05 + 0.05 * 1 + 0.002 + 0.2 = 0.302 ms.
  EXPECT_EQ(HiddenSeconds({{1e-3}, {1.30e-3}}, loud), 0.0);
  EXPECT_NEAR(HiddenSeconds({{1e-3}, {1.31e-3}}, loud), 0.26e-3, 1e-12);
}

TEST(HiddenWorkTest, IsNotKnownWhereNothingWasTimed) {
  EXPECT_EQ(HiddenSeconds({}, kRootTimes), 0.0);
  EXPECT_EQ(HiddenSeconds(kRootTimes, {}), 0.0);
}

TEST(HiddenWorkTest, IsNotKnownOnTheCpu) {
  EXPECT_EQ(HiddenSeconds({{1.0, 1.0}, {0.0, 0.0}}, {{1.0}, {0.0}}), 0.0);
}

TEST(DeviceContentionTest, IsSeenInAQuarterOfTheTimes) {
  EXPECT_FALSE(IsContended({}));
  EXPECT_FALSE(IsContended({1.03, 1.0, 1.0, 1.0}));
  EXPECT_TRUE(IsContended({1.04, 1.0, 1.0, 1.0}));
  // One of seven calls counts for nothing.
  EXPECT_FALSE(IsContended({1, 1, 9, 1, 1, 1, 1}));
  EXPECT_TRUE(IsContended({1, 1, 9, 1, 1, 9, 1}));
}

// The clock shows 2 ms where the root's events tell 1.5: 0.5 ms are its own.
const TimingSeries kTimedRoot = {.call_s = {2e-3, 2e-3, 2e-3},
                                 .device_s = {1.5e-3, 1.5e-3, 1.5e-3}};

TEST(EventsTest, MayTellWhatTheClockShowsLessItsError) {
  EXPECT_TRUE(EventsAgree(kTimedRoot, kTimedRoot));
  // 3.0 - 0.5 = 2.5 ms; 0.8 of it less 0.01 are 1.99 ms.
  EXPECT_TRUE(EventsAgree({{3e-3}, {}, {1.995e-3}}, kTimedRoot));
  EXPECT_FALSE(EventsAgree({{3e-3}, {}, {1.985e-3}}, kTimedRoot));
}

TEST(EventsTest, AreHeldAsExactlyAsTheRootsCallsAllow) {
  // 0.3, 0.4, 0.5, 0.6, 0.7 ms beside: 0.5, and 0.6 - 0.4 = 0.2 ms of spread.
  const TimingSeries loud = {
      {1.3e-3, 1.4e-3, 1.5e-3, 1.6e-3, 1.7e-3}, {}, std::vector(5, 1e-3)};
  // 0.8 * 2.5 - 2 * 0.2 = 1.6 ms.
  EXPECT_TRUE(EventsAgree({{3e-3}, {}, {1.61e-3}}, loud));
  EXPECT_FALSE(EventsAgree({{3e-3}, {}, {1.59e-3}}, loud));
}

TEST(EventsTest, OfFewCallsMayBeShort) {
  TimingSeries own = {std::vector(20, 2e-3), {}, std::vector(20, 1.5e-3)};
  own.device_s[0] = own.device_s[1] = 0.1e-3;  // A tenth.
  EXPECT_TRUE(EventsAgree(own, kTimedRoot));
  own.device_s[2] = 0.1e-3;  // The median is what it was.
  EXPECT_FALSE(EventsAgree(own, kTimedRoot));
}

TEST(EventsTest, OfCallsThatDifferEachIsHeldAgainstItsOwnClock) {
  // 12 of 100 calls take 1.0 ms, the others 1.5, and the clock shows 0.5 more.
  TimingSeries own = {std::vector(100, 2e-3), {}, std::vector(100, 1.5e-3)};
  for (std::size_t i = 0; i < 12; ++i) {
    own.call_s[i] = 1.5e-3;
    own.device_s[i] = 1e-3;
  }
  EXPECT_TRUE(EventsAgree(own, kTimedRoot));
  // 0.8 * (1.5 - 0.5) - 0.01 = 0.79 ms.
  for (std::size_t i = 0; i < 12; ++i) own.device_s[i] = 0.78e-3;
  EXPECT_FALSE(EventsAgree(own, kTimedRoot));
}

TEST(EventsTest, ALoneDisturbedCallIsNoLie) {
  const TimingSeries own = {
      {2e-3, 2e-3, 9e-3}, {}, {1.5e-3, 1.5e-3, 1.5e-3}};  // Woken late.
  EXPECT_TRUE(EventsAgree(own, kTimedRoot));
  EXPECT_TRUE(EventsAgree({}, kTimedRoot));
}

TEST(EventsTest, APartIsOfAllClocks) {
  const TimingSeries part =
      TimingSeries{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}.Part(1, 2);
  EXPECT_EQ(part.call_s, (std::vector<double>{2, 3}));
  EXPECT_EQ(part.whole_s, (std::vector<double>{6, 7}));
  EXPECT_EQ(part.device_s, (std::vector<double>{10, 11}));
}

TimingSeries After(std::vector<double> after_s, double most_after_s = 0.0) {
  return {.after_s = std::move(after_s), .most_after_s = most_after_s};
}

// 3 us, of which the root's stamps have 1; 0.5 us are free.
TEST(WorkAfterTest, IsWhatAStampWaitsLongerThanTheRoots) {
  const TimingSeries root = After({1e-6, 1e-6, 9e-6});
  EXPECT_NEAR(SecondsAfter(After({3e-6, 3e-6, 0.0}), root), 2e-6, 1e-15);
  EXPECT_EQ(SecondsAfter(After({1.4e-6}), root), 0.0);
  EXPECT_NEAR(SecondsAfter(After({1.6e-6}), root), 0.6e-6, 1e-15);
  EXPECT_EQ(SecondsAfter(After({0.1e-6}), root), 0.0);
  EXPECT_EQ(SecondsAfter({}, root), 0.0);
  EXPECT_EQ(SecondsAfter(After({3e-6}), {}), 0.0);
}

// The lower quartile of 1, 2, 3, 4, 5 us is 2.  The upper quartile of the
// root's 0, 0, 1, 1, 9 is 1.  They are 1 us apart.
TEST(WorkAfterTest, IsNoAccidentWhereNearlyAllStampsWaited) {
  const TimingSeries root = After({0, 0, 1e-6, 1e-6, 9e-6});
  const auto works = [&](double most_after_s) {
    return WorksAfter(After({5e-6, 4e-6, 3e-6, 2e-6, 1e-6}, most_after_s),
                      root);
  };
  EXPECT_TRUE(works(0.9e-6));
  EXPECT_FALSE(works(1.1e-6));
  EXPECT_FALSE(WorksAfter({}, root));
  EXPECT_FALSE(WorksAfter(After({1.0}), {}));
}

TEST(TimingSeriesTest, HasEachClockOfEachRequest) {
  Timing first, second;
  first.call_s = 1, first.whole_s = 2, first.device_s = 3, first.after_s = 4;
  first.device_contention = 5, first.most_after_s = 6;
  second.call_s = 7, second.most_after_s = 8;
  TimingSeries series;
  series.Add(first);
  series.Add(second);
  EXPECT_EQ(series.call_s, (std::vector<double>{1, 7}));
  EXPECT_EQ(series.whole_s, (std::vector<double>{2, 0}));
  EXPECT_EQ(series.device_s, (std::vector<double>{3, 0}));
  EXPECT_EQ(series.after_s, (std::vector<double>{4, 0}));
  EXPECT_EQ(series.device_contention, (std::vector<double>{5, 0}));
  EXPECT_EQ(series.most_after_s, 8);
}

// The root's events tell more than the clock does, by 0.5 ms: no error of it.
TEST(EventsTest, ARootThatTellsMoreExcusesNothing) {
  const TimingSeries root = {{1e-3, 1e-3, 1e-3}, {}, {1.5e-3, 1.5e-3, 1.5e-3}};
  // 0.8 * 3.0 - 0.01 = 2.39 ms.
  EXPECT_TRUE(EventsAgree({{3e-3}, {}, {2.395e-3}}, root));
  EXPECT_FALSE(EventsAgree({{3e-3}, {}, {2.385e-3}}, root));
  EXPECT_TRUE(EventsAgree({{3e-3}, {}, {0.0}}, {}));
}

}  // namespace
}  // namespace coppice::eval
