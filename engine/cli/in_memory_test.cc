// coppice compare on landscapes, whose campaigns need no program's files; and
// what the verb refuses before it opens anything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"
#include "engine/cli/factorial.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

// Unless a test says otherwise: two policies, two landscapes, four seeds, and
// eight attempts of each campaign.
class InMemoryTest : public ::testing::Test, protected Rehearsal {
 protected:
  static bool Says(const Words& words, const std::string& option) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return word == option || word.starts_with(option + "=");
    });
  }
  static Words Line(Words words) {
    const Words kUsual[] = {{"--policies", "stark,greedy"},
                            {"--tasks", "sim:hill/1,sim:weak/1"},
                            {"--seeds", "4"},
                            {"--budget", "8"}};
    for (const Words& usual : kUsual) {
      if (Says(words, usual[0])) continue;
      words.insert(words.end(), usual.begin(), usual.end());
    }
    words.insert(words.begin(), {"compare", "--in-memory"});
    return words;
  }
  std::string Text(const Words& words) {
    const Said said = SayBare(Line(words));
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    return said.out;
  }
  nlohmann::json Json(Words words) {
    words.push_back("--json");
    return nlohmann::json::parse(Text(words));
  }
  std::string RefusedBare(const Words& words) {
    const Said said = SayBare(words);
    EXPECT_EQ(said.exit, Exit::kUsage) << said.out;
    EXPECT_EQ(said.out, "");
    return said.err;
  }
  std::string Refused(const Words& words) { return RefusedBare(Line(words)); }
};

TEST_F(InMemoryTest, EverythingPlayedIsToldOfAllLandscapesAndOfEach) {
  const std::string text = Text({});
  EXPECT_THAT(
      text, StartsWith("in memory: 2 policies, 2 landscapes, 4 campaigns of "
                       "each\n\n8 attempts: log speedup, and difference from "
                       "stark (95 % over seeds of these landscapes)\npolicy"));
  EXPECT_THAT(text, ContainsRegex("\nby landscape +stark +greedy\n"
                                  "sim:hill/1 +[0-9.]+ +[+-][0-9.]+\\*?\n"
                                  "sim:weak/1 +[0-9.]+ +[+-][0-9.]+\\*?\n"));
  EXPECT_THAT(text, EndsWith("after Holm over the policies but not over the "
                             "landscapes\n"));
}

TEST_F(InMemoryTest, OneLandscapeIsAllOfThem) {
  const std::string text = Text({"--tasks", "sim:hill/1"});
  EXPECT_THAT(text, HasSubstr("1 landscape,"));
  EXPECT_THAT(text, Not(HasSubstr("by landscape")));
  EXPECT_THAT(text, Not(HasSubstr("* told apart")));
  EXPECT_EQ(Json({"--tasks", "sim:hill/1,sim:hill/1"})["parts"].size(), 1u);
}

TEST_F(InMemoryTest, OnePolicyIsComparedWithNobody) {
  const std::string text = Text({"--policies", "greedy"});
  EXPECT_THAT(text, HasSubstr("8 attempts: log speedup\n"));
  EXPECT_THAT(text, Not(HasSubstr("difference from")));
  EXPECT_THAT(text, Not(HasSubstr("* told apart")));
  EXPECT_EQ(Json({"--policies", "greedy"})["baseline"], "greedy");
}

// Seeds alone decide: neither threads nor the order of policies do.
TEST_F(InMemoryTest, TheSameSeedsComeToTheSame) {
  const std::string once = Text({"--json"});
  EXPECT_EQ(Text({"--json", "--parallel", "1"}), once);
  EXPECT_EQ(Text({"--json", "--parallel", "3"}), once);
  EXPECT_NE(Text({"--json", "--seed", "100"}), once);
  surroundings.cores = 1;
  EXPECT_EQ(Text({"--json"}), once);
  const auto mean_of = [](const nlohmann::json& json, const char* policy) {
    for (const auto& each : json["parts"][0]["policies"]) {
      if (each["policy"] == policy) return each["mean_log_speedup"]["value"];
    }
    return nlohmann::json();
  };
  const auto turned = Json({"--policies", "greedy,stark"});
  for (const char* policy : {"stark", "greedy"}) {
    EXPECT_EQ(mean_of(turned, policy),
              mean_of(nlohmann::json::parse(once), policy));
  }
}

