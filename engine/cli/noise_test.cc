// What coppice task noise tells of a landscape.  It is simulated without noise,
// and its root is as fast as itself: so each speedup is 1, and no pair of
// sessions is told apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

// A point of sim:basic that is not its root.
constexpr const char* kPoint =
    "sim basic\nlayout 0\ntile 1\nvectorise 0\nunroll 0\nprefetch 0\n"
    "fuse 0\n";

class NoiseReportTest : public ::testing::Test, protected Rehearsal {
 protected:
  NoiseReportTest() { Install(); }

  Said Measure(const Words& more, const std::string& input = {}) {
    Words words = {"task", "noise", "sim:basic"};
    words.insert(words.end(), more.begin(), more.end());
    return SayBare(words, input);
  }
};

// The second of three sessions is held against the first: that is one pair.
TEST_F(NoiseReportTest, ARootIsHeldAgainstTheTruthAndAgainstItself) {
  const Said said = Measure({"--sessions", "3"});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, StartsWith("simulated, 1 thread; the root of sim:basic "
                                   "judged again and again\n\ntier  a session"
                                   "  sessions  inconclusive  farthest off  "
                                   "resolves\n"));
  for (const char* tier : {"fast", "full"}) {
    EXPECT_THAT(said.out, ContainsRegex("\n" + std::string(tier) +
                                        " +[.0-9]+ [mun]?s +3 +0 +0[.]0 % +"
                                        "0[.]0 %\n"));
    EXPECT_THAT(said.out,
                HasSubstr("\n" + std::string(tier) +
                          "  the root          3 of 3          0 of 3          "
                          "0 of 3       0 of 3\n" +
                          tier +
                          "  itself            1 of 1          0 of 1          "
                          "0 of 1       0 of 1\n"));
    EXPECT_THAT(said.out,
                HasSubstr("\nTwo kernels must differ by 0.0 % for the " +
                          std::string(tier) +
                          " tier to tell them apart 19 times in 20.\n"));
  }
}

TEST_F(NoiseReportTest, OfAKernelNobodyKnowsHowFastItIs) {
  const Said said = Measure({"-", "--sessions", "4", "--tier", "full"}, kPoint);
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(said.out, HasSubstr("; the kernel of sim:basic judged again"));
  EXPECT_THAT(said.out,
              ContainsRegex("\nfull +[.0-9]+ [mun]?s +4 +0 +- +0[.]0 %\n"));
  EXPECT_THAT(said.out, HasSubstr("\nfull  itself          2 of 2 "));
  EXPECT_THAT(said.out, Not(HasSubstr("the root")));
  EXPECT_THAT(said.out, Not(HasSubstr("fast  ")));
}

TEST_F(NoiseReportTest, ATerminalIsToldHowFarItIs) {
  terminal = true;
  const Said said = Measure({"--sessions", "3"});
  EXPECT_THAT(said.err, StartsWith("\rsession 1 of 6\rsession 2 of 6\r"));
  EXPECT_THAT(said.err, EndsWith("\rsession 6 of 6\r\033[K"));
}

// The root takes 10 ms, and so does it as a candidate.
TEST_F(NoiseReportTest, ProgramsGetEveryRoundOfEverySession) {
  const auto json =
      nlohmann::json::parse(Measure({"--sessions", "3", "--json"}).out);
  EXPECT_EQ(json["hardware"], "simulated");
  EXPECT_EQ(json["driver"], "");
  EXPECT_EQ(json["threads"], 1);
  ASSERT_EQ(json["tiers"].size(), 2u);
  EXPECT_EQ(json["tiers"][0]["tier"], "fast");
  const auto& full = json["tiers"][1];
  EXPECT_EQ(full["tier"], "full");
  EXPECT_EQ(full["failed"], 0);
  EXPECT_EQ(full["resolves"], 0.0);
  EXPECT_EQ(full["over_root"], nlohmann::json::parse(R"({
      "pairs": 3, "intervals_right": 3, "faster": 0, "slower": 0,
      "no_interval": 0})"));
  EXPECT_EQ(full["over_itself"]["pairs"], 1);
  ASSERT_EQ(full["sessions"].size(), 3u);
  for (const auto& session : full["sessions"]) {
    EXPECT_EQ(session["verdict"], "passed");
    EXPECT_EQ(session["speedup"], 1.0);
    EXPECT_EQ(session["interval"], (nlohmann::json{1.0, 1.0}));
    EXPECT_GE(session["session_s"], 0.0);
    ASSERT_EQ(session["workloads"].size(), 1u);
    const auto& rounds = session["workloads"][0];
    EXPECT_EQ(rounds["samples_s"], nlohmann::json::array({0.01}));
    EXPECT_EQ(rounds["root_samples_s"], nlohmann::json::array({0.01}));
    EXPECT_EQ(rounds["discarded_samples"], 0);
  }
}

TEST_F(NoiseReportTest, ProgramsSeeThatAKernelIsNotHeldAgainstTheRoot) {
  const auto json = nlohmann::json::parse(
      Measure({"-", "--sessions", "3", "--tier", "fast", "--json"}, kPoint)
          .out);
  ASSERT_EQ(json["tiers"].size(), 1u);
  EXPECT_EQ(json["tiers"][0]["tier"], "fast");
  EXPECT_FALSE(json["tiers"][0].contains("over_root"));
  EXPECT_EQ(json["tiers"][0]["over_itself"]["pairs"], 1);
}

TEST_F(NoiseReportTest, WhatCannotBeMeasuredIsOneLine) {
  const std::string wrong = Put("wrong.sim", "no point\n");
  const struct {
    Words more;
    std::string what;
  } kCases[] = {
      {{wrong},
       "sim:basic: it does not pass (compile_failed); `coppice task "
       "check` says why of a root"},
      {{"--sessions", "1001"}, "--sessions: expected 3 to 1000, not 1001"},
      {{"--tier", "quick"}, "--tier quick: expected fast or full"},
      {{File("no.sim").string()},
       File("no.sim").string() + ": No such file or directory"},
  };
  for (const auto& [more, what] : kCases) {
    const Said said = Measure(more);
    EXPECT_EQ(said.exit, Exit::kUsage) << what;
    EXPECT_EQ(said.out, "") << what;
    EXPECT_EQ(said.err, "coppice task noise: " + what + "\n");
  }
}

}  // namespace
}  // namespace coppice::cli
