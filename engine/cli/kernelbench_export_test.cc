#include "engine/cli/kernelbench_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"
#include "eval/formats/kernelbench_files.h"
#include "store/records/node.h"
#include "store/write/baselines.h"
#include "store/write/claims.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Beside campaign "a", which is on no problem of KernelBench: "k" on 19_ReLU of
// level 1, root 4 s, with nodes of 2 s, crashed, 1 s.
class KernelBenchExportTest : public ::testing::Test, protected Rehearsal {
 protected:
  KernelBenchExportTest() { k_ = PlantProblem("k", 7); }

  CampaignId PlantRoot(const std::string& name, std::uint64_t seed) {
    store::CampaignSpec spec = store::SpecNamed(name);
    spec.task_name = "level1_19_ReLU";
    spec.seed = seed;
    const CampaignId id =
        store::Must(store::Campaigns(database()).Create(spec));
    store::Must(store::Nodes(database())
                    .Commit(id, std::nullopt, store::RootNode(), 1000.0));
    return id;
  }
  CampaignId PlantProblem(const std::string& name, std::uint64_t seed) {
    const CampaignId id = PlantRoot(name, seed);
    store::Grow(database(), id, kRootNode, {.source = "b", .runtime_s = 2.0});
    store::Grow(database(), id, kRootNode,
                {.source = "c", .verdict = Verdict::kCrashed});
    store::Grow(database(), id, kRootNode, {.source = "d", .runtime_s = 1.0});
    return id;
  }
  Said Export(std::vector<std::string> words = {}) {
    words.insert(words.begin(),
                 {"export", "kernelbench", "--output", Out().string()});
    return Say(words);
  }
  fs::path Out() const { return File("out"); }
  fs::path Run() const { return Out() / "runs" / "stark.s7.level1"; }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(Out())) {
      if (!entry.is_regular_file()) continue;
      files.push_back(entry.path().lexically_relative(Out()).string());
    }
    return files;
  }

  CampaignId k_{};
};

TEST_F(KernelBenchExportTest, TheBestIsSampleZero) {
  const Said said = Export();
  ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_EQ(said.err,
            "a: left out, its task is no problem of KernelBench (one of a "
            "level, named as 19_ReLU is)\n" +
                Out().string() + ": 1 run, 1 kernel, 1 baseline file\n");
  EXPECT_THAT(Files(),
              UnorderedElementsAre(
                  "runs/stark.s7.level1/eval_results.json",
                  "runs/stark.s7.level1/level_1_problem_19_sample_0_kernel.cc",
                  "results/timing/a_processor/baseline_time_root.json"));
  EXPECT_EQ(TextOf(Run() / "level_1_problem_19_sample_0_kernel.cc"), "d");
  const auto json = nlohmann::json::parse(TextOf(Run() / "eval_results.json"));
  EXPECT_EQ(json["19"].size(), 1u);
  EXPECT_EQ(json["19"][0]["sample_id"], 0);
  EXPECT_EQ(json["19"][0]["runtime"], 1000.0);
  const auto times = nlohmann::json::parse(
      TextOf(Out() / "results/timing/a_processor/baseline_time_root.json"));
  EXPECT_EQ(times["level1"]["19_ReLU.py"]["mean"], 4000.0);
}

TEST_F(KernelBenchExportTest, AllNodesAreSamplesInOrder) {
  ASSERT_EQ(Export({"--samples", "all", "--campaign", "k"}).exit, Exit::kDone);
  const auto results = eval::ParseEvalResults(
      TextOf(Run() / "eval_results.json"), "eval_results.json");
  ASSERT_TRUE(results.has_value()) << results.error().what;
  ASSERT_EQ(results->size(), 3u);
  EXPECT_EQ((*results)[0].runtime_s, 2.0);
  EXPECT_FALSE((*results)[1].correct);
  EXPECT_TRUE((*results)[1].compiled);
  EXPECT_EQ((*results)[2].sample, 2);
  EXPECT_EQ(TextOf(Run() / "level_1_problem_19_sample_1_kernel.cc"), "c");
}