TEST_F(InMemoryTest, JsonHasAPartForEachBudgetAndLandscape) {
  const auto json = Json({"--budget", "8,4,8"});
  EXPECT_EQ(json["policies"], (nlohmann::json{"stark", "greedy"}));
  EXPECT_EQ(json["landscapes"], (nlohmann::json{"sim:hill/1", "sim:weak/1"}));
  EXPECT_EQ(json["seeds"], 4);
  EXPECT_EQ(json["unit"], "attempts");
  EXPECT_EQ(json["budgets"], (nlohmann::json{4, 8}));
  EXPECT_EQ(json["missing"], 0);
  EXPECT_EQ(json["baseline"], "stark");
  EXPECT_FALSE(json.contains("until_told"));
  const auto& parts = json["parts"];
  ASSERT_EQ(parts.size(), 6u);
  const struct {
    int budget;
    nlohmann::json landscape;
    int campaigns;
  } kParts[] = {{4, nullptr, 8}, {4, "sim:hill/1", 4}, {4, "sim:weak/1", 4},
                {8, nullptr, 8}, {8, "sim:hill/1", 4}, {8, "sim:weak/1", 4}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i]["budget"], kParts[i].budget) << i;
    EXPECT_EQ(parts[i]["landscape"], kParts[i].landscape) << i;
    EXPECT_EQ(parts[i]["policies"][0]["campaigns"], kParts[i].campaigns) << i;
    EXPECT_EQ(parts[i]["differences"].size(), 1u) << i;
  }
  // The best so far never gets worse.
  EXPECT_LE(parts[0]["policies"][0]["mean_log_speedup"]["value"],
            parts[3]["policies"][0]["mean_log_speedup"]["value"]);
}

TEST_F(InMemoryTest, TheBaselineIsStarkOrTheFirstOrWhoIsNamed) {
  EXPECT_EQ(Json({"--policies", "greedy,stark"})["baseline"], "stark");
  EXPECT_EQ(Json({"--policies", "greedy,puct"})["baseline"], "greedy");
  EXPECT_EQ(Json({"--baseline", "greedy"})["baseline"], "greedy");
  EXPECT_THAT(Refused({"--baseline", "puct"}),
              HasSubstr("--baseline puct: is not among the policies"));
}

TEST_F(InMemoryTest, BudgetsAreWholeNumbers) {
  for (const char* budget : {"0", "1.5", "x", "1000001", "4,x", "4,0"}) {
    EXPECT_EQ(Refused({"--budget", budget}),
              "coppice compare: --budget " + std::string(budget) +
                  ": expected whole numbers of attempts, 1 to 1000000\n");
  }
  EXPECT_EQ(Refused({"--budget", ","}),
            "coppice compare: --budget: expected a number\n");
  EXPECT_THAT(Refused({"--budget", "x", "--budget-kind", "calls"}),
              HasSubstr("expected whole numbers of calls"));
}

TEST_F(InMemoryTest, SeedsAndThreadsHaveTheirLimits) {
  EXPECT_THAT(Refused({"--seeds", "0"}),
              HasSubstr("--seeds 0: expected 1 to 1000000"));
  EXPECT_THAT(Refused({"--seeds", "1000001"}),
              HasSubstr("--seeds 1000001: expected 1 to 1000000"));
  EXPECT_THAT(Refused({"--parallel", "0"}),
              HasSubstr("--parallel 0: expected 1 to 256"));
  EXPECT_THAT(Refused({"--progress", "json"}),
              HasSubstr("--progress json: tells of campaigns one by one"));
}

// More threads than that are of no use, and none were asked for.
TEST_F(InMemoryTest, AMachineOfManyCoresPlaysToo) {
  surroundings.cores = 384;
  EXPECT_EQ(Json({"--tasks", "sim:hill/1", "--seeds", "1"})["missing"], 0);
}

TEST_F(InMemoryTest, OnlyLandscapesArePlayed) {
  EXPECT_EQ(Refused({"--tasks", "gemv"}),
            "coppice compare: gemv: is no landscape, as those are whose names "
            "begin with sim:, recorded: or fitted:\n");
  EXPECT_THAT(Refused({"--tasks", "sim:hlil/1"}),
              HasSubstr("did you mean sim:hill/1?"));
  EXPECT_THAT(Refused({"--tasks", "fitted:" + File("no.txt").string()}),
              HasSubstr("no.txt"));
  EXPECT_THAT(Refused({"--tasks", ","}),
              HasSubstr("--tasks: say which, as in --tasks sim:all"));
  // One that no seed changes would be the same campaign again and again.
  const auto landscapes = Json(
      {"--tasks", "sim:all", "--seeds", "1", "--budget", "1"})["landscapes"];
  EXPECT_THAT(landscapes, Not(::testing::Contains("sim:basic")));
  EXPECT_GE(landscapes.size(), 10u);
}

