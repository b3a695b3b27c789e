// coppice eval of what is simulated, and what it refuses; kernels that have to
// be compiled are judged in tests/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

// The root of sim:basic, which takes 10 ms.
constexpr const char* kRootPoint =
    "sim basic\nlayout 0\ntile 0\nvectorise 0\nunroll 0\nprefetch 0\n"
    "fuse 0\n";

class EvalTest : public ::testing::Test, protected Rehearsal {
 protected:
  EvalTest() { Install(); }

  Said Eval(const Words& more, const std::string& input = {}) {
    Words words = {"eval", "sim:basic"};
    words.insert(words.end(), more.begin(), more.end());
    return SayBare(words, input);
  }
};

TEST_F(EvalTest, AKernelThatPassesIsTimedBesideTheRoot) {
  const Said said = Eval({Put("root.sim", kRootPoint)});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(said.out, StartsWith("passed (fast tier; --full checks more)\n"
                                   "speedup 1.00x "));
  EXPECT_THAT(said.out, HasSubstr(" by paired rounds; cannot be told from the "
                                  "root\nworkload "));
  EXPECT_THAT(said.out, HasSubstr("\nsimulated  passed "));
}

// The full tier has no noise, so what was not changed is as fast.
TEST_F(EvalTest, TheFullTierSaysSo) {
  const Said said = Eval({"-", "--full"}, kRootPoint);
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(said.out, StartsWith("passed (full tier)\nspeedup 1x by paired "
                                   "rounds; cannot be told from the root\n"));
  EXPECT_THAT(said.out,
              HasSubstr("simulated  passed    10 ms          10 ms  "));
}

TEST_F(EvalTest, AKernelThatFailsIsAResultAndHasNoTable) {
  const Said said = Eval({Put("bad.sim", "no point\n")});
  EXPECT_EQ(said.exit, Exit::kNoImprovement);
  EXPECT_EQ(said.out, "compile_failed\nline 1: expected 'sim LANDSCAPE'\n");
}

TEST_F(EvalTest, ProgramsGetAllSamples) {
  const Said said = Eval({"-", "--full", "--json"}, kRootPoint);
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json["verdict"], "passed");
  EXPECT_EQ(json["tier"], "full");
  EXPECT_EQ(json["rule"], nullptr);
  EXPECT_EQ(json["failed_shape"], nullptr);
  EXPECT_EQ(json["statistic"], "median");
  EXPECT_DOUBLE_EQ(json["speedup"].get<double>(), 1.0);
  ASSERT_EQ(json["workloads"].size(), 1u);
  const auto& workload = json["workloads"][0];
  EXPECT_EQ(workload["workload"], "simulated");
  EXPECT_EQ(workload["samples_s"], nlohmann::json::array({0.01}));
  EXPECT_DOUBLE_EQ(workload["runtime_s"].get<double>(), 0.01);
  EXPECT_DOUBLE_EQ(json["root_runtime_s"].get<double>(), 0.01);
  const auto bad = nlohmann::json::parse(Eval({"-", "--json"}, "x").out);
  EXPECT_EQ(bad["verdict"], "compile_failed");
  EXPECT_EQ(bad["speedup"], nullptr);
  EXPECT_FALSE(bad.contains("runtime_s"));
  EXPECT_EQ(bad["workloads"], nlohmann::json::array());
}

TEST_F(EvalTest, WhatDoesNotGoTogetherIsTold) {
  const std::string file = Put("root.sim", kRootPoint);
  const struct {
    Words more;
    std::string what;
  } kCases[] = {
      {{}, "missing FILE, or --expert, or --baseline"},
      {{file, "--expert"}, file + ": --expert judges the task's own file"},
      {{file, "--baseline", "eager"},
       file + ": --baseline judges the task's own file"},
      {{"--expert", "--baseline", "eager"},
       "--baseline eager: is not judged together with --expert"},
      {{"--baseline", "fast"}, "--baseline fast"},
      {{"--expert"}, "sim:basic: has no expert solution to judge"},
      {{"--baseline", "eager"}, "sim:basic: is no task in PyTorch"},
      {{file, "--shapes-seed", "3"},
       "--shapes-seed: sim:basic is judged on no other shapes"},
      {{"--profile"}, "--profile: missing FILE"},
      {{"--sanitize"}, "--sanitize: missing FILE"},
      {{file, "--profile", "--expert"}, "--profile: does not go with --expert"},
      {{file, "--profile", "--sanitize"},
       "--profile: does not go with --sanitize"},
      {{file, "--sanitize", "--shapes-seed", "3"},
       "--sanitize: does not go with --shapes-seed"},
      {{file, "--profile"}, "a landscape has no kernels that tools"},
      {{file, "--sanitize"}, "a landscape has no kernels that tools"},
      {{File("no.sim").string()}, "no.sim"},
      {{file, "b.sim"}, "unexpected 'b.sim'"},
  };
  for (const auto& [more, what] : kCases) {
    const Said said = Eval(more);
    EXPECT_EQ(said.exit, Exit::kUsage) << what;
    EXPECT_EQ(said.out, "") << what;
    EXPECT_THAT(said.err, HasSubstr(what));
  }
  EXPECT_THAT(SayBare({"eval", "sim:basci", file}).err,
              HasSubstr("did you mean sim:basic?"));
}

// A kernel that leaves nothing open cannot be tuned, nor can a landscape's be
// held against null candidates.
TEST_F(EvalTest, ALandscapeIsNeitherTunedNorChecked) {
  const std::string file = Put("root.sim", kRootPoint);
  EXPECT_THAT(SayBare({"tune", "sim:basic", file}).err,
              HasSubstr(file + ": leaves no number to be tuned"));
  const Said checked = SayBare({"task", "check", "sim:basic"});
  EXPECT_EQ(checked.exit, Exit::kFailure);
  EXPECT_THAT(checked.err, HasSubstr("sim:basic: null candidates are C++"));
}

}  // namespace
}  // namespace coppice::cli
