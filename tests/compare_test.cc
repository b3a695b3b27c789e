// Policies compared as a user compares them: the report is the same however
// often the work was killed, stopped, divided or added to.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace coppice {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

std::string Text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Said {
  int exit = -1;  // 128 + signal if it was killed.
  std::string out;
  std::string err;
};

class CompareTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(testing::TempDir()) /
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  // In the test's directory, where its databases are.
  pid_t Start(const Words& words, const std::string& die_at_commit = "") const {
    std::vector<char*> argv{const_cast<char*>(COPPICE_PROGRAM)};
    for (const std::string& word : words) {
      argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    const auto redirect = [](const fs::path& path, int to) {
      dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
    };
    redirect(directory_ / "out", STDOUT_FILENO);
    redirect(directory_ / "err", STDERR_FILENO);
    setenv("HOME", directory_.c_str(), 1);
    if (!die_at_commit.empty()) {
      setenv("COPPICE_TEST_DIE_AT_COMMIT", die_at_commit.c_str(), 1);
    }
    if (chdir(directory_.c_str()) != 0) _exit(126);
    execv(die_at_commit.empty() ? COPPICE_PROGRAM : COPPICE_PROGRAM "-mortal",
          argv.data());
    _exit(127);
  }

  Said Finish(pid_t child) const {
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            Text(directory_ / "out"), Text(directory_ / "err")};
  }

  Said Say(const Words& words) const { return Finish(Start(words)); }

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
  std::string Report(const std::string& file) const {
    const Said said = Say({"compare", file, "--report", "--json"});
    EXPECT_EQ(said.exit, 0) << said.err;
    std::string text = said.out;
    const std::size_t at = text.find(file);
    if (at != text.npos) text.erase(at, file.size());
    return text;
  }

  std::string Count(const std::string& file, const std::string& what) const {
    return Say({"sql", "--csv", "--db", file,
                "SELECT count(*) AS n FROM " + what})
        .out;
  }

  fs::path directory_;
};

TEST_F(CompareTest, KilledAndContinuedItReportsWhatAWholeRunDoes) {
  EXPECT_EQ(Say(Compare("whole.db", "stark,greedy", 2, 8)).exit, 0);
  const std::string whole = Report("whole.db");
  EXPECT_THAT(whole, HasSubstr("\"campaigns\": 4"));
  const Words again = Compare("cut.db", "stark,greedy", 2, 8);
  int kills = 0;
  // A whole run has some 160 commits; each time a few further ones are let by.
  for (int commits = 1; commits < 100; commits += 13) {
    const Said said = Finish(Start(again, std::to_string(commits)));
    if (said.exit == 0) break;
    EXPECT_EQ(said.exit, 128 + SIGKILL) << said.err;
    ++kills;
  }
  EXPECT_GE(kills, 4);
  EXPECT_EQ(Say({"compare", "cut.db"}).exit, 0);  // The file knows its grid.
  EXPECT_EQ(Report("cut.db"), whole);
  EXPECT_EQ(Say({"db", "doctor", "--db", "cut.db"}).exit, 0);
}

// The file knows all of its grid or nothing.
TEST_F(CompareTest, KilledWhileItBeginsItForgetsNoSeeds) {
  EXPECT_EQ(Say(Compare("whole.db", "stark,greedy", 3, 4)).exit, 0);
  int continued = 0;
  for (const std::string commit : {"0", "1", "2", "3", "4", "5"}) {
    const std::string cut = "cut" + commit + ".db";
    const Said killed =
        Finish(Start(Compare(cut, "stark,greedy", 3, 4), commit));
    EXPECT_EQ(killed.exit, 128 + SIGKILL);
    const std::string campaigns = Count(cut, "campaigns");
    if (campaigns != "n\n6\n") {
      EXPECT_THAT(campaigns, AnyOf("", "n\n0\n"));
      continue;
    }
    EXPECT_EQ(Say({"compare", cut}).exit, 0);
    EXPECT_EQ(Report(cut), Report("whole.db"));
    ++continued;
  }
  EXPECT_GE(continued, 2);
}