TEST_F(InMemoryTest, BudgetsAreOfAttemptsCallsOrSeconds) {
  EXPECT_EQ(Json({"--budget-kind", "calls"})["unit"], "calls");
  EXPECT_THAT(Text({"--budget-kind", "calls"}),
              HasSubstr("\n8 calls: log speedup"));
  for (const char* kind : {"tokens", "dollars"}) {
    EXPECT_EQ(Refused({"--budget-kind", kind}),
              "coppice compare: --budget-kind " + std::string(kind) +
                  ": campaigns in memory use none; compare by attempts, calls "
                  "or evaluator_seconds\n");
  }
  EXPECT_EQ(Refused({"--budget-kind", "evaluator_seconds"}),
            "coppice compare: --budget-kind evaluator_seconds: judging "
            "sim:hill/1 takes none; compare by attempts, or on recorded "
            "spaces\n");
  EXPECT_EQ(
      RefusedBare({"compare", "--in-memory", "--policies", "stark", "--tasks",
                   "sim:hill/1", "--budget-kind", "evaluator_seconds"}),
      "coppice compare: --budget: say how many evaluator_seconds\n");
  const std::string file = File("lab.db").string();
  EXPECT_EQ(Refused({file, "--budget-kind", "calls"}),
            "coppice compare: --budget-kind calls: files keep scores in memory "
            "by attempts only; compare without " +
                file + "\n");
  EXPECT_FALSE(std::filesystem::exists(file));
}

// A plan is a call of its own, which the code agent alone does not need: of as
// many calls it makes more attempts, which is what calls are counted for.
TEST_F(InMemoryTest, AnAgentAloneMakesMoreOfAsManyCalls) {
  const std::string folder = File("csv").string();
  Text({"--policies", "stark,stark.alone", "--budget-kind", "calls", "--csv",
        folder, "--tasks", "sim:hill/1", "--seeds", "1"});
  const std::string scores =
      ReadBack(std::filesystem::path(folder) / "in_memory_scores.csv");
  EXPECT_THAT(scores, ContainsRegex("\nstark,sim:hill/1,1,8,[01],[^,]+,4,"));
  EXPECT_THAT(scores,
              ContainsRegex("\nstark.alone,sim:hill/1,1,8,[01],[^,]+,8,"));
}

TEST_F(InMemoryTest, ScoresAreWrittenAsValuesForPrograms) {
  const std::filesystem::path folder = File("a/csv");
  Text({"--policies", "stark:epsilon=0.4,n_root=8,greedy", "--budget", "4,8",
        "--csv", folder.string()});
  const std::string scores = ReadBack(folder / "in_memory_scores.csv");
  EXPECT_THAT(scores,
              StartsWith("policy,landscape,seed,budget,solved,log_speedup,"
                         "attempts,compiled,correct\n"
                         "\"stark:epsilon=0.4,n_root=8\",sim:hill/1,1,4,"));
  // 2 policies, 2 landscapes, 4 seeds and 2 budgets, below the heading.
  EXPECT_EQ(std::count(scores.begin(), scores.end(), '\n'), 33);
  EXPECT_THAT(scores, ContainsRegex("\ngreedy,sim:weak/1,4,8,[01],"));
  const std::string sheet = ReadBack(folder / "in_memory.csv");
  // 2 budgets, of all landscapes and of each, and 2 policies.
  EXPECT_EQ(std::count(sheet.begin(), sheet.end(), '\n'), 13);
  const auto commas =
      std::count(sheet.begin(), std::ranges::find(sheet, '\n'), ',');
  EXPECT_EQ(commas, 24);
  EXPECT_THAT(sheet, HasSubstr("\n4,all,\"stark:epsilon=0.4,n_root=8\",8,"));
  EXPECT_THAT(sheet, HasSubstr("\n8,sim:weak/1,greedy,4,"));
}

TEST_F(InMemoryTest, AFolderThatCannotBeMadeIsAFailure) {
  const Said said = SayBare(Line({"--csv", Path() + "/below"}));
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.err, HasSubstr("x.db/below: "));
  EXPECT_EQ(said.out, "");
}

