// GET /api/node, /api/source, /api/samples, /api/lineage, /api/calls,
// /api/failures and /api/tree: a campaign node by node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/inspector/pages_fixture.h"

namespace coppice::inspector {
namespace {

using store::Must;
using ::testing::HasSubstr;

class NodeRouteTest : public PagesTest {
 protected:
  void Judge(NodeId node, Verdict verdict, std::optional<double> runtime_s) {
    Must(store::Nodes(first_).AddEvaluation(
        a_, node, store::EvaluationOf(verdict, runtime_s), 2000.0));
  }
  // "CTR1", first, count, version.
  std::uint32_t VersionOfTree() {
    const std::string bytes = Ask("/api/tree?c=a").body;
    std::uint32_t version = 0;
    std::memcpy(&version, bytes.data() + 12, sizeof version);
    return version;
  }
};

TEST_F(NodeRouteTest, EachEvaluationHasItsOwnResults) {
  const NodeId node = store::Grow(first_, a_, kRootNode, {.runtime_s = 2.0});
  Judge(node, Verdict::kPassed, 1.0);
  const json evaluations = Get("/api/node?c=a&n=1")["evaluations"];
  ASSERT_EQ(evaluations.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(evaluations[i]["ordinal"], i);
    EXPECT_EQ(evaluations[i]["log"], "log: passed");
    EXPECT_EQ(evaluations[i]["log_cut"], false);
    ASSERT_EQ(evaluations[i]["results"].size(), 1U);
    EXPECT_FALSE(evaluations[i]["results"][0].contains("ordinal"));
    EXPECT_TRUE(evaluations[i]["kernels"].empty());
  }
  const json second = Get("/api/samples?c=a&n=1&ordinal=1");
  EXPECT_EQ(second["workloads"][0]["runtime_s"], json::array({1.0}));
  EXPECT_EQ(second["workloads"][0]["root_runtime_s"], json::array({4.0}));
  EXPECT_TRUE(Get("/api/samples?c=a&n=1&ordinal=9")["workloads"].empty());
}

TEST_F(NodeRouteTest, OfManyChildrenFiftyAreListedAndAllCounted) {
  for (int i = 0; i < 51; ++i) store::Grow(first_, a_, kRootNode);
  const json root = Get("/api/node?c=a&n=0");
  EXPECT_EQ(root["children"].size(), 50U);
  EXPECT_EQ(root["children_total"], 51);
  EXPECT_TRUE(root["parents"].empty());
  EXPECT_EQ(root["shown"], 102);  // To a planner and a coder of each.
}

TEST_F(NodeRouteTest, WhatWasTunedIsToldWithWhatWasChosen) {
  store::Grow(
      first_, a_, kRootNode,
      {.trials = {{"TILE=8", Verdict::kPassed, Speedup{1.5, {}}, 0.5},
                  {"TILE=16", Verdict::kPassed, Speedup{2.0, {}}, 0.5, true}}});
  const json tuning = Get("/api/node?c=a&n=1")["tuning"];
  ASSERT_EQ(tuning.size(), 2U);
  EXPECT_EQ(tuning[0]["chosen"], false);
  EXPECT_EQ(tuning[1]["chosen"], true);
}

TEST_F(NodeRouteTest, ANodeWithoutACandidateHasNoSource) {
  store::Grow(first_, a_, kRootNode, {.verdict = Verdict::kNoCandidate});
  EXPECT_EQ(Get("/api/node?c=a&n=1")["source"], nullptr);
  EXPECT_EQ(Get("/api/node?c=a&n=1")["verdict"], "no_candidate");
  const json lineage = Get("/api/lineage?c=a&n=1");
  ASSERT_EQ(lineage.size(), 2U);
  EXPECT_EQ(lineage[1]["source"], nullptr);
  EXPECT_EQ(lineage[1]["lines"], json::array({0}));  // Those of the root.
}

TEST_F(NodeRouteTest, WhatIsNotThereIsSaid) {
  for (const char* target : {"/api/source?c=a&n=7", "/api/lineage?c=a&n=7"}) {
    EXPECT_EQ(Refusal(Ask(target), 404), "n=7: there is no such node");
  }
  EXPECT_EQ(Refusal(Ask("/api/call?c=a&call=7"), 404),
            "call=7: there is no such call");
  EXPECT_EQ(Refusal(Ask("/api/decision?c=a&d=7"), 404),
            "d=7: there is no such decision");
  EXPECT_EQ(Refusal(Ask("/api/node?c=a&n=7"), 404),
            "n=7: a has 1 nodes, counted from 0");
}

// A call of another campaign is not told under this one's name.
TEST_F(NodeRouteTest, ACallIsOfItsCampaign) {
  store::Grow(first_, a_, kRootNode);
  store::Plant(first_, "other");
  const std::string call = Get("/api/calls?c=a&n=1")[0]["call"].dump();
  EXPECT_EQ(Get("/api/call?c=a&call=" + call)["answer"], "plan: tile the loop");
  EXPECT_EQ(Ask("/api/call?c=other&call=" + call).status, 404);
}

TEST_F(NodeRouteTest, TheLargestGroupOfFailuresGoesFirst) {
  store::Grow(first_, a_, kRootNode, {.verdict = Verdict::kCompileFailed});
  store::Grow(first_, a_, kRootNode, {.verdict = Verdict::kCrashed});
  store::Grow(first_, a_, kRootNode,
              {.verdict = Verdict::kCrashed, .policy = "greedy"});
  const json groups = Get("/api/failures?c=a");
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0]["verdict"], "crashed");
  EXPECT_EQ(groups[0]["count"], 2);
  EXPECT_EQ(groups[0]["policies"], json({{"greedy", 1}, {"stark", 1}}));
  EXPECT_EQ(groups[0]["breach"], nullptr);
  EXPECT_EQ(groups[1]["verdict"], "compile_failed");
  EXPECT_EQ(
      groups[1]["example"],
      json({{"node", 1}, {"log", "log: compile_failed"}, {"log_cut", false}}));
}

