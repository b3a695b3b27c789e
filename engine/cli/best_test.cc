#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
            "a: node 3 of matmul, by its speedup 1.00 s where the root took "
            "4.00 s\n"
            "speedup 4x (too few rounds); cannot tell that it is faster than "
            "the root\n"
            "against the next, node 1: cannot tell: 2x (too few rounds)\n"
            "\n"
            "node  verdict  speedup (95 %)  technique  plan\n"
            "   0  passed               1x  -          the source that it "
            "started from\n"
            "   1  passed           2x (?)  tile       tile it\n"
            "   3  passed           4x (?)  tile       unroll it\n");
}

// Eight equal samples have no noise.
TEST_F(BestTest, AConfirmationReplacesTheLuckyFirstMeasurement) {
  Confirm(3, 1.25);
  EXPECT_THAT(Say({"best"}).out, HasSubstr("speedup 3.2x, confirmed\n"));
}

// 3.2 and 3.19 times the root: 0.3 %, which is not claimed.
TEST_F(BestTest, SaysWhenItCannotTellTheNext) {
  Confirm(3, 1.25);
  Confirm(1, 1.254);
  EXPECT_THAT(Say({"best"}).out,
              HasSubstr("against the next, node 1: cannot tell: 1.003x\n"));
}

TEST_F(BestTest, SaysHowMuchFasterThanTheNextItIs) {
  Confirm(3, 1.25);
  Confirm(1, 2.5);
  EXPECT_THAT(Say({"best"}).out, HasSubstr("against the next, node 1: 2x\n"));
  const auto json = nlohmann::json::parse(Say({"best", "--json"}).out);
  EXPECT_EQ(json[0]["next"]["node"], 1);
  EXPECT_EQ(json[0]["next"]["told_apart"], true);
}

// Nobody comes next to b's root.
TEST_F(BestTest, OfSeveralCampaignsEachGetsALine) {
  store::Plant(database(), "b");
  const Said said = Say({"best"});
  EXPECT_EQ(said.out,
            "campaign  task      root  speedup (95 %)  node  lineage\n"
            "a         matmul  4.00 s          4x (?)   3 ~  tile > tile\n"
            "b         matmul  4.00 s              1x     0\n"
            "~: the next best cannot be told apart from it\n");
  EXPECT_EQ(said.err,
            "--campaign NAME shows how sure one is, and how it got there\n");
}

TEST_F(BestTest, WhoIsToldApartHasNoMark) {
  store::Plant(database(), "b");
  Confirm(3, 1.25);
  Confirm(1, 2.5);
  EXPECT_THAT(Say({"best"}).out, Not(HasSubstr("~")));
}

TEST_F(BestTest, SaysThatTheMachineWasBusy) {
  Evaluation evaluation = store::EvaluationOf(Verdict::kPassed, 1.0);
  evaluation.workloads[0].discarded_samples = 14;
  store::Must(store::Nodes(database())
                  .AddEvaluation(campaign(), NodeId{3}, evaluation, 2000.0));
  EXPECT_THAT(Say({"best"}).out,
              HasSubstr("\nbusy machine: 14 of its rounds were made again\n"));
  EXPECT_EQ(nlohmann::json::parse(
                Say({"best", "--json"}).out)[0]["discarded_samples"],
            14);
  store::Plant(database(), "b");
  EXPECT_THAT(Say({"best"}).out,
              HasSubstr("\nbusy machine: 14 of the winners' rounds were made "
                        "again\n"));
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

// Where none of several has a node that passed there is no table either.
TEST_F(BestTest, WhereNoCampaignHasAWinnerThatIsSaid) {
  const std::string file = File("new.db").string();
  store::Database fresh = store::NewFile(file);
  for (const char* name : {"one", "two"}) {
    store::Must(store::Campaigns(fresh).Create(store::SpecNamed(name)));
  }
  const Said said = SayBare({"best", "--db", file});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "coppice best: " + file +
                          ": in none of its 2 campaigns a node passed yet\n");
  // Programs get what there is.
  const Said json = SayBare({"best", "--json", "--db", file});
  EXPECT_EQ(json.exit, Exit::kDone);
  EXPECT_EQ(json.out, "[]\n");
}

TEST_F(BestTest, ACampaignWithoutAWinnerIsLeftOutOfSeveral) {
  store::Must(store::Campaigns(database()).Create(store::SpecNamed("new")));
  store::Plant(database(), "b");
  const auto json = nlohmann::json::parse(Say({"best", "--json"}).out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["campaign"], "a");
  EXPECT_EQ(json[1]["campaign"], "b");
  EXPECT_THAT(Say({"best"}).out, Not(HasSubstr("\nnew ")));
}

}  // namespace
}  // namespace coppice::cli