TEST_F(CompareTest, StoppedItSaysHowToGoOnAndDoes) {
  EXPECT_EQ(Say(Compare("whole.db", "stark,greedy", 2, 30)).exit, 0);
  const pid_t child = Start(Compare("cut.db", "stark,greedy", 2, 30));
  while (Count("cut.db", "nodes") == "" ||
         Count("cut.db", "nodes") == "n\n0\n") {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) != 0) {  // It may have been faster than the signal.
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
  EXPECT_EQ(Say({"compare", "cut.db"}).exit, 0);
  EXPECT_EQ(Report("cut.db"), Report("whole.db"));
}

TEST_F(CompareTest, SideBySideItReportsTheSame) {
  EXPECT_EQ(Say(Compare("one.db", "stark,greedy,reflexion", 4, 10)).exit, 0);
  EXPECT_EQ(Say(Compare("many.db", "stark,greedy,reflexion", 4, 10,
                        {"--parallel", "4"}))
                .exit,
            0);
  EXPECT_EQ(Report("one.db"), Report("many.db"));
}

// Two processes on one campaign would each have attempts in flight that the
// other's policy sees.
TEST_F(CompareTest, ProcessesOnOneFileDivideItsCampaigns) {
  EXPECT_EQ(Say(Compare("one.db", "stark,greedy,xei", 3, 20)).exit, 0);
  const Words shared = Compare("many.db", "stark,greedy,xei", 3, 20);
  std::vector<pid_t> children = {Start(shared)};
  while (Count("many.db", "campaigns") != "n\n9\n") {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  children.push_back(Start(shared));
  children.push_back(Start(shared));
  for (const pid_t child : children) {
    EXPECT_EQ(Finish(child).exit, 0) << Text(directory_ / "err");
  }
  EXPECT_EQ(Count("many.db", "attempts"), "n\n180\n");
  EXPECT_EQ(Report("many.db"), Report("one.db"));
  EXPECT_EQ(Say({"db", "doctor", "--db", "many.db"}).exit, 0);
}

TEST_F(CompareTest, AGridGrowsByPoliciesAndSeeds) {
  EXPECT_EQ(Say(Compare("grown.db", "stark", 1, 9)).exit, 0);
  EXPECT_EQ(Say(Compare("grown.db", "stark,greedy", 1, 9)).exit, 0);
  EXPECT_EQ(Say(Compare("grown.db", "stark,greedy", 3, 9)).exit, 0);
  EXPECT_EQ(Count("grown.db", "campaigns"), "n\n6\n");
  EXPECT_EQ(Say(Compare("fresh.db", "stark,greedy", 3, 9)).exit, 0);
  EXPECT_EQ(Report("grown.db"), Report("fresh.db"));
}

// What it goes on from is known better than in a grid that did not end there:
// incumbents were measured once more.
TEST_F(CompareTest, AGridGrowsByBudgetAndKeepsWhatItHas) {
  const auto attempts = [&](const std::string& file) {
    return Say({"sql", "--csv", "--db", file,
                "SELECT campaign, decision, uuid, parent, node, verdict"
                " FROM attempts WHERE decision < 4 ORDER BY 1, 2"})
        .out;
  };
  EXPECT_EQ(Say(Compare("grown.db", "stark,greedy", 3, 4)).exit, 0);
  const std::string before = attempts("grown.db");
  EXPECT_EQ(Say(Compare("grown.db", "stark,greedy", 3, 9)).exit, 0);
  EXPECT_EQ(attempts("grown.db"), before);
  EXPECT_EQ(Count("grown.db", "campaigns"), "n\n6\n");
  EXPECT_EQ(Count("grown.db", "attempts"), "n\n54\n");
}

// Nothing that was run is lost to a smaller question; only its incumbents are
// measured once more.
TEST_F(CompareTest, ASmallerBudgetIsReadFromALargerOne) {
  EXPECT_EQ(Say(Compare("large.db", "stark,greedy", 2, 12)).exit, 0);
  EXPECT_EQ(Say(Compare("small.db", "stark,greedy", 2, 5)).exit, 0);
  const std::string small = Report("small.db");
  EXPECT_THAT(Say({"compare", "large.db", "--report", "--budget", "5"}).out,
              HasSubstr("was not measured once more"));
  const Said said = Say({"compare", "large.db", "--json", "--budget", "5"});
  EXPECT_EQ(Count("large.db", "attempts"), "n\n48\n");
  std::string text = said.out;
  text.erase(text.find("large.db"), 8);
  EXPECT_EQ(text, small);
}

TEST_F(CompareTest, AReportRunsNothing) {
  Say(Compare("x.db", "stark", 1, 4));
  const Said said =
      Say({"compare", "x.db", "--report", "--policies", "stark,greedy"});
  EXPECT_EQ(said.exit, 0);
  EXPECT_THAT(said.out, HasSubstr("1 campaign in x.db"));
  EXPECT_THAT(said.out, HasSubstr("1 more are not at the end of their budget"));
  EXPECT_EQ(Count("x.db", "campaigns"), "n\n1\n");
}

TEST_F(CompareTest, ABaselineWithoutResultsIsSaidToBeReplaced) {
  Say(Compare("x.db", "stark", 1, 4));
  const Said said = Say({"compare", "x.db", "--report", "--policies",
                         "stark,greedy", "--baseline", "greedy"});
  EXPECT_EQ(said.exit, 0);
  EXPECT_THAT(said.err, HasSubstr("--baseline greedy: no campaign of it is at "
                                  "the end of its budget; the baseline is "
                                  "stark\n"));
}

TEST_F(CompareTest, OtherCampaignsOfTheFileAreLeftAlone) {
  Say({"run", "sim:basic", "--budget", "3", "--db", "x.db"});
  const Said none = Say({"compare", "x.db", "--report"});
  EXPECT_EQ(none.exit, 2);
  EXPECT_THAT(none.err, HasSubstr("x.db: holds no comparison; start one"));
  EXPECT_EQ(Say(Compare("x.db", "stark", 1, 4)).exit, 0);
  EXPECT_THAT(Report("x.db"), HasSubstr("\"campaigns\": 1"));
  EXPECT_EQ(Count("x.db", "nodes WHERE campaign = 'sim:basic.xei_hint.s1'"),
            "n\n4\n");
}

// What was not made alike cannot be compared.
TEST_F(CompareTest, OtherAgentsNeedAnotherFile) {
  Say(Compare("x.db", "stark", 1, 4));
  const Said said =
      Say(Compare("x.db", "stark,greedy", 1, 4, {"--plan-temperature", "1"}));
  EXPECT_EQ(said.exit, 2);
  EXPECT_THAT(said.err, HasSubstr("was made with 0.8, not 1"));
  EXPECT_EQ(Count("x.db", "campaigns"), "n\n1\n");
}

TEST_F(CompareTest, AgentsMayBeAloneForSomePolicies) {
  EXPECT_EQ(Say(Compare("x.db", "stark,stark.alone", 1, 4)).exit, 0);
  EXPECT_EQ(Count("x.db",
                  "calls WHERE role = 'plan' AND campaign ="
                  " 'compare.sim:basic.stark.alone.s1'"),
            "n\n0\n");
}

// Those of a folder that has one file are v2's but for it.
TEST_F(CompareTest, VersionsOfPromptsAreHeldAgainstEachOther) {
  fs::create_directories(directory_ / "mine");
  std::ofstream(directory_ / "mine/plan.txt") << "Plan.\n";
  EXPECT_EQ(
      Say({"compare", "x.db", "--policies", "greedy", "--prompts", "v1,./mine",
           "--tasks", "sim:basic", "--seeds", "1", "--budget", "3"})
          .exit,
      0);
  const auto sets = [&](const std::string& contender) {
    return Count("x.db", "calls WHERE template_set = '" + contender +
                             "' AND campaign LIKE '%greedy@prompts=" +
                             contender + ".s1'");
  };
  EXPECT_NE(sets("v1"), "n\n0\n");
  EXPECT_NE(sets("./mine"), "n\n0\n");
}

TEST_F(CompareTest, NumbersAndPicturesAreWritten) {
  const Said said = Say(Compare("x.db", "stark,best_of_k", 3, 6,
                                {"--csv", "numbers", "--figures", "pictures"}));
  EXPECT_THAT(Text(directory_ / "numbers" / "campaigns.csv"),
              AllOf(HasSubstr("policy,task,seed,log_speedup,proven,solved,"),
                    HasSubstr("\nstark,sim:basic,1,")));
  EXPECT_THAT(Text(directory_ / "numbers" / "curves.csv"),
              HasSubstr("policy,attempts,mean_log_speedup"));
  if (said.exit != 0) {
    EXPECT_THAT(said.err, HasSubstr("apt-get install python3-matplotlib"));
    GTEST_SKIP() << "there is no matplotlib";
  }
  for (const char* name :
       {"speed", "curves", "differences", "profiles", "tasks"}) {
    const fs::path path = directory_ / "pictures" / name;
    EXPECT_THAT(Text(path.string() + ".svg"), HasSubstr("<svg")) << name;
    EXPECT_THAT(Text(path.string() + ".png"), HasSubstr("PNG")) << name;
  }
}

// Best-of-K loses to STARK on every landscape by far more than 25 campaigns
// leave open.
TEST_F(CompareTest, InMemoryNothingIsStored) {
  const Words words = {"compare",         "--in-memory", "--policies",
                       "stark,best_of_k", "--tasks",     "sim:hill/1,sim:nk/1",
                       "--seeds",         "25",          "--budget",
                       "30,10",           "--csv",       "numbers"};
  const Said said = Say(words);
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("2 policies, 2 landscapes, 25 campaigns"));
  EXPECT_THAT(said.out, HasSubstr("30 attempts: log speedup"));
  EXPECT_THAT(said.out, HasSubstr(" worse\n"));
  EXPECT_FALSE(fs::exists(directory_ / "coppice.db"));
  const std::string numbers = Text(directory_ / "numbers" / "in_memory.csv");
  // Two budgets, two landscapes and both together, and two policies.
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), '\n'), 1 + 2 * 3 * 2);
  EXPECT_THAT(numbers, HasSubstr("\n10,all,stark,50,"));
  EXPECT_EQ(Say(words).out, said.out);
}