TEST_F(NodeRouteTest, AFurtherEvaluationMovesANodeToItsGroup) {
  const NodeId node = store::Grow(first_, a_, kRootNode);
  EXPECT_TRUE(Get("/api/failures?c=a").empty());
  Judge(node, Verdict::kWrongOutput, std::nullopt);
  const json groups = Get("/api/failures?c=a");
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0]["nodes"], json({1}));
}

// 4096 for each further evaluation, and one for each directive that waits.
TEST_F(NodeRouteTest, TheTreesVersionSaysWhetherOldNodesChanged) {
  const NodeId node = store::Grow(first_, a_, kRootNode);
  EXPECT_EQ(VersionOfTree(), 0U);
  Post("/api/directives", {{"c", "a"},
                           {"uuid", ToString(store::NextUuid())},
                           {"kind", "freeze"},
                           {"subject", 1}});
  EXPECT_EQ(VersionOfTree(), 1U);
  Judge(node, Verdict::kPassed, 2.0);
  EXPECT_EQ(VersionOfTree(), 4097U);
}

TEST_F(NodeRouteTest, APageOfNodesBeginsWhereItIsAsked) {
  for (int i = 0; i < 4; ++i) store::Grow(first_, a_, kRootNode);
  const json page = Get("/api/nodes?c=a&from=3&limit=9");
  EXPECT_EQ(page["total"], 5);
  ASSERT_EQ(page["rows"].size(), 2U);
  EXPECT_EQ(page["rows"][0]["node"], 3);
  EXPECT_EQ(page["rows"][0]["confirmed"], false);
  EXPECT_TRUE(Get("/api/nodes?c=a&from=9")["rows"].empty());
  EXPECT_TRUE(Get("/api/nodes?c=a&limit=0")["rows"].empty());
}

// In both places a question of its own is being answered.
TEST_F(NodeRouteTest, AThirdQuestionInSqlIsTurnedAway) {
  inspector_.questions().acquire();
  const json question = {{"sql", "SELECT 1 AS one"}};
  EXPECT_EQ(Post("/api/sql", question).status, 200);
  inspector_.questions().acquire();
  EXPECT_THAT(Refusal(Post("/api/sql", question), 503),
              HasSubstr("two questions are being answered"));
  inspector_.questions().release(2);
  EXPECT_EQ(json::parse(Post("/api/sql", question).body)["rows"], json({{1}}));
}

