#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"
#include "engine/factory/simulation.h"
#include "eval/formats/trace_set.h"
#include "store/records/node.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class ExportTest : public ::testing::Test, protected Rehearsal {
 protected:
  // A campaign whose task is a real one, with a root and one faster node.
  void PlantSimulation() {
    const Task task = store::Must(engine::SimulatedTask("basic"));
    store::CampaignSpec spec = store::SpecNamed("sim");
    spec.task_json = eval::SerialiseTask(task);
    const CampaignId sim =
        store::Must(store::Campaigns(database()).Create(spec));
    store::Must(store::Nodes(database())
                    .Commit(sim, std::nullopt, store::RootNode(), 1000.0));
    store::Grow(database(), sim, kRootNode,
                {.source = "fast\n", .runtime_s = 2.0, .advice = "hurry"});
  }
};

TEST_F(ExportTest, PrintsTheBestSource) {
  EXPECT_EQ(Say({"export", "best"}).out, "one\nthree\n");
}

TEST_F(ExportTest, WritesAFile) {
  const std::string path = File("fast.cc").string();
  const Said said = Say({"export", "best", "--output", path});
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, path + ": node 3 of a\n");
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "one\nthree\n");
}

TEST_F(ExportTest, AFileThatCannotBeWrittenIsAFailure) {
  const Said said =
      Say({"export", "best", "--output", File("no/fast.cc").string()});
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.err, HasSubstr("fast.cc: cannot be written"));
}

TEST_F(ExportTest, ASolutionIsTheRootsWithTheBestSource) {
  PlantSimulation();
  const Said said = Say({"export", "best", "--solution", "--campaign", "sim"});
  ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json["name"], "sim.node1");
  EXPECT_EQ(json["author"], "coppice");
  EXPECT_EQ(json["definition"], "sim:basic");
  EXPECT_EQ(json["sources"][0]["content"], "fast\n");
}

// Compares the first call, and counts all.  Uuids are new in each run of the
// test.
TEST_F(ExportTest, TrajectoriesAreALineForEachCall) {
  const auto uuids =
      store::Rows(database(),
                  "SELECT a.uuid, c.uuid FROM calls c JOIN attempts a"
                  " USING (campaign, decision) ORDER BY c.call_id");
  const std::string attempt = uuids[0].substr(0, 36);
  const std::string call = uuids[0].substr(37);
  const std::string out = Say({"export", "trajectories"}).out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 6);
  EXPECT_EQ(
      out.substr(0, out.find('\n')),
      R"({"format":1,"campaign":"a","task":"matmul","level":1,"seed":7,)"
      R"("policy":"stark","decision":0,"attempt":")" +
          attempt + R"(","call":")" + call +
          R"(","retry_of":null,"role":"plan","prompt":[)"
          R"({"role":"system","content":"You are an agent: plan"},)"
          R"({"role":"user","content":"Do what an agent does."}],)"
          R"("completion":[{"role":"assistant","content":"plan: tile it"}],)"
          R"("outcome":"answered","error":"","reward":2.0,"verdict":"passed",)"
          R"("speedup":2.0,"speedup_low":null,"speedup_high":null,)"
          R"("parent_speedup":1.0,"node":1,"same_as":null,"lineage":[0],)"
          R"("plan":{"technique":"tile","anchors":1,"grounded":true},)"
          R"("changed_inside":3,"changed_outside":1,"provider":"replay",)"
          R"("model":"model","served_model":null,"temperature":null,)"
          R"("top_p":null,"max_output_tokens":null,"effort":null,)"
          R"("template_set":"","template_hash":"","sample_index":0,)"
          R"("input_tokens":100,)"
          R"("cached_input_tokens":40,"cache_write_tokens":0,)"
          R"("output_tokens":10,"cost_usd":0.25,"price_version":"",)"
          R"("latency_s":2.0,"sent_at_s":1000.0})");
}

// 2 crashed; 3 is worth 4 s / 1 s; an open attempt is worth nothing known.
TEST_F(ExportTest, TheRewardIsTheSpeedupOfWhatPassed) {
  const AttemptId open =
      store::Must(store::Attempts(database())
                      .Reserve(campaign(), store::ReservationOf(3, NodeId{3})));
  store::Must(
      store::Calls(database()).Begin(open, store::IntentOf(Role::kPlan), {}));
  std::istringstream lines(Say({"export", "trajectories"}).out);
  std::vector<std::string> rewards;
  std::string lineage;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    rewards.push_back(json["reward"].dump());
    lineage = json["lineage"].dump();
  }
  EXPECT_EQ(rewards, (std::vector<std::string>{"2.0", "2.0", "0.0", "0.0",
                                               "4.0", "4.0", "null"}));
  EXPECT_EQ(lineage, "[0,1,3]");
}