TEST_F(CompareTest, AFileKeepsWhatWasPlayedInMemory) {
  const auto play = [](const std::string& file, const std::string& policies,
                       const std::string& seed, const std::string& seeds,
                       const std::string& budget) {
    return Words{"compare",
                 file,
                 "--in-memory",
                 "--policies",
                 policies,
                 "--tasks",
                 "sim:hill/1,sim:nk/1",
                 "--seed",
                 seed,
                 "--seeds",
                 seeds,
                 "--budget",
                 budget};
  };
  const auto report = [&](const std::string& file) {
    const Said said = Say({"compare", file, "--in-memory", "--report", "--json",
                           "--csv", "numbers-" + file});
    EXPECT_EQ(said.exit, 0) << said.err;
    return said.out +
           Text(directory_ / ("numbers-" + file) / "in_memory_scores.csv");
  };
  const Words all = play("whole.db", "stark,greedy", "1", "120", "10,30");
  const Said whole = Say(all);
  EXPECT_EQ(whole.exit, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("120 campaigns of each in whole.db\n"));
  const std::string numbers = report("whole.db");
  EXPECT_EQ(Count("whole.db", "scores_in_memory"), "n\n960\n");
  EXPECT_THAT(numbers, HasSubstr("\ngreedy,sim:nk/1,120,30,"));

  // It says the same in memory alone.
  Words alone = all;
  alone.erase(alone.begin() + 1);
  std::string of_file = whole.out;
  of_file.erase(of_file.find(" in whole.db"), 12);
  EXPECT_EQ(Say(alone).out, of_file);

  // Added to bit by bit, by two machines.
  EXPECT_EQ(Say(play("a.db", "stark", "1", "60", "30")).exit, 0);
  EXPECT_EQ(Say(play("a.db", "stark,greedy", "1", "60", "10,30")).exit, 0);
  EXPECT_EQ(Say(play("b.db", "greedy,stark", "61", "60", "10,30")).exit, 0);
  const Said merged = Say({"db", "merge", "--db", "a.db", "b.db"});
  EXPECT_EQ(merged.exit, 0) << merged.err;
  EXPECT_THAT(merged.err, HasSubstr("b.db: 480 scores in memory, 480 of them "
                                    "new"));
  EXPECT_EQ(report("a.db"), numbers);
  EXPECT_EQ(Say({"db", "fingerprint", "a.db"}).out,
            Say({"db", "fingerprint", "whole.db"}).out);
  EXPECT_EQ(Say({"db", "doctor", "--db", "a.db"}).exit, 0);
}

