#include "agents/prompt/attempt_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <optional>

namespace coppice::agents {
namespace {

Sighting Tried(std::int64_t id, const std::string& technique, Speedup speedup) {
  Sighting sighting;
  sighting.id = NodeId{id};
  sighting.parent = NodeId{3};
  sighting.plan.emplace().technique = technique;
  sighting.verdict = Verdict::kPassed;
  sighting.speedup = speedup;
  return sighting;
}

Sighting Broken(std::int64_t id, Verdict verdict, const std::string& log) {
  Sighting sighting = Tried(id, "tile", {});
  sighting.verdict = verdict;
  sighting.speedup.reset();
  sighting.log = log;
  return sighting;
}

std::string Table(const std::vector<Sighting>& attempts,
                  const PromptLimits& limits = {},
                  std::optional<std::int64_t> so_far = std::nullopt) {
  std::vector<const Sighting*> all;
  for (const Sighting& attempt : attempts) all.push_back(&attempt);
  return AttemptTable(all, so_far.value_or(std::ssize(all)), limits);
}

TEST(AttemptTableTest, TheNewestIsLast) {
  EXPECT_EQ(Table({Tried(9, "tile", {4.0, Interval{3.9, 4.1}}),
                   Tried(5, "unroll", {2.5, Interval{2.4, 2.625}}),
                   Broken(7, Verdict::kCrashed, "")}),
            "5 | 3 | unroll | 2.50x (2.40-2.62)\n"
            "7 | 3 | tile | crashed\n"
            "9 | 3 | tile | 4.00x (3.90-4.10)\n");
}

TEST(AttemptTableTest, ALineSaysWhatItHasAgain) {
  Sighting attempt = Tried(4, "a", {2.0, Interval{1.9, 2.1}});
  attempt.again =
      "writes again 2 lines that its lineage deleted (most by node "
      "2)";
  EXPECT_EQ(Table({attempt}),
            "4 | 3 | a | 2.00x (1.90-2.10), writes again 2 lines that "
            "its lineage deleted (most by node 2)\n");
}

TEST(UnrealisedListTest, SaysTheIdeaHowOftenItWasTriedAndHowItFailed) {
  Unrealised twice;
  twice.plan.technique = "tile by 8";
  twice.plan.advice = "Split the j loop.\nThe remainder goes last.";
  twice.tried = 2;
  twice.last = NodeId{7};
  twice.verdict = Verdict::kCompileFailed;
  twice.log = "In file x:\nkernel.cc:9:5: error: 'sum' was not declared\n";
  Unrealised once;
  once.plan.advice = "Sort it.";
  once.tried = 1;
  once.last = NodeId{5};
  once.verdict = Verdict::kCrashed;
  EXPECT_EQ(UnrealisedList({twice, once}, {}),
            "- never realised: tile by 8: Split the j loop. (2 attempts, the "
            "last, node 7, compile_failed: kernel.cc:9:5: error: 'sum' was not "
            "declared)\n"
            "- never realised: Sort it. (1 attempt, node 5, crashed)\n");
}

TEST(AttemptTableTest, AWrongOnesTimeIsToldAsAHint) {
  Sighting wrong = Broken(7, Verdict::kWrongOutput, "y[0] is off");
  wrong.hint = Hint{.factor = 1.8, .low = 1.6, .high = 2.0, .samples = 5};
  EXPECT_EQ(Table({wrong}),
            "7 | 3 | tile | wrong_output | a hint: ran about 1.80x as fast as "
            "the root (1.60-2.00), though it was wrong; y[0] is off\n");
}

TEST(AttemptTableTest, WhatMayBeNoiseIsNoFact) {
  EXPECT_EQ(Table({Tried(1, "a", {1.3, Interval{0.9, 1.9}})}),
            "1 | 3 | a | no difference told (0.9-1.9)\n");
  EXPECT_EQ(Table({Tried(1, "a", {1.3, std::nullopt})}),
            "1 | 3 | a | no difference told (too few rounds)\n");
}

// 2.0 and 2.1 times, each known to 10 %: apart from 1, not from each other.
// From 1.5 times it is: 2.1 / 1.5 is 1.4, and both are off by 14 % at most.
TEST(AttemptTableTest, WhatMayBeTheParentsSpeedIsNoGain) {
  Sighting attempt = Tried(4, "a", {2.1, Interval{1.9, 2.32}});
  attempt.parent_speedup = Speedup{2.0, Interval{1.81, 2.21}};
  EXPECT_EQ(Table({attempt}), "4 | 3 | a | 2.10x (1.90-2.32), as its parent\n");
  attempt.parent_speedup = Speedup{1.5, Interval{1.36, 1.65}};
  EXPECT_EQ(Table({attempt}), "4 | 3 | a | 2.10x (1.90-2.32)\n");
}

TEST(AttemptTableTest, ARepetitionIsSaidToBeOne) {
  Sighting attempt = Broken(4, Verdict::kCrashed, "signal 11\n");
  attempt.same_as = NodeId{2};
  EXPECT_EQ(Table({attempt}),
            "4 | 3 | tile | crashed | signal 11, same tokens as node 2\n");
}

TEST(AttemptTableTest, TextsOfModelsStayInTheirColumn) {
  EXPECT_EQ(Table({Tried(4, " tile |\n by 8", {4.0, Interval{3.9, 4.1}})}),
            "4 | 3 | tile by 8 | 4.00x (3.90-4.10)\n");
  EXPECT_EQ(Table({Tried(4, "a long technique", {4.0, Interval{3.9, 4.1}})},
                  {.technique = 9}),
            "4 | 3 | a long... | 4.00x (3.90-4.10)\n");
}

// The most telling are given first, and are those that stay.
TEST(AttemptTableTest, TheLeastTellingOfTooManyAreLeftOut) {
  std::vector<Sighting> attempts;
  for (const int i : {5, 9, 8, 1, 2, 3, 4, 6, 7}) {
    attempts.push_back(Broken(i, Verdict::kCrashed, ""));
  }
  const std::size_t line = 23;  // "1 | 3 | tile | crashed" and its end.
  EXPECT_EQ(Table(attempts, {.table = 9 * line}).size(), 9 * line);
  // The note has 105 bytes: three lines and it have 174, four have 197.
  EXPECT_EQ(Table(attempts, {.table = 8 * line}),
            "[6 more are left out: here are those told of below, the fastest, "
            "the newest and one of each technique]\n"
            "5 | 3 | tile | crashed\n8 | 3 | tile | crashed\n"
            "9 | 3 | tile | crashed\n");
}

TEST(AttemptTableTest, ThoseThatAreNotGivenAreCounted) {
  EXPECT_EQ(Table({Broken(5, Verdict::kCrashed, "")}, {}, 400),
            "[399 more are left out: here are those told of below, the "
            "fastest, the newest and one of each technique]\n"
            "5 | 3 | tile | crashed\n");
}

TEST(TellFailureTest, IsTheFirstErrorOfACompiler) {
  EXPECT_EQ(TellFailure("kernel.cc: In function 'run':\n"
                        "kernel.cc:9:5: error: 'sum1' was not declared\n"
                        "kernel.cc:10:5: error: 'sum2' was not declared\n",
                        100),
            "kernel.cc:9:5: error: 'sum1' was not declared");
}

// A log tells of the workloads on which it passed before.
TEST(TellFailureTest, IsWhatWasFoundOnTheLastWorkload) {
  EXPECT_EQ(TellFailure("workload a (M=1): 8 rounds; error up to 0.1\n"
                        "workload b (M=2): y[0] is 1, expected 2\n"
                        "it printed:\nhello\n",
                        100),
            "workload b (M=2): y[0] is 1, expected 2");
  EXPECT_EQ(TellFailure("\n signal 11\nmore\n", 100), "signal 11");
  EXPECT_EQ(TellFailure("", 100), "");
}

// The limit falls inside the two bytes of the first character.
TEST(TellFailureTest, IsCutBetweenCharacters) {
  EXPECT_EQ(TellFailure("\xC3\xA9\xC3\xA9\xC3\xA9", 4), "...");
  EXPECT_EQ(TellFailure("abcdefgh", 6), "abc...");
}

}  // namespace
}  // namespace coppice::agents