// Looks are after 10, 20 and 40 seeds, or so.
TEST_F(InMemoryTest, UntilToldIsOfOneBudgetAndTwoPolicies) {
  for (const Words& words : {Words{"--until-told", "--budget", "4,8"},
                             {"--until-told", "--policies", "stark"}}) {
    EXPECT_EQ(Refused(words),
              "coppice compare: --until-told: expected two policies or more, "
              "and one --budget\n");
  }
  const Words line = {"--until-told",
                      "--seeds",
                      "40",
                      "--tasks",
                      "sim:hill/1",
                      "--policies",
                      "stark,greedy,stark:epsilon=0.31"};
  const auto json = Json(line);
  // The level is spent over looks after 10, 20 and 40 seeds.
  EXPECT_DOUBLE_EQ(json["until_told"]["level"], 0.05 / 3);
  for (const auto& told : json["until_told"]["told"]) {
    EXPECT_LE(told["seeds"], json["seeds"]);
    EXPECT_NE(told["finding"], "cannot_tell");
  }
  const std::string text = Text(line);
  EXPECT_THAT(text, HasSubstr("until each policy is told from stark, at p "
                              "(Holm) of "));
  // Where there are several looks, none alone tells anything.
  EXPECT_THAT(text, Not(HasSubstr("* told apart")));
}

TEST_F(InMemoryTest, AFileKeepsScoresAndGoesOn) {
  const std::string file = File("lab.db").string();
  const std::string first = Text({file});
  EXPECT_THAT(first, HasSubstr("4 campaigns of each in " + file + "\n"));
  // What is not said again is in the file.
  EXPECT_EQ(SayBare({"compare", file, "--in-memory"}).out, first);
  EXPECT_EQ(SayBare({"compare", file, "--in-memory", "--report"}).out, first);
  EXPECT_EQ(SayBare({"compare", file}).out, first);
  // As without a file, but for the heading.
  const std::string bare = Text({});
  EXPECT_EQ(first.substr(first.find('\n')), bare.substr(bare.find('\n')));
  // More seeds are more of the same: the first are as they were.
  EXPECT_EQ(Json({file, "--seeds", "6"})["parts"],
            Json({"--seeds", "6"})["parts"]);
  EXPECT_EQ(Json({file})["parts"], Json({})["parts"]);
}

// Two more seeds of two policies on two landscapes are eight campaigns.
TEST_F(InMemoryTest, AReportSaysWhatIsMissingAndPlaysNothing) {
  const std::string file = File("lab.db").string();
  Text({file});
  const std::string report = Text({file, "--report", "--seeds", "6"});
  EXPECT_THAT(report, HasSubstr("\n8 of 24 campaigns are not played yet; what "
                                "counts are seeds that all policies have "
                                "played\n"));
  EXPECT_EQ(Json({file, "--report", "--seeds", "6"})["missing"], 8);
  // A policy of which there is nothing leaves nothing to compare.
  const std::string other =
      Text({file, "--report", "--policies", "stark,puct"});
  EXPECT_THAT(other, HasSubstr("8 of 16 campaigns are not played yet"));
  EXPECT_THAT(other, Not(HasSubstr("log speedup")));
}