// What was written by then is a matter of seconds;
// engine/compare/in_memory_file_test.cc counts what is played again.
TEST_F(CompareTest, KilledInMemoryItGoesOnByItsFileAlone) {
  const auto play = [](const std::string& file) {
    return Words{"compare",
                 file,
                 "--in-memory",
                 "--policies",
                 "stark,xei",
                 "--tasks",
                 "sim:hill/1,sim:nk/1",
                 "--seeds",
                 "100",
                 "--budget",
                 "30"};
  };
  const Said whole = Say(play("whole.db"));
  EXPECT_EQ(whole.exit, 0) << whole.err;
  // After the grid was entered, and then at the next scores.
  EXPECT_EQ(Finish(Start(play("cut.db"), "3")).exit, 128 + SIGKILL);
  const Said part = Say({"compare", "cut.db", "--report"});
  EXPECT_EQ(part.exit, 0) << part.err;
  EXPECT_THAT(part.out, HasSubstr(" of 400 campaigns are not played yet"));
  EXPECT_EQ(Finish(Start({"compare", "cut.db"}, "3")).exit, 128 + SIGKILL);
  const Said continued = Say({"compare", "cut.db"});
  EXPECT_EQ(continued.exit, 0) << continued.err;
  EXPECT_EQ(continued.out.substr(continued.out.find('\n')),
            whole.out.substr(whole.out.find('\n')));
  EXPECT_EQ(Say({"db", "fingerprint", "cut.db"}).out,
            Say({"db", "fingerprint", "whole.db"}).out);
}

