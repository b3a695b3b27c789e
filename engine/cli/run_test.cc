// coppice run, resume and bench on what is simulated, in this process; what
// becomes of them when they are killed or stopped is in tests/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class RunVerbTest : public ::testing::Test, protected Rehearsal {
 protected:
  RunVerbTest() { Install(); }

  Said Run(const Words& words) { return SayIn("new.db", words); }

  // A column of the campaigns, a line each.
  std::string Campaigns(const std::string& what) {
    return Run({"sql", "--csv",
                "SELECT " + what + " FROM campaigns ORDER BY campaign"})
        .out;
  }

  std::string Refused(const Words& words) {
    const Said said = Run(words);
    EXPECT_EQ(said.exit, Exit::kUsage) << said.out;
    EXPECT_EQ(said.out, "");
    EXPECT_FALSE(std::filesystem::exists(File("new.db"))) << said.err;
    return said.err;
  }
};

// The root of sim:basic takes 10 ms, whatever the noise of its first
// measurement; the name is TASK.POLICY.sSEED.
TEST_F(RunVerbTest, ARunTellsWhatEachTaskCameTo) {
  const Said said = Run({"run", "sim:basic", "--budget", "3"});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(said.out, ContainsRegex("\nsim:basic +(9|10)[.0-9]* ms +1[.0-9]+"
                                      "x \\([-.0-9]+\\) +[1-3][ ~]* +3 "));
  EXPECT_THAT(said.out,
              HasSubstr(" over 1 task, success 100 %, fast_1 100 %\n"));
  EXPECT_THAT(said.out, EndsWith("every attempt is in " +
                                 File("new.db").string() + "\n"));
  EXPECT_THAT(said.err, HasSubstr("sim:basic.xei_hint.s1: root runs in "));
  EXPECT_EQ(Campaigns("campaign, attempts, state"),
            "campaign,attempts,state\nsim:basic.xei_hint.s1,3,finished\n");
}

TEST_F(RunVerbTest, ProgramsGetNumbers) {
  const Said said = Run(
      {"run", "sim:basic", "--budget", "3", "--json", "--progress", "none"});
  EXPECT_EQ(said.err, "");
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json["database"], File("new.db").string());
  ASSERT_EQ(json["tasks"].size(), 1u);
  const auto& task = json["tasks"][0];
  EXPECT_EQ(task["campaign"], "sim:basic.xei_hint.s1");
  EXPECT_EQ(task["attempts"], 3);
  EXPECT_GT(task["speedup"], 1.0);
  EXPECT_DOUBLE_EQ(
      task["best_runtime_s"].get<double>(),
      task["root_runtime_s"].get<double>() / task["speedup"].get<double>());
  EXPECT_EQ(json["success"], 1.0);
  EXPECT_EQ(json["left_out"], nlohmann::json::array());
}

TEST_F(RunVerbTest, EventsAreALineEach) {
  const Said said =
      Run({"run", "sim:basic", "--budget", "2", "--progress", "json"});
  std::istringstream lines(said.err);
  int commits = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto event = nlohmann::json::parse(line, nullptr, false);
    ASSERT_FALSE(event.is_discarded()) << line;
    commits += event.contains("verdict") ? 1 : 0;
  }
  EXPECT_EQ(commits, 3);  // The root and two attempts.
}

TEST_F(RunVerbTest, AFinishedCampaignIsReportedAgainAndNotRun) {
  const Said once = Run({"run", "sim:basic", "--budget", "3"});
  const Said again = Run({"run", "sim:basic", "--budget", "3"});
  EXPECT_EQ(again.exit, once.exit);
  EXPECT_EQ(again.out, once.out);
  EXPECT_EQ(Campaigns("attempts"), "attempts\n3\n");
}

TEST_F(RunVerbTest, TasksThatAreNamedTogetherAreCampaignsOfTheirOwn) {
  const Said said = Run({"run", "sim:hill/1", "sim:nk/1", "--budget", "2",
                         "--policy", "greedy", "--seed", "5"});
  EXPECT_THAT(said.out, HasSubstr(" over 2 tasks"));
  EXPECT_EQ(Campaigns("campaign, attempts"),
            "campaign,attempts\nsim:hill/1.greedy.s5,2\n"
            "sim:nk/1.greedy.s5,2\n");
}

TEST_F(RunVerbTest, ANameIsOfOneCampaign) {
  EXPECT_EQ(Run({"run", "sim:basic", "--budget", "1", "--name", "mine",
                 "--progress", "none"})
                .err,
            "");
  EXPECT_EQ(Campaigns("campaign"), "campaign\nmine\n");
  EXPECT_EQ(Run({"run", "sim:hill/1", "--budget", "1", "--name", "mine"}).exit,
            Exit::kUsage);
}

