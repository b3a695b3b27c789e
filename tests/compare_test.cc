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

}  // namespace
}  // namespace coppice