// Best-of-K is told from STARK after some look, for all 320 seeds at the last.
TEST_F(CompareTest, UntilToldAFileHasTheSeedsOfTheLastLook) {
  Words words = {
      "compare", "--in-memory", "--until-told", "--policies", "stark,best_of_k",
      "--tasks", "sim:hill/1",  "--seeds",      "320",        "--budget",
      "30"};
  const Said alone = Say(words);
  EXPECT_EQ(alone.exit, 0) << alone.err;
  EXPECT_THAT(alone.out, HasSubstr("worse, told after "));
  words.insert(words.begin() + 1, "x.db");
  const auto of_file = [&] {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, 0) << said.err;
    std::string out = said.out;
    const std::size_t at = out.find(" in x.db");
    return at == std::string::npos ? out : out.erase(at, 8);
  };
  EXPECT_EQ(of_file(), alone.out);
  const std::string once = Count("x.db", "scores_in_memory");
  EXPECT_NE(once, "n\n640\n");
  EXPECT_EQ(of_file(), alone.out);
  EXPECT_EQ(Count("x.db", "scores_in_memory"), once);
  // More seeds in the file do not move the looks.
  Say({"compare", "x.db", "--in-memory", "--seeds", "320"});
  EXPECT_EQ(Count("x.db", "scores_in_memory"), "n\n640\n");
  words.push_back("--report");
  EXPECT_EQ(of_file(), alone.out);
}

// A report is of what was played on the landscape, not of what is here by that
// name.
TEST_F(CompareTest, AReportOfAFileTellsScoresByTheFastestToo) {
  const fs::path table = directory_ / "own.csv";
  const auto write = [&](double fastest) {
    std::ofstream(table) << "tile,status,time_ms\n1,ok,8\n2,ok,4\n4,ok,"
                         << fastest << "\n8,ok,6\n";
  };
  write(2);
  const Said played =
      Say({"compare", "x.db", "--in-memory", "--policies", "stark,best_of_k",
           "--tasks", "recorded:own.csv", "--seeds", "20", "--budget", "2"});
  EXPECT_EQ(played.exit, 0) << played.err;
  EXPECT_THAT(played.out, HasSubstr("share of the fastest kernel's log"));
  const Words report = {"compare", "x.db", "--in-memory", "--report"};
  EXPECT_EQ(Say(report).out, played.out);
  write(1);
  const Said other = Say(report);
  EXPECT_EQ(other.exit, 0) << other.err;
  EXPECT_THAT(other.out, Not(HasSubstr("share of the fastest")));
  EXPECT_THAT(other.err,
              HasSubstr("recorded:own.csv: is not here as it was played on"));
}