TEST_F(NodeRouteTest, AQuestionInSqlIsOfTheFileThatItNames) {
  const json question = {{"db", 1}, {"sql", "SELECT campaign FROM campaigns"}};
  const json answer = json::parse(Post("/api/sql", question).body);
  EXPECT_EQ(answer["columns"], json({"campaign"}));
  EXPECT_EQ(answer["rows"], json({{"b"}}));
  EXPECT_EQ(answer["truncated"], false);
  EXPECT_THAT(Refusal(Post("/api/sql", {{"sql", ""}}), 400),
              HasSubstr("not a question: send"));
  EXPECT_EQ(Post("/api/sql", {{"db", 7}, {"sql", "SELECT 1"}}).status, 404);
}

// As a file that a browser keeps, of the database that is named.
TEST_F(NodeRouteTest, AnAnswerInCsvIsAFile) {
  const http::Answer answer =
      Ask("/api/sql.csv?db=1&sql=SELECT+campaign,+'a,b'+AS+t,+NULL+AS+n+"
          "FROM+campaigns");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.type, "text/csv; charset=utf-8");
  EXPECT_EQ(answer.body, "campaign,t,n\nb,\"a,b\",\n");
  ASSERT_EQ(answer.headers.size(), 1U);
  EXPECT_THAT(answer.headers[0].second, HasSubstr("coppice.csv"));
  EXPECT_EQ(Ask("/api/sql.csv?sql=DELETE+FROM+node").status, 400);
}

TEST_F(NodeRouteTest, NodesAreFilteredByAllThatIsAskedAtOnce) {
  store::Grow(first_, a_, kRootNode, {.policy = "greedy", .technique = "tile"});
  store::Grow(first_, a_, kRootNode,
              {.verdict = Verdict::kCrashed, .policy = "greedy"});
  store::Grow(first_, a_, kRootNode, {.technique = "unroll(i)"});
  const auto numbers = [&](const std::string& filter) {
    std::vector<int> found;
    const json page = Get("/api/nodes?c=a&" + filter);
    for (const json& row : page["rows"]) found.push_back(row["node"]);
    return found;
  };
  EXPECT_EQ(numbers("policy=greedy"), (std::vector<int>{1, 2}));
  EXPECT_EQ(numbers("policy=greedy&verdict=passed"), std::vector<int>{1});
  EXPECT_EQ(numbers("technique=tile&verdict=crashed"), std::vector<int>{2});
  EXPECT_EQ(numbers("policy=nobody"), std::vector<int>{});
  EXPECT_EQ(numbers("text=unroll&policy=stark"), std::vector<int>{3});
  EXPECT_EQ(numbers("text=100%25"), std::vector<int>{});
}

// Node 1 and what is below it, from the next decision on.
TEST_F(NodeRouteTest, WhatIsFrozenIsMarkedFromWhereItIsAsked) {
  const NodeId frozen = store::Grow(first_, a_, kRootNode);
  store::Grow(first_, a_, frozen);
  Post("/api/directives", {{"c", "a"},
                           {"uuid", ToString(store::NextUuid())},
                           {"kind", "freeze"},
                           {"subject", 1}});
  Reservation next = store::ReservationOf(2, kRootNode);
  next.nodes_seen = 3;
  Must(store::Attempts(first_).Reserve(a_, next, {{DirectiveId{1}, ""}}));
  // 16 bytes of head; of two nodes 8 of parents, 8 of speedups, 2 of verdicts.
  const std::string bytes = Ask("/api/tree?c=a&from=1").body;
  ASSERT_EQ(bytes.size(), 16U + 2 * 12U);
  EXPECT_EQ(bytes[34] & 8, 8);
  EXPECT_EQ(bytes[35] & 8, 8);
  EXPECT_EQ(Ask("/api/tree?c=a").body[16 + 3 * 9] & 8, 0);  // The root.
}

TEST_F(NodeRouteTest, TheSchemaSaysWhatViewsAndColumnsMean) {
  for (const json& view : Get("/api/schema")) {
    if (view["view"] != "nodes") continue;
    EXPECT_NE(view["comment"], "");
    EXPECT_EQ(view["columns"][0]["name"], "campaign");
    return;
  }
  ADD_FAILURE() << "no view nodes";
}

}  // namespace
}  // namespace coppice::inspector
