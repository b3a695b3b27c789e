#include "engine/campaign/short_text.h"

#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

TEST(ShortTextTest, ADurationHasThreeDigitsAndTheUnitThatSuitsIt) {
  struct Case {
    double seconds;
    const char* text;
  };
  for (const Case& each : {
           Case{0.0, "0 us"},
           Case{3.7e-7, "0.37 us"},
           Case{1e-6, "1 us"},
           Case{9.99e-4, "999 us"},
           Case{1e-3, "1 ms"},
           Case{1.25e-2, "12.5 ms"},
           Case{0.999, "999 ms"},
           Case{1.0, "1.00 s"},
           Case{3.2, "3.20 s"},
           Case{12345.678, "12345.68 s"},
       }) {
    EXPECT_EQ(DurationText(each.seconds), each.text);
  }
}

// Rounded to three digits these are a whole unit, which "1e+03 us" hides.
TEST(ShortTextTest, ADurationThatRoundsUpToAUnitIsTold1OfIt) {
  EXPECT_EQ(DurationText(0.99949), "999 ms");
  EXPECT_EQ(DurationText(0.9996), "1.00 s");
  EXPECT_EQ(DurationText(0.99999999), "1.00 s");
  EXPECT_EQ(DurationText(9.9949e-4), "999 us");
  EXPECT_EQ(DurationText(9.996e-4), "1 ms");
  EXPECT_EQ(DurationText(9.99999e-4), "1 ms");
}

TEST(ShortTextTest, AClockShowsHoursOnlyWhereThereAreSome) {
  EXPECT_EQ(ClockText(0.0), "0:00");
  EXPECT_EQ(ClockText(0.5), "0:01");
  EXPECT_EQ(ClockText(7.4), "0:07");
  EXPECT_EQ(ClockText(59.6), "1:00");
  EXPECT_EQ(ClockText(3599.4), "59:59");
  EXPECT_EQ(ClockText(3599.5), "1:00:00");
  EXPECT_EQ(ClockText(3723.0), "1:02:03");
  EXPECT_EQ(ClockText(360'000.0), "100:00:00");
}

TEST(ShortTextTest, FailuresAreCountedInTheOrderOfVerdicts) {
  VerdictCounts verdicts{};
  EXPECT_EQ(FailureText(verdicts), "no failures");
  verdicts[static_cast<std::size_t>(Verdict::kPassed)] = 7;
  EXPECT_EQ(FailureText(verdicts), "no failures");
  verdicts[static_cast<std::size_t>(Verdict::kInconclusive)] = 3;
  verdicts[static_cast<std::size_t>(Verdict::kCompileFailed)] = 2;
  verdicts[static_cast<std::size_t>(Verdict::kCrashed)] = 1;
  EXPECT_EQ(FailureText(verdicts), "2 compile_failed 1 crashed 3 inconclusive");
}

}  // namespace
}  // namespace coppice::engine
