#include "engine/inspector/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/inspector/watch.h"
#include "store/records/evaluation.h"
#include "store/scratch.h"
#include "store/write/attempts.h"
#include "store/write/directives.h"

namespace coppice::inspector {
namespace {

using nlohmann::json;
using store::Must;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class InspectorTest : public ::testing::Test {
 protected:
  InspectorTest() {
    child_ = store::Grow(database_, campaign_, kRootNode,
                         {.source = "a\nb\n", .runtime_s = 2.0});
    store::Grow(database_, campaign_, child_,
                {.source = "a\nc\n",
                 .verdict = Verdict::kCrashed,
                 .policy = "greedy",
                 .technique = "unroll(i)"});
  }

  http::Answer Ask(const std::string& target) {
    const std::size_t mark = target.find('?');
    http::Request request{"GET", target.substr(0, mark)};
    if (mark != target.npos) {
      request.query = *http::ParseQuery(target.substr(mark + 1));
    }
    return inspector_.Answer(request);
  }
  json Get(const std::string& target) {
    const http::Answer answer = Ask(target);
    EXPECT_EQ(answer.status, 200) << target << answer.body;
    return json::parse(answer.body);
  }
  http::Answer Sql(const json& question) {
    http::Request request{"POST", "/api/sql"};
    request.body = question.dump();
    return inspector_.Answer(request);
  }
  std::string Refusal(const std::string& target, int status) {
    const http::Answer answer = Ask(target);
    EXPECT_EQ(answer.status, status) << target;
    return json::parse(answer.body)["error"];
  }

  store::ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  store::Database database_ = store::NewFile(path_);
  CampaignId campaign_ = store::Plant(database_, "a.b");
  NodeId child_{};
  const engine::SystemClock clock_{};
  Inspector inspector_{{{path_}, true, "me"}, clock_};
};

// The same databases, by a server that may change them.
class SteeringPageTest : public InspectorTest {
 protected:
  http::Answer Post(const std::string& path, const json& body) {
    http::Request request{"POST", path};
    request.body = body.dump();
    return steered_.Answer(request);
  }
  static json Freeze(const std::string& uuid, int node) {
    return {{"db", 0},
            {"c", "a.b"},
            {"uuid", uuid},
            {"kind", "freeze"},
            {"subject", node}};
  }
  // What the next attempt takes up.
  void TakeUp(std::int64_t decision, const std::vector<TakenUp>& taken) {
    Reservation reservation = store::ReservationOf(decision, kRootNode);
    reservation.nodes_seen = decision + 1;  // One after the other.
    Must(store::Attempts(database_).Reserve(campaign_, reservation, taken));
  }

