#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/rehearsal.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class DiffTest : public ::testing::Test, protected Rehearsal {};

TEST_F(DiffTest, LabelsItsSidesWithWhatTheyDid) {
  EXPECT_EQ(Say({"diff", "1", "best"}).out,
            "--- node 1 (passed, tile)\n"
            "+++ node 3 (passed, tile)\n"
            "@@ -1,2 +1,2 @@\n"
            " one\n"
            "-two\n"
            "+three\n");
}

TEST_F(DiffTest, TakesItsContextFromTheUser) {
  EXPECT_THAT(Say({"diff", "1", "3", "--context", "0"}).out,
              HasSubstr("@@ -2 +2 @@\n-two\n+three\n"));
}

TEST_F(DiffTest, EqualSourcesAreNoFailure) {
  const Said said = Say({"diff", "1", "1"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "the sources are equal\n");
}

TEST_F(DiffTest, ColoursOnATerminal) {
  terminal = true;
  EXPECT_THAT(Say({"diff", "1", "3"}).out,
              HasSubstr("\033[31m-two\033[0m\n\033[32m+three\033[0m\n"));
}

TEST_F(DiffTest, JsonHoldsTheTextAndItsSides) {
  const auto json =
      nlohmann::json::parse(Say({"diff", "1", "3", "--json"}).out);
  EXPECT_EQ(json["a"], 1);
  EXPECT_EQ(json["b"], 3);
  EXPECT_THAT(json["diff"].get<std::string>(), HasSubstr("+three"));
}

// 1 s and 2 s, but one sample each; then eight each, without noise.
TEST_F(DiffTest, SaysWhichIsFasterOrThatItCannotTell) {
  EXPECT_EQ(Say({"diff", "1", "3"}).err,
            "node 3 against node 1: cannot tell: too few rounds (2.00x)\n");
  for (const auto& [node, runtime_s] : {std::pair(1, 2.0), std::pair(3, 1.0)}) {
    Evaluation evaluation = store::EvaluationOf(Verdict::kPassed, runtime_s);
    evaluation.tier = Tier::kFull;
    evaluation.workloads[0].samples_s.assign(8, runtime_s);
    evaluation.workloads[0].root_samples_s.assign(8, 4.0);
    Summarise(evaluation);
    store::Must(
        store::Nodes(database())
            .AddEvaluation(campaign(), NodeId{node}, evaluation, 2000.0));
  }
  EXPECT_EQ(Say({"diff", "1", "3"}).err,
            "node 3 against node 1: 2.000x as fast (95 % interval 2.000x to "
            "2.000x)\n");
  const auto json =
      nlohmann::json::parse(Say({"diff", "3", "1", "--json"}).out);
  EXPECT_EQ(json["b_over_a"]["ratio"], 0.5);
  EXPECT_EQ(json["b_over_a"]["told_apart"], true);
}

TEST_F(DiffTest, OfAFailingNodeNothingIsSaid) {
  EXPECT_EQ(Say({"diff", "1", "2"}).err, "");
  EXPECT_TRUE(
      nlohmann::json::parse(Say({"diff", "1", "2", "--json"}).out)["b_over_a"]
          .is_null());
}

TEST_F(DiffTest, NeedsTwoNodes) {
  EXPECT_EQ(Say({"diff", "1"}).err,
            "coppice diff: missing B; see: coppice diff --help\n");
}

}  // namespace
}  // namespace coppice::cli