TEST_F(RunVerbTest, ResumeGoesOnWithWhatIsNotFinishedAndSaysIfNothingIs) {
  Run({"run", "sim:basic", "--budget", "2"});
  const Said none = Run({"resume"});
  EXPECT_EQ(none.exit, Exit::kDone);
  EXPECT_EQ(none.err, File("new.db").string() +
                          ": nothing to resume, all its campaigns are "
                          "finished; --budget N extends one\n");
  EXPECT_EQ(Run({"resume", "--budget", "4"}).exit, Exit::kDone);
  EXPECT_EQ(Campaigns("attempts, state"), "attempts,state\n4,finished\n");
  // What a person asked for is more to do, too.
  Run({"steer", "budget", "attempts", "5"});
  EXPECT_EQ(Run({"resume"}).exit, Exit::kDone);
  EXPECT_EQ(Campaigns("attempts"), "attempts\n5\n");
}

TEST_F(RunVerbTest, ResumeExtendsTheCampaignThatIsNamed) {
  Run({"run", "sim:hill/1", "sim:nk/1", "--budget", "1"});
  Run({"resume", "nk", "--budget", "3"});
  EXPECT_EQ(Campaigns("campaign, attempts"),
            "campaign,attempts\nsim:hill/1.xei_hint.s1,1\n"
            "sim:nk/1.xei_hint.s1,3\n");
  const Said last = Run({"resume", "--budget", "4"});
  EXPECT_THAT(last.err, HasSubstr("the last of 2; coppice resume CAMPAIGN "
                                  "chooses\n"));
  EXPECT_THAT(Run({"resume", "sim"}).err,
              HasSubstr("'sim' is a part of 2 campaigns' names"));
  EXPECT_THAT(Run({"resume", "nope"}).err, HasSubstr("no campaign 'nope'"));
}

TEST_F(RunVerbTest, AnotherPolicyGoesOnWhereTheFirstEnded) {
  Run({"run", "sim:basic", "--budget", "2", "--name", "c", "--policy",
       "greedy"});
  const Said said = Run({"run", "sim:basic", "--budget", "4", "--name", "c",
                         "--policy", "stark"});
  EXPECT_THAT(said.err, HasSubstr("c: stark decides from decision 2 on; before "
                                  "it greedy did\n"));
  EXPECT_EQ(Run({"sql", "--csv",
                 "SELECT policy, count(*) AS n FROM attempts GROUP BY 1"})
                .out,
            "policy,n\ngreedy,2\nstark,2\n");
}

TEST_F(RunVerbTest, WhatIsRefusedMakesNoFile) {
  const struct {
    Words words;
    const char* what;
  } kCases[] = {
      {{"run", "sim:basci"}, "did you mean sim:basic?"},
      {{"run", "sim:basic", "nosuch"}, "nosuch: no such task"},
      {{"run", "sim:basic", "--policy", "strak"}, "did you mean stark"},
      {{"run", "sim:basic", "--code-model", "nobody:x"}, "nobody"},
      {{"bench", "--level", "9"}, "--level 9: there is no task of this level"},
      {{"bench", "--level", "one", "--device", "cuda"},
       "--level one: there is no task of this level"},
      {{"bench", "--kernelbench", "no", "--level", "foreign"},
       "--level foreign: the levels of KernelBench are numbers"},
      {{"bench", "--kernelbench", "no", "--device", "cuda"},
       "--device: is of coppice's own tasks; --devices says where"},
      {{"bench", "--kernelbench", "no"},
       "no: no problem of level 1 (levelN/ID_NAME.py) is there"},
      {{"bench", "--kernelbench", "no", "--level", "2"},
       "no: no problem of level 2 (levelN/ID_NAME.py) is there"},
      {{"bench", "--kernelbench", "no", "--level", "0"},
       "--level 0: the levels of KernelBench are numbers"},
      {{"bench", "--kernelbench", "no", "--subset", "some"},
       "--subset some: expected all, representative or representative_sound"},
      {{"bench", "--device", "tpu"}, "--device tpu: expected cpu or cuda"},
      {{"bench", "--level", "foreign", "--device", "cuda"},
       "--level foreign: there is no task of this level"},
      {{"bench", "gemv"}, "unexpected 'gemv'"},
      {{"resume"}, "no such file"},
  };
  for (const auto& [words, what] : kCases) {
    EXPECT_THAT(Refused(words), HasSubstr(what)) << words.back();
  }
}

}  // namespace
}  // namespace coppice::cli
