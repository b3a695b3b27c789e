#include "agents/provider/retry_headers.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace coppice::agents {
namespace {

std::optional<double> Asked(const std::map<std::string, std::string>& headers) {
  return WaitAsked([&](const char* name) -> std::string_view {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : found->second;
  });
}

// 1994-11-06 is 9075 days after 1970-01-01: 24 years are 8766 (six leap days:
// 72, 76, 80, 84, 88, 92), and November 6 is the 310th day, 309 after the 1st.
// 9075 * 86400 + 8 * 3600 + 49 * 60 + 37 = 784111777, RFC 9110's example.
TEST(ParseTimeTest, ReadsBothForms) {
  EXPECT_EQ(ParseTime("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777.0);
  EXPECT_EQ(ParseTime("1994-11-06T08:49:37Z"), 784111777.0);
  EXPECT_EQ(ParseTime("1994-11-06T08:49:37.25+00:00"), 784111777.25);
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00Z"), 0.0);
  EXPECT_EQ(ParseTime("2024-02-29T00:00:00Z"), 1709164800.0);
}

TEST(ParseTimeTest, OtherTextIsNone) {
  for (const char* text :
       {"", "soon", "1994-11-06", "1994-13-06T08:49:37Z",
        "1994-11-06T25:00:00Z", "1994-11-06T08:49:37",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Foo 1994 08:49:37 GMT",
        "99999999999999-01-01T00:00:00Z"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
}

TEST(ParseDurationTest, ReadsWhatGoPrints) {
  EXPECT_EQ(ParseDuration("6m0s"), 360.0);
  EXPECT_DOUBLE_EQ(ParseDuration("12ms").value(), 0.012);
  EXPECT_DOUBLE_EQ(ParseDuration("1h2m3.5s").value(), 3723.5);
  EXPECT_EQ(ParseDuration("7"), 7.0);
}

TEST(ParseDurationTest, OtherTextIsNone) {
  for (const char* text : {"", "s", "1x", "-1s", "1s2", "inf", "nan", "1 s"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
}

TEST(WaitAskedTest, TakesTheFinestAnswer) {
  EXPECT_EQ(Asked({}), std::nullopt);
  EXPECT_EQ(Asked({{"retry-after", "7"}}), 7.0);
  EXPECT_EQ(Asked({{"retry-after", "1.5"}}), 1.5);
  EXPECT_EQ(Asked({{"retry-after", "7"}, {"retry-after-ms", "250"}}), 0.25);
  EXPECT_EQ(Asked({{"retry-after", "-1"}}), std::nullopt);
}

TEST(WaitAskedTest, ADateCountsFromTheServersOwn) {
  const std::string date = "Sun, 06 Nov 1994 08:49:37 GMT";
  EXPECT_EQ(
      Asked({{"date", date}, {"retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"}}),
      30.0);
  // It has passed.
  EXPECT_EQ(
      Asked({{"date", date}, {"retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"}}),
      0.0);
  EXPECT_EQ(Asked({{"retry-after", date}}), std::nullopt);
}

TEST(WaitAskedTest, WithoutThemLimitsThatAreUsedUpTell) {
  EXPECT_EQ(Asked({{"x-ratelimit-remaining-requests", "0"},
                   {"x-ratelimit-reset-requests", "2s"},
                   {"x-ratelimit-remaining-tokens", "0"},
                   {"x-ratelimit-reset-tokens", "1m0s"}}),
            60.0);
  EXPECT_EQ(Asked({{"x-ratelimit-remaining-requests", "9"},
                   {"x-ratelimit-reset-requests", "2s"}}),
            std::nullopt);
  EXPECT_EQ(Asked({{"date", "Sun, 06 Nov 1994 08:49:37 GMT"},
                   {"anthropic-ratelimit-output-tokens-remaining", "0"},
                   {"anthropic-ratelimit-output-tokens-reset",
                    "1994-11-06T08:49:57Z"}}),
            20.0);
}

}  // namespace
}  // namespace coppice::agents
