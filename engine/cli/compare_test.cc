// coppice compare on what is simulated, in this process; what becomes of it
// when it is killed or stopped is in tests/compare_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;
using Words = std::vector<std::string>;

class CompareVerbTest : public testing::Test, protected Rehearsal {
 protected:
  CompareVerbTest() { Install(); }

  std::string At(const std::string& name) const { return File(name).string(); }

  // Names of databases are those of files of the test.
  Said Say(Words words) {
    for (std::string& word : words) {
      const bool is_name = word.find_first_of("/=") == word.npos;
      if (word.ends_with(".db") && is_name) word = At(word);
    }
    return SayBare(words);
  }

  // A comparison on the simulation; `more` options come after.
  static Words Compare(const std::string& file, const std::string& policies,
                       int seeds, int budget, const Words& more = {}) {
    Words words = {"compare",    file,
                   "--policies", policies,
                   "--tasks",    "sim:basic",
                   "--seeds",    std::to_string(seeds),
                   "--budget",   std::to_string(budget),
                   "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // All that it says, but the name of the file.
  std::string Report(const std::string& file) {
    const Said said = Say({"compare", file, "--report", "--json"});
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    std::string text = said.out;
    const std::size_t at = text.find(At(file));
    if (at != text.npos) text.erase(at, At(file).size());
    return text;
  }

  std::string Count(const std::string& file, const std::string& what) {
    return Say({"sql", "--csv", "--db", file,
                "SELECT count(*) AS n FROM " + what})
        .out;
  }
};

TEST_F(CompareVerbTest, SideBySideItReportsTheSame) {
  EXPECT_EQ(Say(Compare("one.db", "stark,greedy", 2, 6)).exit, Exit::kDone);
  EXPECT_EQ(
      Say(Compare("many.db", "stark,greedy", 2, 6, {"--parallel", "4"})).exit,
      Exit::kDone);
  EXPECT_EQ(Report("one.db"), Report("many.db"));
}

TEST_F(CompareVerbTest, AGridGrowsByPoliciesAndSeeds) {
  EXPECT_EQ(Say(Compare("grown.db", "stark", 1, 9)).exit, Exit::kDone);
  EXPECT_EQ(Say(Compare("grown.db", "stark,greedy", 1, 9)).exit, Exit::kDone);
  EXPECT_EQ(Say(Compare("grown.db", "stark,greedy", 3, 9)).exit, Exit::kDone);
  EXPECT_EQ(Count("grown.db", "campaigns"), "n\n6\n");
  EXPECT_EQ(Say(Compare("fresh.db", "stark,greedy", 3, 9)).exit, Exit::kDone);
  EXPECT_EQ(Report("grown.db"), Report("fresh.db"));
}

// What it goes on from is known better than in a grid that did not end there:
// incumbents were measured once more.
TEST_F(CompareVerbTest, AGridGrowsByBudgetAndKeepsWhatItHas) {
  const auto attempts = [&](const std::string& file) {
    return Say({"sql", "--csv", "--db", file,
                "SELECT campaign, decision, uuid, parent, node, verdict"
                " FROM attempts WHERE decision < 4 ORDER BY 1, 2"})
        .out;
  };
  EXPECT_EQ(Say(Compare("grown.db", "stark,greedy", 3, 4)).exit, Exit::kDone);
  const std::string before = attempts("grown.db");
  EXPECT_EQ(Say(Compare("grown.db", "stark,greedy", 3, 9)).exit, Exit::kDone);
  EXPECT_EQ(attempts("grown.db"), before);
  EXPECT_EQ(Count("grown.db", "campaigns"), "n\n6\n");
  EXPECT_EQ(Count("grown.db", "attempts"), "n\n54\n");
}

// Nothing that was run is lost to a smaller question; only its incumbents are
// measured once more.
TEST_F(CompareVerbTest, ASmallerBudgetIsReadFromALargerOne) {
  EXPECT_EQ(Say(Compare("large.db", "stark,greedy", 2, 12)).exit, Exit::kDone);
  EXPECT_EQ(Say(Compare("small.db", "stark,greedy", 2, 5)).exit, Exit::kDone);
  const std::string small = Report("small.db");
  EXPECT_THAT(Say({"compare", "large.db", "--report", "--budget", "5"}).out,
              HasSubstr("was not measured once more"));
  const Said said = Say({"compare", "large.db", "--json", "--budget", "5"});
  EXPECT_EQ(Count("large.db", "attempts"), "n\n48\n");
  std::string text = said.out;
  text.erase(text.find(At("large.db")), At("large.db").size());
  EXPECT_EQ(text, small);
}

TEST_F(CompareVerbTest, AReportRunsNothing) {
  Say(Compare("new.db", "stark", 1, 4));
  const Said said =
      Say({"compare", "new.db", "--report", "--policies", "stark,greedy"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.out, HasSubstr("1 campaign in "));
  EXPECT_THAT(said.out, HasSubstr("1 more is not at the end of its budget"));
  EXPECT_EQ(Count("new.db", "campaigns"), "n\n1\n");
}

TEST_F(CompareVerbTest, ABaselineWithoutResultsIsSaidToBeReplaced) {
  Say(Compare("new.db", "stark", 1, 4));
  const Said said = Say({"compare", "new.db", "--report", "--policies",
                         "stark,greedy", "--baseline", "greedy"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.err, HasSubstr("--baseline greedy: no campaign of it is at "
                                  "the end of its budget; the baseline is "
                                  "stark\n"));
}

TEST_F(CompareVerbTest, OtherCampaignsOfTheFileAreLeftAlone) {
  Say({"run", "sim:basic", "--budget", "3", "--db", "new.db"});
  const Said none = Say({"compare", "new.db", "--report"});
  EXPECT_EQ(none.exit, Exit::kUsage);
  EXPECT_THAT(none.err, HasSubstr("new.db: holds no comparison; start one"));
  EXPECT_EQ(Say(Compare("new.db", "stark", 1, 4)).exit, Exit::kDone);
  EXPECT_THAT(Report("new.db"), HasSubstr("\"campaigns\": 1"));
  EXPECT_EQ(Count("new.db", "nodes WHERE campaign = 'sim:basic.xei_hint.s1'"),
            "n\n4\n");
}

// What was not made alike cannot be compared.
TEST_F(CompareVerbTest, OtherAgentsNeedAnotherFile) {
  Say(Compare("new.db", "stark", 1, 4));
  const Said said =
      Say(Compare("new.db", "stark,greedy", 1, 4, {"--plan-temperature", "1"}));
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, HasSubstr("was made with 0.8, not 1"));
  EXPECT_EQ(Count("new.db", "campaigns"), "n\n1\n");
}

TEST_F(CompareVerbTest, AgentsMayBeAloneForSomePolicies) {
  EXPECT_EQ(Say(Compare("new.db", "stark,stark.alone", 1, 4)).exit,
            Exit::kDone);
  EXPECT_EQ(Count("new.db",
                  "calls WHERE role = 'plan' AND campaign ="
                  " 'compare.sim:basic.stark.alone.s1'"),
            "n\n0\n");
}

// Those of a folder that has one file are v2's but for it.
TEST_F(CompareVerbTest, VersionsOfPromptsAreHeldAgainstEachOther) {
  Put("mine/plan.txt", "Plan.\n");
  EXPECT_EQ(Say({"compare", "new.db", "--policies", "greedy", "--prompts",
                 "v1," + At("mine"), "--tasks", "sim:basic", "--seeds", "1",
                 "--budget", "3"})
                .exit,
            Exit::kDone);
  const auto sets = [&](const std::string& contender) {
    return Count("new.db", "calls WHERE template_set = '" + contender +
                               "' AND campaign LIKE '%greedy@prompts=" +
                               contender + ".s1'");
  };
  EXPECT_NE(sets("v1"), "n\n0\n");
  EXPECT_NE(sets(At("mine")), "n\n0\n");
}

// Two campaigns of each, so greedy differs from stark by two pairs.
TEST_F(CompareVerbTest, NumbersAreWrittenForPrograms) {
  EXPECT_EQ(
      Say(Compare("new.db", "stark,greedy", 2, 4, {"--csv", At("numbers")}))
          .exit,
      Exit::kDone);
  const auto file = [&](const std::string& name) {
    return ReadBack(File("numbers/" + name + ".csv"));
  };
  const std::string campaigns = file("campaigns");
  EXPECT_EQ(std::ranges::count(campaigns, '\n'), 5);
  EXPECT_THAT(campaigns,
              AllOf(StartsWith("policy,task,seed,log_speedup,proven,solved,"),
                    HasSubstr("\nstark,sim:basic,1,"),
                    HasSubstr("\ngreedy,sim:basic,2,")));
  EXPECT_THAT(file("policies"), HasSubstr("\nstark,2,"));
  EXPECT_THAT(file("differences"), HasSubstr("\ngreedy,stark,2,"));
  EXPECT_THAT(file("curves"), StartsWith("policy,attempts,mean_log_speedup,"));
  EXPECT_THAT(file("profiles"), StartsWith("policy,factor,share\nstark,1,"));
}

// Before hours of work.
TEST_F(CompareVerbTest, AFolderThatCannotBeMadeIsToldAtOnce) {
  const std::string below = Put("file", "") + "/numbers";
  const Said said = Say(Compare("new.db", "stark", 1, 4, {"--csv", below}));
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.err, HasSubstr(below + ": "));
  EXPECT_FALSE(std::filesystem::exists(File("new.db")));
}

TEST_F(CompareVerbTest, WhatPeopleSteeredIsNoSampleOfItsPolicy) {
  Say(Compare("new.db", "stark,greedy", 1, 4));
  const std::string campaign = "compare.sim:basic.stark.s1";
  EXPECT_EQ(Say({"steer", "advise", "Tile.", "--campaign", campaign, "--db",
                 "new.db"})
                .exit,
            Exit::kDone);
  // It hears of that when it goes on.
  Say(Compare("new.db", "stark,greedy", 1, 5));
  const Said said = Say({"compare", "new.db", "--report"});
  EXPECT_EQ(said.err, campaign +
                          ": left out, since people steered it: it is no "
                          "sample of its policy\n");
  EXPECT_THAT(said.out, HasSubstr("1 campaign in "));
}

// Neither has the luck in the measurement by which a kernel was chosen.
TEST_F(CompareVerbTest, AStoredComparisonIsTheOneInMemory) {
  const Words cells = {
      "--policies", "stark,greedy", "--tasks", "sim:hill/1,sim:nk/2", "--seeds",
      "3",          "--budget",     "8"};
  Words stored = {"compare", "new.db", "--csv", At("stored")};
  stored.insert(stored.end(), cells.begin(), cells.end());
  Words in_memory = {"compare", "--in-memory", "--csv", At("memory")};
  in_memory.insert(in_memory.end(), cells.begin(), cells.end());
  ASSERT_EQ(Say(stored).exit, Exit::kDone);
  ASSERT_EQ(Say(in_memory).exit, Exit::kDone);
  const std::string policies = ReadBack(File("stored/policies.csv"));
  const std::string memory = ReadBack(File("memory/in_memory.csv"));
  for (const std::string policy : {"stark", "greedy"}) {
    const auto mean_of = [](const std::string& csv, const std::string& begin,
                            int column) {
      std::istringstream row(csv.substr(csv.find("\n" + begin) + 1));
      std::string field;
      for (int i = 0; i <= column; ++i) std::getline(row, field, ',');
      return std::atof(field.c_str());
    };
    const double mean = mean_of(policies, policy + ",", 8);
    EXPECT_GT(mean, 0.0);
    EXPECT_NEAR(mean, mean_of(memory, "8,all," + policy + ",", 6), 1e-8);
  }
}

// As in STARK's ablation: search and team, each with and without.  The final is
// that of a comparison of the finalists on seeds and landscapes of the final.
TEST_F(CompareVerbTest, AFactorialChoosesAndJudgesElsewhere) {
  const Words words = {"compare",
                       "--in-memory",
                       "--factorial",
                       "--policies",
                       "stark,best_of_k",
                       "--vary",
                       "agents=team,alone",
                       "--tasks",
                       "sim:hill/1,sim:nk/1",
                       "--held-out",
                       "sim:weak/1,sim:ladder/1",
                       "--seeds",
                       "20",
                       "--budget",
                       "20"};
  const Said said = Say(words);
  ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(
      said.out,
      AllOf(HasSubstr("4 cells (2 policy x 2 agents)"),
            HasSubstr("20 calls a campaign"),
            HasSubstr("\npolicy x agents  stark -> best_of_k, team -> alone"),
            HasSubstr("\nsequential sampling "), HasSubstr("\nchosen: stark"),
            HasSubstr("held out: 2 other tasks with 20 other seeds"),
            AnyOf(HasSubstr(" wins: "), HasSubstr("nobody wins: "))));
  EXPECT_EQ(Say(words).out, said.out);
  const std::size_t at = said.out.find("\nchosen: ") + 9;
  const std::string chosen = said.out.substr(at, said.out.find('\n', at) - at);
  const Said again =
      Say({"compare", "--in-memory", "--policies",
           chosen + ",best_of_k.alone,reflexion.alone", "--tasks",
           "sim:weak/1,sim:ladder/1", "--seeds", "20", "--seed", "1000000001",
           "--budget", "20", "--budget-kind", "calls", "--baseline", chosen});
  ASSERT_EQ(again.exit, Exit::kDone) << again.err;
  const auto difference = [](const std::string& text, const std::string& of) {
    const std::size_t line = text.rfind("\n" + of + " ");
    const std::size_t sign = text.find_first_of("+-", line);
    return text.substr(sign, 6);
  };
  EXPECT_EQ(difference(said.out, "independent sampling"),
            difference(again.out, "best_of_k.alone"));
}

TEST_F(CompareVerbTest, WhatIsNamedTwiceIsRunOnce) {
  const Said twice =
      Say({"compare", "--in-memory", "--policies", "all,stark,stark", "--tasks",
           "sim:all,sim:hill/1", "--seeds", "1", "--budget", "4,04", "--json"});
  const Said once =
      Say({"compare", "--in-memory", "--policies", "all", "--tasks", "sim:all",
           "--seeds", "1", "--budget", "4", "--json"});
  EXPECT_EQ(once.exit, Exit::kDone) << once.err;
  EXPECT_EQ(twice.out, once.out);
  EXPECT_EQ(
      Say(Compare("new.db", "stark,stark.alone", 1, 3, {"--agents", "alone"}))
          .exit,
      Exit::kDone);
  EXPECT_EQ(Count("new.db", "campaigns"), "n\n1\n");
}

TEST_F(CompareVerbTest, MistakesAreToldBeforeAnyFileIsMade) {
  const auto told = [&](const Words& words, const std::string& what) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kUsage) << what;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1)
        << said.err;
    EXPECT_THAT(said.err, HasSubstr(what));
    EXPECT_FALSE(std::filesystem::exists(File("new.db")));
  };
  const auto expect = [&](const Words& more, const std::string& what) {
    Words words = {"compare", "new.db"};
    words.insert(words.end(), more.begin(), more.end());
    told(words, what);
  };
  const auto with = [](const Words& more) {
    Words words = {"--policies", "stark", "--tasks", "sim:basic"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect({}, "--policies: say which");
  expect({"--report"}, "new.db: no such file");
  expect({"--policies", "stark"}, "--tasks: say which");
  expect({"--policies", "strak", "--tasks", "sim:basic"},
         "did you mean stark?");
  expect({"--policies", "stark", "--tasks", "gemm_sqare"},
         "did you mean gemm_square?");
  expect({"--policies", "stark", "--tasks", "cpu:level9"},
         "there is no task of this level");
  expect({"--policies", "stark", "--tasks", "cpu:level1abc"},
         "there is no task of this level");
  expect({"--in-memory", "--policies", "stark", "--tasks", "recorded:all",
          "--data-directory", File("").string()},
         "recorded:all: there are none in");
  expect(with({"--seeds", "0"}), "--seeds 0: expected 1 to 10000");
  expect(with({"--seeds", "10001"}), "--seeds 10001: expected 1 to 10000");
  expect(with({"--budget", "0"}), "--budget 0: expected a whole number");
  expect(with({"--budget", "many"}), "--budget many: expected");
  expect(with({"--budget-kind", "euros"}),
         "--budget-kind euros: expected attempts, calls, tokens, dollars");
  expect(with({"--budget-kind", "tokens"}), "--budget: say how many tokens");
  expect(with({"--budget-kind", "tokens", "--budget", "9"}),
         "the agents use none on sim:basic; compare by attempts");
  expect(with({"--budget-kind", "evaluator_seconds", "--budget", "9"}),
         "judging sim:basic takes none");
  expect(with({"--budget-kind", "calls", "--budget", "9"}),
         "--budget-kind calls: is for --in-memory");
  expect(with({"--baseline", "greedy"}), "is not among the policies");
  expect(with({"--parallel", "0"}), "--parallel 0: expected 1 to 256");
  expect(with({"--prompts", "v1,v9"}),
         "prompts: v9: neither v1 nor v2, nor a folder of templates");
  expect(with({"--in-memory"}), "sim:basic: is one task");
  expect({"--in-memory", "--policies", "stark", "--tasks", "gemv"},
         "gemv: is no landscape");
  expect({"--in-memory", "--policies", "stark", "--budget", "30,x"},
         "--budget 30,x: expected whole numbers");
  expect({"--in-memory", "--policies", "stark", "--report"},
         "new.db: holds no campaigns in memory; start some");
  expect({"--in-memory", "--policies", "stark@code_temperature=1"},
         "code_temperature: makes no difference in memory");
  const auto in_memory = [](const Words& more) {
    Words words = {"compare", "--in-memory", "--policies",
                   "stark",   "--tasks",     "sim:hill/1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  told(in_memory({"--budget-kind", "evaluator_seconds", "--budget", "9"}),
       "judging sim:hill/1 takes none; compare by attempts, or on recorded");
  told(in_memory({"--budget-kind", "evaluator_seconds"}),
       "--budget: say how many evaluator_seconds");
  told(in_memory({"--budget-kind", "tokens", "--budget", "9"}),
       "--budget-kind tokens: campaigns in memory use none");
  told(in_memory({"--until-told"}), "--until-told: expected two policies");
  expect({"--in-memory", "--policies", "stark", "--tasks", "recorded:train",
          "--budget-kind", "evaluator_seconds", "--budget", "9"},
         "files keep scores in memory by attempts only; compare without ");
  expect(with({"--until-told"}), "--until-told: is for --in-memory");
  expect(with({"--held-out", "sim:hill/1"}), "--held-out: is for --factorial");
  expect(with({"--factorial"}), "--factorial: stark alone is nothing to cross");
  const auto crossed = [](const Words& more) {
    Words words = {"--factorial", "--policies", "stark,greedy"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect(crossed({"--tasks", "gemv", "--csv", "numbers"}),
         "--factorial: goes without --csv");
  expect(crossed({"--tasks", "gemv", "--budget-kind", "attempts"}),
         "--factorial is at equal money");
  expect(crossed({"--tasks", "gemv"}), "--budget: say how many");
  expect(crossed({"--tasks", "gemv", "--budget", "5"}),
         "--held-out: say which");
  expect(crossed({"--tasks", "sim:hill/1", "--held-out", "sim:hill/2",
                  "--budget", "5"}),
         "judging sim:hill/1 costs nothing; compare with --in-memory");
  expect(crossed({"--tasks", "gemv", "--held-out", "gemv", "--budget", "5"}),
         "--held-out gemv: is among --tasks");
  expect(crossed({"--in-memory", "--tasks", "sim:hill/1"}),
         "files keep scores in memory by attempts only");
  const auto crossed_in_memory = [&](const Words& more) {
    Words words = {"compare", "--in-memory"};
    const Words all = crossed({"--tasks", "sim:hill/1"});
    words.insert(words.end(), all.begin(), all.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  told(crossed_in_memory({}), "--held-out: say which");
  told(crossed_in_memory({"--held-out", "sim:hill/1"}),
       "--held-out sim:hill/1: is among --tasks");
  told(crossed_in_memory({"--held-out", "sim:hill/2", "--budget", "5,10"}),
       "--factorial: expected one --budget");
  told(crossed_in_memory(
           {"--held-out", "sim:hill/2", "--budget-kind", "attempts"}),
       "are of equal money by calls or evaluator_seconds");
  told(crossed_in_memory(
           {"--held-out", "sim:hill/2", "--vary", "memory=none,old.db"}),
       "memory: makes no difference in memory");
}

}  // namespace
}  // namespace coppice::cli
