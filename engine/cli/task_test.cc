#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

class TaskTest : public ::testing::Test, protected Rehearsal {};

// What the verb does with tasks runs in tests/misuse_test.cc.
TEST_F(TaskTest, NamesWhatItCanDo) {
  EXPECT_EQ(SayBare({"task"}).exit, Exit::kUsage);
  EXPECT_THAT(SayBare({"task"}).err, testing::HasSubstr("missing ACTION"));
  EXPECT_EQ(SayBare({"task", "chekc"}).err,
            "coppice task: unknown 'chekc'; did you mean 'task check'?\n");
  EXPECT_THAT(SayBare({"task", "check"}).err,
              testing::HasSubstr("missing TASK; `coppice task list`"));
  EXPECT_THAT(SayBare({"task", "list", "x"}).err,
              testing::HasSubstr("unexpected 'x'"));
  EXPECT_THAT(SayBare({"task", "check", "x", "--level", "2"}).err,
              testing::HasSubstr("--level: is of a checkout of KernelBench"));
  EXPECT_THAT(SayBare({"task", "check", "x", "--kernelbench", "y"}).err,
              testing::HasSubstr("name no other, x"));
}

// They come with their signature; landscapes have neither level nor workloads.
TEST_F(TaskTest, WhatThereIsIsListed) {
  Install();
  const std::string text = SayBare({"task", "list"}).out;
  EXPECT_THAT(text, testing::ContainsRegex("\ngemm_square +1 +3 +.* -> "));
  EXPECT_THAT(text, testing::ContainsRegex("\nsim:hill/1 +simulated\n"));
  const auto tasks =
      nlohmann::json::parse(SayBare({"task", "list", "--json"}).out);
  const auto of = [&](const char* name) {
    return *std::ranges::find_if(
        tasks, [&](const auto& task) { return task["task"] == name; });
  };
  EXPECT_EQ(of("gemm_square")["level"], "1");
  EXPECT_EQ(of("sim:hill/1")["workloads"], 0);
  EXPECT_EQ(of("sim:hill/1")["description"], "a landscape");
  EXPECT_THAT(of("recorded:gemm_RTX_3090")["signature"], "recorded");
}

// The full tier of a landscape has no noise.
TEST_F(TaskTest, NoiseIsMeasuredOfWhatIsSimulated) {
  Install();
  const auto json =
      nlohmann::json::parse(SayBare({"task", "noise", "sim:basic", "--sessions",
                                     "3", "--tier", "full", "--json"})
                                .out);
  EXPECT_EQ(json["task"], "sim:basic");
  EXPECT_EQ(json["hardware"], "simulated");
  ASSERT_EQ(json["tiers"].size(), 1u);
  EXPECT_EQ(json["tiers"][0]["tier"], "full");
}

// The campaign of the rehearsal has one edit that passed.
TEST_F(TaskTest, AFitNeedsCampaignsAndAFile) {
  EXPECT_EQ(SayBare({"task", "fit", Path()}).err,
            "coppice task fit: say where with --output FILE\n");
  const std::string file = File("live.txt").string();
  const Said said = SayBare({"task", "fit", Path(), "--output", file});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, testing::HasSubstr("needs two campaigns"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

// Roots take 4 s; so the three attempts of each campaign are at ln 2, ln 4 and
// ln 8, and of their edits, the ways from 2 s to 1 s and 0.5 s, both improve.
// Campaign "a" is left out since a kernel of it came from elsewhere.
TEST_F(TaskTest, AFitReadsLiveCampaignsAndWritesALandscape) {
  for (const char* name : {"b", "c"}) {
    const CampaignId campaign = store::Plant(database(), name);
    const NodeId hop =
        Grow(database(), campaign, kRootNode, {.runtime_s = 2.0});
    Grow(database(), campaign, hop, {.runtime_s = 1.0});
    Grow(database(), campaign, hop, {.runtime_s = 0.5});
  }
  Grow(database(), campaign(), kRootNode, {.policy = "import"});
  const std::string file = File("live.txt").string();
  const Said said = SayBare({"task", "fit", Path(), "--output", file});
  ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_EQ(said.err, Path() +
                          ": a: left out: more than one policy chose in it, or "
                          "kernels came from elsewhere\n");
  EXPECT_THAT(said.out, testing::StartsWith("live campaigns: 2\n"));
  EXPECT_THAT(said.out,
              testing::ContainsRegex("first hops\\) +2 +100.0 % +100.0 %"));
  EXPECT_THAT(said.out, testing::ContainsRegex(
                            "edits that improve on their parents +1.000 "));
  EXPECT_THAT(said.out, testing::ContainsRegex("after 30 \\* +2.079 "));
  EXPECT_EQ(SayBare({"compare", "--in-memory", "--tasks", "fitted:" + file,
                     "--policies", "stark,greedy", "--seeds", "5"})
                .exit,
            Exit::kDone);
}

TEST_F(TaskTest, AFitTellsWhyACampaignIsLeftOut) {
  store::Plant(database(), "bare");
  store::CampaignSpec spec = store::SpecNamed("simulated");
  spec.task_name = "sim:basic";
  store::Must(store::Campaigns(database()).Create(spec));
  const Said said =
      SayBare({"task", "fit", Path(), "--output", File("live.txt").string()});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err,
              testing::HasSubstr(Path() + ": bare: left out: it has no attempt "
                                          "yet\n"));
  EXPECT_THAT(said.err,
              testing::HasSubstr(Path() + ": simulated: left out: its task is "
                                          "simulated\n"));
  EXPECT_THAT(said.err, testing::Not(testing::HasSubstr(": a: left out")));
}

TEST_F(TaskTest, AFitReadsFilesThatAreThere) {
  const std::string file = File("live.txt").string();
  EXPECT_THAT(SayBare({"task", "fit", "--output", file}).err,
              testing::HasSubstr("missing DB"));
  const Said said =
      SayBare({"task", "fit", File("no.db").string(), "--output", file});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, testing::HasSubstr("no.db"));
  EXPECT_FALSE(std::filesystem::exists(File("no.db")));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(TaskTest, ACheckoutIsAFolderThatHasProblems) {
  std::filesystem::create_directories(File("empty"));
  const std::string empty = File("empty").string();
  EXPECT_EQ(SayBare({"task", "check", "kernelbench:" + empty}).err,
            "coppice task check: " + empty +
                ": no problem of levels 1 to 3 (levelN/ID_NAME.py) is there\n");
  EXPECT_NE(SayBare({"task", "check", "--kernelbench", empty}).exit,
            Exit::kDone);
  EXPECT_THAT(
      SayBare({"task", "check", "--kernelbench", empty, "--subset", "some"})
          .err,
      testing::HasSubstr("--subset some: expected all, "));
}

}  // namespace
}  // namespace coppice::cli
