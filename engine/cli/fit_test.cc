// The tables of coppice task fit; what it leaves out and refuses is in
// task_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two campaigns of one course.  Roots take 4 s, so that log speedups are 0.693
// (2 s) and 1.386 (1 s), which is the best:
//   1       2 s, on the root
//     4     does not compile
//     5     1 s
//       6   2 s
//   2       crashes, on the root
//     3     1 s
class FitTableTest : public ::testing::Test, protected Rehearsal {
 protected:
  FitTableTest() : history_(store::NewFile(File("live.db"))) {
    for (const char* name : {"b", "c"}) {
      const CampaignId campaign = store::Plant(history_, name);
      const auto grow = [&](NodeId parent, store::Outcome outcome) {
        return Grow(history_, campaign, parent, outcome);
      };
      const NodeId hop = grow(kRootNode, {.runtime_s = 2.0});
      const NodeId crash = grow(kRootNode, {.verdict = Verdict::kCrashed});
      grow(crash, {.runtime_s = 1.0});
      grow(hop, {.verdict = Verdict::kCompileFailed});
      grow(grow(hop, {.runtime_s = 1.0}), {.runtime_s = 2.0});
    }
  }

  Said Fit(const std::string& output) {
    return SayBare(
        {"task", "fit", File("live.db").string(), "--output", output});
  }

  // What is printed of the campaigns.
  std::string Table() {
    const Said said = Fit(File("live.txt").string());
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    return said.out;
  }

 private:
  store::Database history_;
};

// What crashed has compiled.  Of six edits two did not.
TEST_F(FitTableTest, AttemptsAreCountedByWhatTheyWereMadeOn) {
  EXPECT_THAT(Table(),
              StartsWith("live campaigns: 2\n\n"
                         "attempts on            number  compiled   passed\n"
                         "the root (first hops)       4   100.0 %   50.0 %\n"
                         "what passed (edits)         6    66.7 %   66.7 %\n"
                         "what failed (repairs)       2   100.0 %  100.0 %\n"));
}

// One round says nothing of noise.
TEST_F(FitTableTest, VerdictsAreThoseThatThereWere) {
  EXPECT_THAT(Table(),
              HasSubstr("\nverdicts: 8 passed 2 compile_failed 2 crashed\n"
                        "measurement noise of a log speedup: 0.000\n"));
}

// Half of the edits are better than their parents by ln 2, and half are worse
// by as much.
TEST_F(FitTableTest, GainsAreOverTheParent) {
  EXPECT_THAT(
      Table(),
      HasSubstr("\nlog gain of               number   2.5 %    25 %  median   "
                "75 %  97.5 %\n"
                "first hops over the root       2   0.693   0.693   0.693  "
                "0.693   0.693\n"
                "edits over their parents       4  -0.693  -0.693   0.000  "
                "0.693   0.693\n"));
}

// A campaign has one edit of each depth, and no line goes through one point.
TEST_F(FitTableTest, EditsOfAParentAloneHaveNoSlope) {
  EXPECT_THAT(Table(), ContainsRegex("\n1 +2 +-\n2 or more +2 +-\n"));
}

// The four edits by the distance of their parents, in thirds: one, one and two.
// The parent of 6 is the best, and that of 5 is ln 2 below it.
TEST_F(FitTableTest, ReturnsDiminishTowardsTheBest) {
  EXPECT_THAT(
      Table(),
      HasSubstr(
          "\nparent below the best by  edits  improving  median log gain\n"
          "0.000 to 0.000                1      0.0 %           -0.693\n"
          "0.000 to 0.000                1      0.0 %           -0.693\n"
          "0.693 to 0.693                2    100.0 %            0.693\n"));
}

TEST_F(FitTableTest, TheTerrainThatMissesLessIsChosen) {
  const std::string text = Table();
  const std::string tried =
      " \\([0-9]+ of ([0-9]+) checks outside, mean distance ([.0-9]+) sd\\)";
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      text, found,
      std::regex("\nterrain (weak|hill)" + tried + ", rather than (weak|hill)" +
                 tried +
                 "\n\npredictive checks: "
                 "200 times 2 campaigns of the same policies and attempts\n")))
      << text;
  EXPECT_NE(found[1], found[4]);
  EXPECT_EQ(found[2], found[5]);  // Both stood the same checks.
  EXPECT_LT(std::stod(found[3]), std::stod(found[6]));
}

TEST_F(FitTableTest, TheFileSaysWhatItWasFittedTo) {
  const std::string out = Table();
  const std::string file = File("live.txt").string();
  const std::string text = ReadBack(file);
  EXPECT_THAT(text, StartsWith("# A landscape, see docs/landscapes.md.  Fitted "
                               "by `coppice task fit` to:\n#   " +
                               File("live.db").string() + "\n"));
  EXPECT_THAT(out, ContainsRegex("\n" + file + ": fitted-[0-9a-f]+\n$"));
}

// Fitted twice, it is the same landscape.
TEST_F(FitTableTest, ChanceIsFixed) { EXPECT_EQ(Table(), Table()); }

TEST_F(FitTableTest, WithoutItsFileNothingIsTold) {
  const Said said = Fit(File("no/live.txt").string());
  EXPECT_NE(said.exit, Exit::kDone);
  EXPECT_THAT(said.err, HasSubstr(File("no/live.txt").string()));
  EXPECT_EQ(said.out, "");
}

}  // namespace
}  // namespace coppice::cli
