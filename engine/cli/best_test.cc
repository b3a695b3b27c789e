#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/rehearsal.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class BestTest : public ::testing::Test, protected Rehearsal {
 protected:
  void Confirm(std::int64_t node, double runtime_s) {
    Evaluation evaluation = store::EvaluationOf(Verdict::kPassed, runtime_s);
    evaluation.tier = Tier::kFull;
    evaluation.workloads[0].samples_s.assign(8, runtime_s);
    evaluation.workloads[0].root_samples_s.assign(8, 4.0);
    Summarise(evaluation);
    store::Must(
        store::Nodes(database())
            .AddEvaluation(campaign(), NodeId{node}, evaluation, 2000.0));
  }
};

TEST_F(BestTest, ShowsTheWinnerAndItsLineageOfPlans) {
  EXPECT_EQ(Say({"best"}).out,
            "a: node 3 of matmul runs in 1.00 s, the root in 4.00 s\n"
            "speedup 4.00x; cannot tell that it is faster than the root\n"
            "against the next, node 1: cannot tell: too few rounds (2.00x)\n"
            "\n"
            "node  verdict  runtime  speedup  technique  plan\n"
            "   0  passed    4.00 s    1.00x  -          the source that it "
            "started from\n"
            "   1  passed    2.00 s    2.00x  tile       tile it\n"
            "   3  passed    1.00 s    4.00x  tile       unroll it\n");
}

// Eight equal samples have no noise.
TEST_F(BestTest, AConfirmationReplacesTheLuckyFirstMeasurement) {
  Confirm(3, 1.25);
  EXPECT_THAT(Say({"best"}).out,
              HasSubstr("speedup 3.20x (95 % interval 3.20x to 3.20x), "
                        "confirmed\n"));
}

// 3.2 and 3.19 times the root: 0.3 %, which is not claimed.
TEST_F(BestTest, SaysWhenItCannotTellTheNext) {
  Confirm(3, 1.25);
  Confirm(1, 1.254);
  EXPECT_THAT(Say({"best"}).out,
              HasSubstr("against the next, node 1: cannot tell: 1.003x as fast "
                        "(95 % interval 1.003x to 1.003x)\n"));
}

TEST_F(BestTest, SaysHowMuchFasterThanTheNextItIs) {
  Confirm(3, 1.25);
  Confirm(1, 2.5);
  EXPECT_THAT(Say({"best"}).out,
              HasSubstr("against the next, node 1: 2.000x as fast"));
  const auto json = nlohmann::json::parse(Say({"best", "--json"}).out);
  EXPECT_EQ(json[0]["next"]["node"], 1);
  EXPECT_EQ(json[0]["next"]["told_apart"], true);
}

TEST_F(BestTest, OfSeveralCampaignsEachGetsALine) {
  store::Plant(database(), "b");
  const Said said = Say({"best"});
  EXPECT_THAT(said.out, HasSubstr("\na         matmul  4.00 s  1.00 s    4.00x"
                                  "     3  tile > tile\n"));
  EXPECT_THAT(said.out, HasSubstr("\nb         matmul  4.00 s  4.00 s    1.00x"
                                  "     0\n"));
}

TEST_F(BestTest, ACampaignWithoutAPassingNodeHasNone) {
  store::Must(store::Campaigns(database()).Create(store::SpecNamed("new")));
  const Said said = Say({"best", "--campaign", "new"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err, "coppice best: new: no node passed yet\n");
}

TEST_F(BestTest, JsonHoldsTheLineage) {
  Confirm(3, 1.25);
  const auto json = nlohmann::json::parse(Say({"best", "--json"}).out);
  EXPECT_EQ(json[0]["node"], 3);
  EXPECT_EQ(json[0]["speedup"], 3.2);
  EXPECT_EQ(json[0]["confirmed"], true);
  EXPECT_EQ(json[0]["lineage"].size(), 3u);
  EXPECT_EQ(json[0]["lineage"][2]["advice"], "unroll it");
}

}  // namespace
}  // namespace coppice::cli
