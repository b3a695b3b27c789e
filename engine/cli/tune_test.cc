// What coppice tune refuses, and what it makes of kernels that fail.  Those
// that pass have to be compiled, so tests/ tunes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class TuneVerbTest : public ::testing::Test, protected Rehearsal {};

TEST_F(TuneVerbTest, MeasuringAllIsNoClimb) {
  const std::string table = File("space.csv").string();
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--trials", "3"},
        {"--output", "x.cc"},
        {"--json"}}) {
    std::vector<std::string> words = {"tune", "gemm", "k.cc", "--all", table};
    words.insert(words.end(), option.begin(), option.end());
    const Said said = SayBare(words);
    EXPECT_EQ(said.exit, Exit::kUsage);
    EXPECT_EQ(said.err,
              "coppice tune: " + option.front() + ": does not go with --all\n");
  }
  EXPECT_FALSE(std::filesystem::exists(table));
}

TEST_F(TuneVerbTest, ATaskAndAFileAreNeeded) {
  EXPECT_THAT(SayBare({"tune"}).err, HasSubstr("missing TASK"));
  EXPECT_THAT(SayBare({"tune", "gemm"}).err, HasSubstr("missing FILE"));
  EXPECT_THAT(SayBare({"tune", "gemm", "a.cc", "b.cc"}).err,
              HasSubstr("unexpected 'b.cc'"));
  EXPECT_THAT(SayBare({"tune", "gemm", "a.cc", "--trials", "many"}).err,
              HasSubstr("--trials: expected a whole number of at least 0"));
}

// No kernel with a number to be tuned is a point of a landscape: there each
// configuration is judged, and does not compile.
class TunedTest : public ::testing::Test, protected Rehearsal {
 protected:
  TunedTest() { Install(); }

  Said Tune(const std::string& source,
            const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"tune", "sim:basic", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return SayBare(words, source);
  }

  const std::string table_ = File("space.csv").string();
};

constexpr const char* kTwoTiles = "constexpr int TILE = 8;  //@ tune 8 16\n";

TEST_F(TunedTest, WhatFailsAsItsAuthorHasItIsNotTuned) {
  const std::string output = File("tuned.cc").string();
  const Said said = Tune(kTwoTiles, {"--output", output});
  EXPECT_EQ(said.exit, Exit::kNoImprovement);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err,
            "as its author has it, it is compile_failed\n"
            "line 1: expected 'sim LANDSCAPE'\n");
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST_F(TunedTest, ATableHasARowForEachConfiguration) {
  const Said said = Tune(kTwoTiles, {"--all", table_});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.err, table_ + ": 2 of 2 configurations\n");
  EXPECT_EQ(ReadBack(table_),
            "TILE,status,time_ms,speedup,samples\n"
            "8,compile_failed,,,\n"
            "16,compile_failed,,,\n");
}

// What is there is not measured again: nobody would find it correct.
TEST_F(TunedTest, ATableIsGoneOnWith) {
  const std::string before =
      "TILE,status,time_ms,speedup,samples\n16,ok,2,4,8\n";
  Put("space.csv", before);
  EXPECT_EQ(Tune(kTwoTiles, {"--all", table_}).err,
            table_ + ": 2 of 2 configurations\n");
  EXPECT_EQ(ReadBack(table_), before + "8,compile_failed,,,\n");
}

TEST_F(TunedTest, WhatCannotBeTunedIsOneLine) {
  std::string many;
  for (const char* name : {"A", "B", "C"}) {
    many += "constexpr int " + std::string(name) + " = 0;  //@ tune";
    for (int i = 0; i < 50; ++i) many += " " + std::to_string(i);
    many += "\n";
  }
  const struct {
    std::string source;
    std::vector<std::string> more;
    std::string what;
  } kCases[] = {
      {"void f();\n", {}, "-: leaves no number to be tuned; a line that does"},
      {"constexpr int T = 1;  //@ tune 2 4\n", {}, "-: line 1: 1, which T is"},
      {"constexpr int T = 1;  //@ tune\n", {}, "there are no choices"},
      {many,
       {"--all", table_},
       "--all: there are 125000 configurations; at most 100000 are measured"},
      {kTwoTiles,
       {"--all", Put("other.csv", "WIDTH,status,time_ms,speedup,samples\n")},
       "other.csv"},
  };
  for (const auto& [source, more, what] : kCases) {
    const Said said = Tune(source, more);
    EXPECT_EQ(said.exit, Exit::kUsage) << what;
    EXPECT_EQ(said.out, "") << what;
    EXPECT_THAT(said.err, HasSubstr(what));
    EXPECT_EQ(std::ranges::count(said.err, '\n'), 1) << said.err;
  }
  EXPECT_FALSE(std::filesystem::exists(table_));
}

}  // namespace
}  // namespace coppice::cli