  static constexpr const char* kOne = "0190163d-8694-739b-aea5-966c26f8ad91";
  static constexpr const char* kTwo = "0190163d-8694-739b-aea5-966c26f8ad92";
  Inspector steered_{{{path_}, false, "ana"}, clock_};
};

TEST_F(SteeringPageTest, WhatIsAskedIsARowThatWaits) {
  json advice = {{"c", "a.b"},
                 {"uuid", kOne},
                 {"kind", "advise"},
                 {"payload", {{"text", "Tile."}, {"role", "plan"}}}};
  const http::Answer answer = Post("/api/directives", advice);
  EXPECT_EQ(answer.status, 201) << answer.body;
  const json row = json::parse(answer.body);
  EXPECT_EQ(row["author"], "ana");
  EXPECT_EQ(row["outcome"], "pending");
  EXPECT_EQ(row["subject"], nullptr);
  EXPECT_EQ(row["role"], "plan");
  // Sent again it is the same.
  EXPECT_EQ(json::parse(Post("/api/directives", advice).body)["id"], row["id"]);
  EXPECT_EQ(Get("/api/directives?c=a.b").size(), 1U);
  EXPECT_EQ(Get("/api/campaign?c=a.b")["directives"][0]["text"], "Tile.");
}

TEST_F(SteeringPageTest, TwoThatDisagreeAreToldOfEachOther) {
  json first = Freeze(kOne, 1);
  first["expected_last"] = 0;
  EXPECT_EQ(Post("/api/directives", first).status, 201);
  json second = Freeze(kTwo, 1);
  second["expected_last"] = 0;
  const http::Answer refused = Post("/api/directives", second);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(json::parse(refused.body)["other"]["uuid"], kOne);
  EXPECT_THAT(std::string(json::parse(refused.body)["error"]),
              HasSubstr("ana asked something else"));
  second["expected_last"] = json::parse(refused.body)["other"]["id"];
  EXPECT_EQ(Post("/api/directives", second).status, 201);
}

TEST_F(SteeringPageTest, OnlyWhatWaitsIsWithdrawn) {
  Post("/api/directives", Freeze(kOne, 1));
  const json which = {{"c", "a.b"}, {"id", 1}};
  const http::Answer withdrawn = Post("/api/directives/withdraw", which);
  EXPECT_EQ(withdrawn.status, 200) << withdrawn.body;
  EXPECT_EQ(json::parse(withdrawn.body)["outcome"], "withdrawn");
  EXPECT_EQ(Post("/api/directives/withdraw", which).status, 409);
  EXPECT_EQ(Post("/api/directives/withdraw", {{"c", "a.b"}, {"id", 9}}).status,
            404);
}

TEST_F(SteeringPageTest, WhatHoldsIsSeenWhereAPersonLooks) {
  EXPECT_EQ(Get("/api/campaigns")[0]["steered"], false);
  Post("/api/directives", Freeze(kOne, 1));
  TakeUp(2, {{DirectiveId{1}, ""}});
  EXPECT_EQ(Get("/api/campaigns")[0]["steered"], true);
  EXPECT_EQ(Get("/api/compare")["steered"], json({{{"db", 0}, {"c", "a.b"}}}));
  EXPECT_EQ(Get("/api/decision?c=a.b&d=2")["directives"], json({1}));
  // Node 1 and node 2 below it; flags follow parents, speedups and verdicts.
  const std::string bytes = Ask("/api/tree?c=a.b").body;
  EXPECT_EQ(bytes[43] & 8, 0);
  EXPECT_EQ(bytes[44] & 8, 8);
  EXPECT_EQ(bytes[45] & 8, 8);
}

TEST_F(SteeringPageTest, WhatIsNoDirectiveIsRefusedWithTheReason) {
  const auto why = [&](const json& body) {
    const http::Answer answer = Post("/api/directives", body);
    EXPECT_EQ(answer.status, 400) << answer.body;
    return std::string(json::parse(answer.body)["error"]);
  };
  json rule = {{"c", "a.b"},
               {"uuid", kOne},
               {"kind", "forbid"},
               {"payload", {{"aspect", "pattern"}, {"text", "("}}}};
  EXPECT_THAT(why(rule), HasSubstr("Unmatched"));
  rule["kind"] = "quarantine";
  EXPECT_THAT(why(rule), StartsWith("not a directive: send"));
  rule["kind"] = "freeze";
  EXPECT_THAT(why(rule), HasSubstr("freeze: needs a node"));
  EXPECT_THAT(why(Freeze(kOne, 9)), HasSubstr("there is no node 9"));
  EXPECT_THAT(why(Freeze("x", 1)), StartsWith("not a directive"));
  EXPECT_THAT(why(json::array()), StartsWith("not a directive"));
  json other = Freeze(kOne, 1);
  other["c"] = "zz";
  EXPECT_EQ(Post("/api/directives", other).status, 404);
  other["db"] = 7;
  EXPECT_EQ(Post("/api/directives", other).status, 404);
}

TEST_F(SteeringPageTest, AKernelIsKeptForWhoRunsTheCampaign) {
  const json kernel = {{"c", "a.b"},
                       {"name", "/home/ann/mine.cc"},
                       {"source", "int mine;\n"},
                       {"author", "Ann"}};
  const http::Answer answer = Post("/api/submit", kernel);
  EXPECT_EQ(answer.status, 201) << answer.body;
  const json kept = json::parse(answer.body);
  // Decisions 0 and 1 were before it.
  EXPECT_EQ(kept["claim"], 1);
  EXPECT_EQ(kept["decision"], 2);
  EXPECT_THAT(std::string(kept["note"]),
              HasSubstr("this server judges nothing"));
  EXPECT_THAT(store::Rows(database_,
                          "SELECT origin, author, node, decision FROM claims"),
              ElementsAre("mine.cc|Ann|-|2"));
  // Whoever comes next finds an attempt that only has to be judged.
  EXPECT_THAT(
      store::Rows(database_,
                  "SELECT stage, policy FROM attempts WHERE decision = 2"),
      ElementsAre("coded|import"));
  // The same source is one claim, and stays whose it was first.
  json again = kernel;
  again["author"] = "Ben";
  const http::Answer known = Post("/api/submit", again);
  EXPECT_EQ(known.status, 200) << known.body;
  EXPECT_EQ(json::parse(known.body)["claim"], 1);
  EXPECT_EQ(json::parse(known.body)["decision"], 2);
  EXPECT_THAT(std::string(json::parse(known.body)["note"]),
              HasSubstr("submitted before as mine.cc by Ann"));
}

TEST_F(SteeringPageTest, AKernelThatNobodySignedIsThePersonsWhoServes) {
  EXPECT_EQ(Post("/api/submit",
                 {{"c", "a.b"}, {"name", "x.cc"}, {"source", "int x;"}})
                .status,
            201);
  EXPECT_THAT(store::Rows(database_, "SELECT author FROM claims"),
              ElementsAre("ana"));
}

TEST_F(SteeringPageTest, WhatCannotBeAKernelHereIsRefused) {
  const json kernel = {{"c", "a.b"}, {"name", "x.cc"}, {"source", "int x;"}};
  const auto why = [&](const char* key, const json& value, int status = 400) {
    json other = kernel;
    other[key] = value;
    const http::Answer answer = Post("/api/submit", other);
    EXPECT_EQ(answer.status, status) << key << answer.body;
    return std::string(json::parse(answer.body)["error"]);
  };
  EXPECT_THAT(why("name", "x.py"),
              HasSubstr("x.py: kernels of a.b are written in C++"));
  EXPECT_THAT(why("name", "x.json"), HasSubstr("coppice submit"));
  EXPECT_THAT(why("name", "a\nb"), HasSubstr("name: has control characters"));
  EXPECT_THAT(why("author", std::string(81, 'x')),
              HasSubstr("author: is longer than 80 characters"));
  EXPECT_THAT(why("source", " \n"), HasSubstr("x.cc: holds no kernel"));
  EXPECT_THAT(why("source", std::string(500'001, 'x')), HasSubstr("500 kB"));
  EXPECT_THAT(why("source", 7), HasSubstr("source: expected a text"));
  EXPECT_THAT(why("name", nullptr), StartsWith("not a kernel: send"));
  EXPECT_THAT(why("c", nullptr), StartsWith("not a kernel: send"));
  EXPECT_THAT(why("c", "zz", 404), HasSubstr("no campaign"));
  EXPECT_THAT(why("db", 7, 404), HasSubstr("db=7"));
  EXPECT_EQ(Ask("/api/submit").status, 405);
  EXPECT_THAT(store::Rows(database_, "SELECT count(*) FROM claims"),
              ElementsAre("0"));
}

TEST_F(InspectorTest, ReadOnlyNoKernelIsKept) {
  http::Request request{"POST", "/api/submit"};
  request.body = R"({"c": "a.b", "name": "x.cc", "source": "int x;"})";
  EXPECT_EQ(inspector_.Answer(request).status, 405);
  EXPECT_THAT(store::Rows(database_, "SELECT count(*) FROM claims"),
              ElementsAre("0"));
}

TEST_F(InspectorTest, TheStateSaysWhatIsShown) {
  const json state = Get("/api/state");
  EXPECT_EQ(state["databases"][0]["path"], "x.db");  // And no folder.
  EXPECT_EQ(state["read_only"], true);
  EXPECT_EQ(state["user"], "me");
}

TEST_F(InspectorTest, ACampaignIsALineWithItsBest) {
  const json campaigns = Get("/api/campaigns");
  ASSERT_EQ(campaigns.size(), 1U);
  EXPECT_EQ(campaigns[0]["c"], "a.b");
  EXPECT_EQ(campaigns[0]["state"], "interrupted");  // Nobody runs it.
  EXPECT_EQ(campaigns[0]["best"]["node"], 1);
  EXPECT_EQ(campaigns[0]["best"]["speedup"], 2.0);  // 4 s over 2 s.
  EXPECT_EQ(campaigns[0]["nodes"], 3);
  EXPECT_EQ(campaigns[0]["improvements"], 1);
  EXPECT_EQ(campaigns[0]["verdicts"], json({1, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(campaigns[0]["trend"], json({1.0, 2.0, 2.0}));
}

TEST_F(InspectorTest, ACampaignsPageHasCurveBandsAndLeaders) {
  const json page = Get("/api/campaign?c=a.b");
  ASSERT_EQ(page["curve"].size(), 3U);  // The root, node 1, and the last.
  EXPECT_EQ(page["curve"][1]["node"], 1);
  EXPECT_EQ(page["curve"][1]["usd"], 0.5);  // Two calls of 0.25.
  EXPECT_EQ(page["curve"][2]["best"], 2.0);
  EXPECT_EQ(page["curve"][2]["speedup"], nullptr);
  EXPECT_EQ(
      page["bands"][1],
      json({{"from", 2}, {"to", 2}, {"counts", {0, 0, 1, 0, 0, 0, 0, 0}}}));
  EXPECT_EQ(page["leaders"][0]["node"], 1);
  EXPECT_EQ(page["leaders"][1]["told_apart"], false);  // Too few rounds.
  EXPECT_EQ(page["policies"], json({"stark", "greedy"}));
  EXPECT_EQ(page["events"][0]["kind"], "committed");
}

TEST_F(InspectorTest, TheTreeIsColumnsOfFixedWidth) {
  const std::string bytes = Ask("/api/tree?c=a.b").body;
  ASSERT_EQ(bytes.size(), 16U + 3 * 12U);
  EXPECT_THAT(bytes, StartsWith("CTR1"));
  std::uint32_t parents[3];
  std::memcpy(parents, bytes.data() + 16, sizeof parents);
  EXPECT_THAT(parents, ElementsAre(0xffffffffU, 0U, 1U));
  float speedups[3];
  std::memcpy(speedups, bytes.data() + 28, sizeof speedups);
  EXPECT_EQ(speedups[1], 2.0F);
  EXPECT_TRUE(std::isnan(speedups[2]));
  EXPECT_EQ(bytes.substr(40, 3), std::string("\0\0\2", 3));    // Verdicts.
  EXPECT_EQ(bytes.substr(49, 3), std::string("\xff\0\1", 3));  // Policies.
  EXPECT_EQ(Ask("/api/tree?c=a.b&from=2").body.size(), 16U + 12U);
  EXPECT_EQ(Ask("/api/tree?c=a.b&from=9").body.size(), 16U);
}

TEST_F(InspectorTest, NodesAreSortedAndFiltered) {
  const auto numbers = [&](const std::string& more) {
    std::vector<int> found;
    const json page = Get("/api/nodes?c=a.b" + more);
    for (const json& row : page["rows"]) {
      found.push_back(row["node"]);
    }
    return found;
  };
  EXPECT_THAT(numbers(""), ElementsAre(0, 1, 2));
  EXPECT_THAT(numbers("&desc=1&limit=2"), ElementsAre(2, 1));
  EXPECT_THAT(numbers("&sort=speedup&desc=1"), ElementsAre(1, 0, 2));
  EXPECT_THAT(numbers("&sort=speedup"), ElementsAre(0, 1, 2));
  EXPECT_THAT(numbers("&sort=runtime"), ElementsAre(1, 0, 2));
  EXPECT_THAT(numbers("&verdict=crashed"), ElementsAre(2));
  EXPECT_THAT(numbers("&policy=stark"), ElementsAre(1));
  EXPECT_THAT(numbers("&technique=unroll"), ElementsAre(2));
  EXPECT_THAT(numbers("&text=UNROLL"), ElementsAre(2));
  EXPECT_THAT(numbers("&technique=nothing"), IsEmpty());
  EXPECT_EQ(Get("/api/nodes?c=a.b&limit=1&from=1")["total"], 3);
  Refusal("/api/nodes?c=a.b&sort=colour", 400);
  Refusal("/api/nodes?c=a.b&verdict=nice", 400);
}

TEST_F(InspectorTest, ANodeHasEverythingThatWasObservedOfIt) {
  const json node = Get("/api/node?c=a.b&n=1");
  EXPECT_EQ(node["source"], "a\nb\n");
  EXPECT_EQ(node["source_cut"], false);
  EXPECT_EQ(node["children"][0]["node"], 2);
  EXPECT_EQ(node["children_total"], 1);
  EXPECT_EQ(node["parents"], json::array({0}));
  EXPECT_EQ(node["evaluations"][0]["results"][0]["workload"], "w0");
  EXPECT_EQ(node["hint"], nullptr);
  EXPECT_EQ(node["shown"], 2);  // To the planner and the coder of node 2.
  EXPECT_EQ(node["plan_grounded"], true);
  EXPECT_EQ(Get("/api/source?c=a.b&n=2")["source"], "a\nc\n");
  EXPECT_EQ(Get("/api/samples?c=a.b&n=1")["workloads"][0]["runtime_s"],
            json::array({2.0}));
}

TEST_F(InspectorTest, ALineageSaysWhoWroteWhichLine) {
  const json steps = Get("/api/lineage?c=a.b&n=2");
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[2]["lines"], json({1, 2}));
  EXPECT_FALSE(steps[1].contains("lines"));
}

TEST_F(InspectorTest, CallsAreToldWithTheirWindows) {
  const json calls = Get("/api/calls?c=a.b&n=2");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0]["window"][0]["kinship"], "selected");
  const json call = Get("/api/call?c=a.b&call=" + calls[1]["call"].dump());
  EXPECT_EQ(call["answer"], "code: a\nc\n");
  EXPECT_TRUE(call["request"].contains("temperature"));
}

TEST_F(InspectorTest, FailuresAreGroupedByWhatTheirLogsSay) {
  store::Grow(database_, campaign_, child_, {.verdict = Verdict::kCrashed});
  const json groups = Get("/api/failures?c=a.b");
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0]["count"], 2);
  EXPECT_EQ(groups[0]["nodes"], json({2, 3}));
  EXPECT_EQ(groups[0]["example"]["log"], "log: crashed");
  EXPECT_EQ(groups[0]["techniques"], json({{"tile", 1}, {"unroll", 1}}));
}

TEST_F(InspectorTest, WholeFilesAnswerToo) {
  const json live_tree = Get("/api/leaderboard");
  EXPECT_EQ(live_tree["rows"][0]["node"], 1);
  EXPECT_EQ(live_tree["workloads"][0]["rows"][0]["speedup"], 2.0);
  EXPECT_EQ(Get("/api/spend")["days"].size(), 2U);  // Plan and code.
  EXPECT_EQ(Get("/api/compare")["curves"].size(), 1U);
  EXPECT_GT(Get("/api/schema").size(), 30U);
  EXPECT_EQ(Get("/api/history?c=a.b&n=1")[0]["speedup"], 2.0);
}

TEST_F(InspectorTest, AQuestionInSqlIsAnsweredWithinLimits) {
  const json answer =
      json::parse(Sql({{"sql", "VALUES (1), (2)"}, {"limit", 1}}).body);
  EXPECT_EQ(answer["rows"], json({{1}}));
  EXPECT_EQ(answer["truncated"], true);
  const http::Answer endless =
      Sql({{"sql",
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1"
            " FROM n) SELECT count(*) FROM n"},
           {"seconds", 0.05}});
  EXPECT_EQ(endless.status, 400);
  EXPECT_THAT(endless.body, HasSubstr("longer than it may"));
  for (const json& question :
       {json{{"sql", "DELETE FROM node"}}, json{{"sql", "ATTACH 'y' AS y"}},
        json{{"sql", "SELECT zeroblob(1e9)"}}, json{{"sql", 1}}, json(3)}) {
    EXPECT_EQ(Sql(question).status, 400) << question;
  }
  EXPECT_EQ(Ask("/api/sql.csv?sql=SELECT+1+AS+a,+NULL+AS+b").body, "a,b\n1,\n");
}

// Greedy goes on from the fastest: of the root at 4 s and node 1 at 2 s, that.
TEST_F(InspectorTest, ADecisionIsShownWithItsScores) {
  const json first = Get("/api/decision?c=a.b&d=0");
  EXPECT_EQ(first["seen"]["nodes"], 1);
  EXPECT_EQ(first["scores"]["nodes"].size(), 1U);
  const json second = Get("/api/decision?c=a.b&d=1");
  EXPECT_EQ(second["policy"], "greedy");
  EXPECT_EQ(second["again"]["node"], 1);
  EXPECT_EQ(second["scores"]["measure"], "seconds");
  EXPECT_EQ(second["scores"]["lowest_is_best"], true);
  EXPECT_EQ(second["scores"]["of"], 2);
  EXPECT_EQ(second["scores"]["nodes"][0]["node"], 1);
  EXPECT_EQ(second["scores"]["nodes"][0]["score"], 2.0);
  // Greedy draws nothing here: whatever the seed, it is node 1.
  EXPECT_EQ(second["scores"]["nodes"][0]["seeds"], second["scores"]["seeds"]);
  EXPECT_EQ(second["scores"]["nodes"][1]["score"], 4.0);
  EXPECT_EQ(second["scores"]["nodes"][1]["seeds"], 0);
}

TEST_F(InspectorTest, WhatIsWrongIsOneLine) {
  EXPECT_THAT(Refusal("/api/node?c=a.b&n=7", 404), HasSubstr("3 nodes"));
  EXPECT_THAT(Refusal("/api/node?c=a.b&n=-1", 400), HasSubstr("whole number"));
  EXPECT_THAT(Refusal("/api/node?c=a.b", 400), HasSubstr("n is missing"));
  EXPECT_THAT(Refusal("/api/node?n=1", 400), HasSubstr("c is missing"));
  EXPECT_THAT(Refusal("/api/node?c=z&n=1", 404), HasSubstr("no campaign"));
  EXPECT_THAT(Refusal("/api/campaign?c=a.b&db=1", 404), HasSubstr("db=1"));
  Refusal("/api/nothing", 404);
  Refusal("/api/call?c=a.b&call=99", 404);
  Refusal("/api/decision?c=a.b&d=99", 404);
}

// Files of a folder that the user named, and nothing beside it.
TEST_F(InspectorTest, ModelsOfBrowsersComeFromTheirFolderAlone) {
  EXPECT_EQ(Ask("/models/web-llm.js").status, 404);
  const auto folder = directory_.File("models");
  std::filesystem::create_directories(folder / "tiny");
  std::ofstream(folder / "web-llm.js") << "export {}";
  std::ofstream(folder / "tiny" / "a b.bin") << "weights";
  std::ofstream(directory_.File("secret")) << "secret";
  std::filesystem::create_symlink("../secret", folder / "link");
  Inspector inspector({.files = {path_}, .models = folder}, clock_);
  const auto get = [&](const std::string& path) {
    return inspector.Answer({"GET", path});
  };
  EXPECT_EQ(get("/models/web-llm.js").type, "text/javascript");
  EXPECT_EQ(get("/models/tiny/a%20b.bin").body, "weights");
  for (const char* path :
       {"/models/", "/models/tiny", "/models/none", "/models/../secret",
        "/models/%2e%2e/secret", "/models/tiny/../../secret", "/models/link",
        "/models//etc/passwd", "/models/web-llm.js%00", "/models/%zz"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
  EXPECT_TRUE(json::parse(get("/api/state").body)["has_browser_models"]);
  EXPECT_FALSE(Get("/api/state")["has_browser_models"]);
}

TEST_F(InspectorTest, ReadOnlyNothingButAQuestionMayBePosted) {
  for (const std::string method : {"POST", "PUT", "DELETE", "PATCH"}) {
    EXPECT_EQ(inspector_.Answer({method, "/api/directives"}).status, 405);
    EXPECT_EQ(inspector_.Answer({method, "/api/campaigns"}).status, 405);
  }
}

TEST_F(InspectorTest, StrangeTextsAreTextsOfJson) {
  const std::string strange = "\xff\xfe</script>\"\x1b[31m\xe2\x80\xae";
  const CampaignId other = store::Plant(database_, strange);
  store::Grow(database_, other, kRootNode,
              {.source = strange, .advice = strange, .technique = strange});
  const json campaigns = Get("/api/campaigns");
  EXPECT_THAT(campaigns[1]["c"].get<std::string>(),
              HasSubstr("</script>\"\x1b[31m"));
  const json node =
      Get("/api/node?n=1&c=%FF%FE%3C/script%3E%22%1B[31m"
          "%E2%80%AE");
  EXPECT_THAT(node["source"].get<std::string>(), HasSubstr("</script>"));
}

TEST_F(InspectorTest, ALongTextIsCutUnlessAllOfItIsAskedFor) {
  store::Grow(database_, campaign_, kRootNode,
              {.source = std::string(1'000'001, 'x')});
  const json cut = Get("/api/source?c=a.b&n=3");
  EXPECT_EQ(cut["cut"], true);
  EXPECT_EQ(cut["source"].get<std::string>().size(), 1'000'000U);
  EXPECT_EQ(Get("/api/source?c=a.b&n=3&whole=1")["cut"], false);
}

TEST_F(InspectorTest, ARefutedNodeChangesInTheKeptTree) {
  EXPECT_EQ(Ask("/api/tree?c=a.b").body[44], '\0');  // Flags of node 1.
  Must(store::Nodes(database_).AddEvaluation(
      campaign_, child_,
      store::EvaluationOf(Verdict::kWrongOutput, std::nullopt), 2000.0));
  EXPECT_EQ(Ask("/api/tree?c=a.b").body[44], '\1');
}

TEST_F(InspectorTest, AfterTheEndNothingIsAsked) {
  inspector_.End();
  EXPECT_EQ(Sql({{"sql",
                  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT"
                  " i + 1 FROM n) SELECT count(*) FROM n"},
                 {"seconds", 60}})
                .status,
            400);
}

// What a watch has told, until it holds a text.
class Told {
 public:
  void Add(const std::string& message) {
    const std::lock_guard lock(mutex_);
    last_ = message;
  }
  std::string Until(const std::string& text) {
    for (int i = 0; i < 1000; ++i) {
      {
        const std::lock_guard lock(mutex_);
        if (last_.find(text) != last_.npos) return last_;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "not told: " + text;
  }

 private:
  std::mutex mutex_;
  std::string last_;
};

TEST_F(InspectorTest, ACommitIsToldToWhoWatches) {
  Told told;
  const Watch watch(inspector_,
                    [&](const std::string& message) { told.Add(message); });
  EXPECT_THAT(told.Until("\"nodes\":3"), HasSubstr("\"c\":\"a.b\""));
  store::Grow(database_, campaign_, kRootNode);
  EXPECT_THAT(told.Until("\"nodes\":4"), HasSubstr("\"in_flight\":0"));
}

}  // namespace
}  // namespace coppice::inspector