TEST_F(KernelBenchExportTest, WhatWasRefutedIsNotCorrect) {
  store::Must(store::Nodes(database())
                  .AddEvaluation(k_, NodeId{3},
                                 store::EvaluationOf(Verdict::kWrongOutput, {}),
                                 2000.0));
  ASSERT_EQ(Export({"--samples", "all"}).exit, Exit::kDone);
  const auto json = nlohmann::json::parse(TextOf(Run() / "eval_results.json"));
  EXPECT_EQ(json["19"][2]["correctness"], false);
  EXPECT_EQ(json["19"][2]["metadata"]["correctness_issue"],
            "wrong_output: log: wrong_output");
}

TEST_F(KernelBenchExportTest, BaselinesHaveAFileEach) {
  store::Must(store::AddBaselineEvaluation(
      database(), k_, "torch_compile",
      store::EvaluationOf(Verdict::kPassed, 0.5), 2000.0));
  store::Must(store::AddBaselineEvaluation(
      database(), k_, "broken", store::EvaluationOf(Verdict::kCrashed, {}),
      2000.0));
  ASSERT_EQ(Export().exit, Exit::kDone);
  const auto times = [&](const std::string& name) {
    return nlohmann::json::parse(
        TextOf(Out() / "results/timing/a_processor" /
               ("baseline_time_" + name + ".json")))["level1"]["19_ReLU.py"];
  };
  EXPECT_EQ(times("torch_compile")["mean"], 500.0);
  EXPECT_TRUE(times("broken").is_null());
}

TEST_F(KernelBenchExportTest, SeedsAreRunsOfTheirOwn) {
  PlantProblem("other seed", 8);
  ASSERT_EQ(Export().exit, Exit::kDone);
  EXPECT_TRUE(fs::exists(Out() / "runs/stark.s8.level1/eval_results.json"));
}

TEST_F(KernelBenchExportTest, TwoCampaignsAreNotOneProblem) {
  PlantProblem("twin", 7);
  const Said said = Export();
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err,
            "coppice export kernelbench: k and twin: are both problem 19 of "
            "stark.s7.level1; choose with --campaign\n");
  EXPECT_FALSE(fs::exists(Out()));
}

// The imported kernels stand beside the campaign of equal seed.
TEST_F(KernelBenchExportTest, ImportedKernelsAreARunOfTheirOwn) {
  const CampaignId brought = PlantRoot("brought", 7);
  store::Must(store::SubmitClaims(
      database(), brought,
      {{.candidate = {Language::kCpp, "theirs", "run"}, .origin = "x:1"}},
      store::Judging::kByAttempt, store::NextUuid, 2000.0));
  NodeRecord node = store::RootNode("theirs");
  node.id = NodeId{1};
  node.parent = kRootNode;
  const auto attempts =
      store::Must(store::Attempts(database()).Unfinished(brought));
  store::Must(store::Nodes(database())
                  .Commit(brought, attempts.at(0).id, node, 2001.0));
  ASSERT_EQ(Export().exit, Exit::kDone);
  const fs::path kernel = "level_1_problem_19_sample_0_kernel.cc";
  EXPECT_EQ(TextOf(Out() / "runs/import.s7.level1" / kernel), "theirs");
  EXPECT_EQ(TextOf(Run() / kernel), "d");
  // What goes on from them is the policy's.
  store::Grow(database(), brought, kRootNode, {.source = "own"});
  EXPECT_THAT(Export().err, HasSubstr("k and brought: are both problem 19"));
}

TEST_F(KernelBenchExportTest, MistakesAreTold) {
  EXPECT_THAT(Say({"export", "kernelbench"}).err,
              HasSubstr("say where with --output DIRECTORY"));
  EXPECT_THAT(Export({"--samples", "some"}).err,
              HasSubstr("--samples some: expected best or all"));
  EXPECT_THAT(Export({"--campaign", "a"}).err,
              HasSubstr("no campaign is on a problem of KernelBench"));
  EXPECT_THAT(Say({"export", "best", "--samples", "all"}).err,
              HasSubstr("'--samples'; it goes with export kernelbench"));
  std::ofstream(Out()) << "a file";
  EXPECT_THAT(Export().err, HasSubstr(": Not a directory\n"));
}

}  // namespace
}  // namespace coppice::cli