TEST_F(CompareTest, PicturesAreDrawnInMemoryToo) {
  const Said said =
      Say({"compare", "--in-memory", "--policies", "stark,best_of_k", "--tasks",
           "sim:hill/1,sim:nk/1", "--seeds", "4", "--budget", "5,10",
           "--figures", "pictures"});
  const std::string curves = Text(directory_ / "pictures" / "curves.csv");
  EXPECT_THAT(curves, HasSubstr("\nstark,5,"));
  EXPECT_THAT(curves, HasSubstr("\nbest_of_k,10,"));
  EXPECT_THAT(Text(directory_ / "pictures" / "in_memory.csv"),
              HasSubstr("\n10,all,stark,8,"));
  if (said.exit != 0) {
    EXPECT_THAT(said.err, HasSubstr("apt-get install python3-matplotlib"));
    GTEST_SKIP() << "there is no matplotlib";
  }
  for (const char* name : {"speed", "curves", "differences"}) {
    const fs::path path = directory_ / "pictures" / name;
    EXPECT_THAT(Text(path.string() + ".svg"), HasSubstr("<svg")) << name;
  }
}

// Neither has the luck in the measurement by which a kernel was chosen.
TEST_F(CompareTest, AStoredComparisonIsTheOneInMemory) {
  const Words cells = {
      "--policies", "stark,greedy", "--tasks", "sim:hill/1,sim:nk/2", "--seeds",
      "3",          "--budget",     "15"};
  Words stored = {"compare", "x.db", "--csv", "stored"};
  stored.insert(stored.end(), cells.begin(), cells.end());
  Words in_memory = {"compare", "--in-memory", "--csv", "memory"};
  in_memory.insert(in_memory.end(), cells.begin(), cells.end());
  ASSERT_EQ(Say(stored).exit, 0);
  ASSERT_EQ(Say(in_memory).exit, 0);
  const std::string policies = Text(directory_ / "stored" / "policies.csv");
  const std::string memory = Text(directory_ / "memory" / "in_memory.csv");
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
    EXPECT_NEAR(mean, mean_of(memory, "15,all," + policy + ",", 6), 1e-8);
  }
}

// As in STARK's ablation: search and team, each with and without.  The final is
// that of a comparison of the finalists on seeds and landscapes of the final.
TEST_F(CompareTest, AFactorialChoosesAndJudgesElsewhere) {
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
  ASSERT_EQ(said.exit, 0) << said.err;
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
  ASSERT_EQ(again.exit, 0) << again.err;
  const auto difference = [](const std::string& text, const std::string& of) {
    const std::size_t line = text.rfind("\n" + of + " ");
    const std::size_t sign = text.find_first_of("+-", line);
    return text.substr(sign, 6);
  };
  EXPECT_EQ(difference(said.out, "independent sampling"),
            difference(again.out, "best_of_k.alone"));
}

TEST_F(CompareTest, WhatIsNamedTwiceIsRunOnce) {
  const Said twice =
      Say({"compare", "--in-memory", "--policies", "all,stark,stark", "--tasks",
           "sim:all,sim:hill/1", "--seeds", "1", "--budget", "4,04", "--json"});
  const Said once =
      Say({"compare", "--in-memory", "--policies", "all", "--tasks", "sim:all",
           "--seeds", "1", "--budget", "4", "--json"});
  EXPECT_EQ(once.exit, 0) << once.err;
  EXPECT_EQ(twice.out, once.out);
  EXPECT_EQ(
      Say(Compare("x.db", "stark,stark.alone", 1, 3, {"--agents", "alone"}))
          .exit,
      0);
  EXPECT_EQ(Count("x.db", "campaigns"), "n\n1\n");
}

TEST_F(CompareTest, MistakesAreToldBeforeAnyFileIsMade) {
  const auto told = [&](const Words& words, const std::string& what) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, 2) << what;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1)
        << said.err;
    EXPECT_THAT(said.err, HasSubstr(what));
    EXPECT_FALSE(fs::exists(directory_ / "x.db"));
  };
  const auto expect = [&](const Words& more, const std::string& what) {
    Words words = {"compare", "x.db"};
    words.insert(words.end(), more.begin(), more.end());
    told(words, what);
  };
  const auto with = [](const Words& more) {
    Words words = {"--policies", "stark", "--tasks", "sim:basic"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect({}, "--policies: say which");
  expect({"--report"}, "x.db: no such file");
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
          "--data-directory", directory_.string()},
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
         "x.db: holds no campaigns in memory; start some");
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
         "files keep scores in memory by attempts only; compare without x.db");
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
}  // namespace coppice