TEST_F(InMemoryTest, AReportNeedsAFileThatHoldsSome) {
  EXPECT_EQ(Refused({"--report"}),
            "coppice compare: --report: say of which file: coppice compare "
            "FILE --in-memory --report\n");
  EXPECT_THAT(
      Refused({Path(), "--report"}),
      HasSubstr(Path() + ": holds no campaigns in memory; start some: "));
  const std::string file = File("none.db").string();
  EXPECT_THAT(Refused({file, "--report"}), HasSubstr("holds no campaigns"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(InMemoryTest, CombinationsAreComparedAtEqualMoney) {
  const auto refused = [&](Words words) {
    words.push_back("--factorial");
    return Refused(words);
  };
  for (const Words& other : {Words{"--baseline", "stark"},
                             {"--until-told"},
                             {"--csv", "d"},
                             {"--figures", "d"}}) {
    EXPECT_EQ(refused(other), "coppice compare: --factorial: goes without " +
                                  other[0] + "; --json prints all numbers\n");
  }
  EXPECT_THAT(refused({"--budget-kind", "attempts"}),
              HasSubstr("--budget-kind attempts: campaigns in memory are of "
                        "equal money by calls or evaluator_seconds"));
  EXPECT_THAT(refused({"--budget", "4,8", "--held-out", "sim:nk/1"}),
              HasSubstr("--factorial: expected one --budget"));
  EXPECT_THAT(refused({"--held-out", "sim:weak/1"}),
              HasSubstr("--held-out sim:weak/1: is among --tasks, by which is "
                        "chosen; hold out others"));
  EXPECT_THAT(refused({}), HasSubstr("--held-out: say which, as in --held-out "
                                     "sim:all"));
  EXPECT_THAT(refused({"--report", "--held-out", "sim:nk/1"}),
              HasSubstr("--report: --factorial keeps nothing in memory"));
  EXPECT_THAT(refused({"--held-out", "sim:nk/1", "--seed",
                       std::to_string(kHeldOutSeeds - 1)}),
              HasSubstr("--seed: seeds from " + std::to_string(kHeldOutSeeds) +
                        " up are held out; choose by lesser ones"));
  EXPECT_EQ(Refused({"--held-out", "sim:nk/1"}),
            "coppice compare: --held-out: is for --factorial\n");
}

TEST_F(InMemoryTest, TheBestCombinationIsJudgedOnWhatWasHeldOut) {
  const Words line = {"--factorial", "--held-out", "sim:nk/1,sim:ladder/1",
                      "--vary", "agents=team,alone"};
  const auto json = Json(line);
  EXPECT_EQ(json["money"], "8 calls");
  EXPECT_EQ(json["tasks"], (nlohmann::json{"sim:hill/1", "sim:weak/1"}));
  EXPECT_EQ(json["held_out"], (nlohmann::json{"sim:nk/1", "sim:ladder/1"}));
  EXPECT_EQ(json["cells"].size(), 4u);
  EXPECT_EQ(json["missing"], 0);
  EXPECT_TRUE(json["chosen"].is_string());
  EXPECT_TRUE(json["final"].is_object());
  const std::string text = Text(line);
  EXPECT_THAT(text, StartsWith("4 cells (2 "));
  EXPECT_THAT(
      text, HasSubstr("\nchosen: " + json["chosen"].get<std::string>() + "\n"));
  EXPECT_THAT(text, EndsWith(json["finding"].get<std::string>()));
}

class CompareRefusalTest : public InMemoryTest {};

TEST_F(CompareRefusalTest, WhatIsForCampaignsInMemoryIsRefusedElsewhere) {
  const std::string file = File("lab.db").string();
  EXPECT_EQ(RefusedBare({"compare", file, "--until-told"}),
            "coppice compare: --until-told: is for --in-memory\n");
  EXPECT_EQ(RefusedBare({"compare", file, "--budget-kind", "calls"}),
            "coppice compare: --budget-kind calls: is for --in-memory\n");
  EXPECT_THAT(RefusedBare({"compare", file, "--budget-kind", "coffee"}),
              HasSubstr("--budget-kind coffee: expected "));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(CompareRefusalTest, AReportNeedsAComparison) {
  const std::string file = File("none.db").string();
  EXPECT_EQ(RefusedBare({"compare", file, "--report"}),
            "coppice compare: " + file +
                ": no such file; start one: coppice compare FILE --policies "
                "stark,greedy --tasks cpu:level1\n");
  EXPECT_THAT(RefusedBare({"compare", Path(), "--report"}),
              AllOf(StartsWith("coppice compare: " + Path() + ": "),
                    HasSubstr("; start one: coppice compare FILE")));
}

TEST_F(CompareRefusalTest, EqualMoneyIsDollarsOrSeconds) {
  EXPECT_EQ(
      RefusedBare({"compare", "--factorial", "--policies", "stark,greedy",
                   "--vary", "agents=team,alone", "--budget-kind", "tokens"}),
      "coppice compare: --budget-kind tokens: --factorial is at equal "
      "money: dollars, or evaluator_seconds where agents cost nothing\n");
  EXPECT_THAT(RefusedBare({"compare", "--factorial", "--policies", "stark"}),
              HasSubstr("--factorial: "));
}

// A law that was changed is another landscape of the same name.
TEST_F(InMemoryTest, WhatWasPlayedOnAnotherLandscapeDoesNotCount) {
  for (const char* name : {"b", "c"}) {
    const CampaignId campaign = store::Plant(database(), name);
    const NodeId hop =
        Grow(database(), campaign, kRootNode, {.runtime_s = 2.0});
    Grow(database(), campaign, hop, {.runtime_s = 1.0});
    Grow(database(), campaign, hop, {.runtime_s = 0.5});
  }
  const std::string law = File("live.txt").string();
  ASSERT_EQ(SayBare({"task", "fit", Path(), "--output", law}).exit,
            Exit::kDone);
  const std::string file = File("lab.db").string();
  const Words line = Line({file, "--tasks", "fitted:" + law});
  ASSERT_EQ(SayBare(line).exit, Exit::kDone);
  ASSERT_EQ(SayBare(line).err, "");
  std::string text = ReadBack(law);
  const std::size_t at = text.find("\ncompiles ");
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, text.find('\n', at + 1) - at, "\ncompiles 0.5");
  Put("live.txt", text);
  EXPECT_THAT(SayBare(line).err,
              HasSubstr(file + ": also has campaigns on fitted:"));
}

}  // namespace
}  // namespace coppice::cli