TEST_F(ExportTest, TrajectoriesAreOfAllCampaignsOrOfOne) {
  store::Grow(database(), store::Plant(database(), "b"), kRootNode);
  const auto count = [](const std::string& out) {
    return std::count(out.begin(), out.end(), '\n');
  };
  EXPECT_EQ(count(Say({"export", "trajectories"}).out), 8);
  EXPECT_EQ(count(Say({"export", "trajectories", "--campaign", "b"}).out), 2);
  const std::string path = File("calls.jsonl").string();
  EXPECT_EQ(Say({"export", "trajectories", "--output", path}).err,
            path + ": 8 calls of " + Path() + "\n");
  EXPECT_EQ(
      Say({"export", "trajectories", "--output", File("no/x.jsonl").string()})
          .exit,
      Exit::kFailure);
}

TEST_F(ExportTest, AnswersThatAreNoUtf8StayJson) {
  const AttemptId attempt =
      store::Must(store::Attempts(database())
                      .Reserve(campaign(), store::ReservationOf(3, NodeId{3})));
  store::Calls calls(database());
  const CallId call =
      store::Must(calls.Begin(attempt, store::IntentOf(Role::kPlan), {}));
  store::Must(
      calls.EndWithoutCandidate(call, store::AnswerOf("\xFF"), "unreadable"));
  EXPECT_THAT(Say({"export", "trajectories"}).out,
              HasSubstr("\"content\":\"\xEF\xBF\xBD\""));
}

TEST_F(ExportTest, ExportsOnlyWhatItKnows) {
  EXPECT_EQ(Say({"export", "worst"}).err,
            "coppice export: unknown 'worst'; there are: export best, export "
            "plain, export report, export traces, export trajectories, export "
            "kernelbench\n");
}

TEST_F(ExportTest, PlainIsADatabaseWithTheTextsThemselves) {
  const std::string path = File("plain.db").string();
  EXPECT_EQ(Say({"export", "plain", "--output", path}).exit, Exit::kDone);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(Say({"export", "plain"}).err,
            "coppice export plain: say where with --output FILE\n");
  EXPECT_EQ(Say({"export", "plain", "--solution"}).err,
            "coppice export plain: unknown option '--solution'; it goes with "
            "export best\n");
}

// A link of that name may lead to whatever its maker could not write to.
TEST_F(ExportTest, NothingIsWrittenThroughALinkOfThatName) {
  const std::string path = File("calls.jsonl").string();
  const std::string victim = Put("victim", "keep");
  std::filesystem::create_symlink(victim, path + ".partial");
  EXPECT_EQ(Say({"export", "trajectories", "--output", path}).exit,
            Exit::kDone);
  EXPECT_EQ(ReadBack(victim), "keep");
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  EXPECT_EQ(ReadBack(path), Say({"export", "trajectories"}).out);
}

TEST_F(ExportTest, WhatCannotBeWrittenLeavesWhatWasThere) {
  const std::string path = Put("calls.jsonl", "old\n");
  const Said said =
      Say({"export", "trajectories", "--campaign", "b", "--output", path});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(ReadBack(path), "old\n");
  // A folder is no file to replace.
  std::filesystem::create_directories(File("folder/below"));
  EXPECT_EQ(
      Say({"export", "trajectories", "--output", File("folder").string()}).exit,
      Exit::kFailure);
  EXPECT_TRUE(std::filesystem::exists(File("folder/below")));
  EXPECT_FALSE(std::filesystem::exists(File("folder.partial")));
}

TEST_F(ExportTest, AFileWithoutCampaignsHasNothingToExport) {
  store::NewFile(File("new.db"));
  const std::string db = File("new.db").string();
  for (const char* what : {"best", "trajectories", "traces", "kernelbench"}) {
    const Said said =
        SayBare({"export", what, "--db", db, "--output", File("out").string()});
    EXPECT_EQ(said.exit, Exit::kUsage) << what;
    EXPECT_FALSE(std::filesystem::exists(File("out"))) << what;
  }
}

}  // namespace
}  // namespace coppice::cli
