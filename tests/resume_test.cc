// What a command line asked for is done, however often it is stopped, and is
// extended by who asks for more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "store/database.h"
#include "tests/campaign_process.h"

namespace coppice {
namespace {
using testing::HasSubstr;
using testing::Not;

class ResumeTest : public testing::Test {
 protected:
  std::string Of(const std::string& name) const {
    return processes_.Database(name).string();
  }

  // The exit code; 128 + signal if it was killed.
  int Say(const Arguments& arguments, const std::string& die_at = "") const {
    return CodeOf(CampaignProcesses::Wait(processes_.Start(arguments, die_at)));
  }

  static int CodeOf(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // Whether anything beat the root is not the question.
  void Do(const Arguments& arguments) const {
    EXPECT_THAT(Say(arguments), testing::AnyOf(0, 3)) << processes_.Output();
  }

  // Two campaigns, of other than default settings.
  Arguments RunBoth(const std::string& database,
                    const std::string& budget) const {
    return {"run",    "sim:basic", "sim:hill/1", "--budget",
            budget,   "--seed",    "7",          "--policy",
            "greedy", "--db",      database,     "--progress",
            "plain",  "--agents",  "alone",      "--code-temperature",
            "0.25"};
  }

  // Asks as others read the file: a line for each row.
  std::string Ask(const std::string& database, const std::string& sql) const {
    return processes_.Succeed({"sql", "--csv", "--db", database, sql});
  }

  void WaitUntilItSays(const std::string& text) const {
    while (processes_.Output().find(text) == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  // One line that holds `what`.
  void ExpectLine(const std::string& what) const {
    const std::string said = processes_.Output();
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
    EXPECT_THAT(said, HasSubstr(what));
  }

  CampaignProcesses processes_;
};

TEST_F(ResumeTest, KilledInTheFirstItBeginsTheSecondWithItsSettings) {
  const std::string calm = Of("calm");
  Do(RunBoth(calm, "6"));
  const std::string settings =
      "SELECT campaign, key, value FROM settings WHERE key <> 'db'"
      " ORDER BY campaign, key";
  const std::string cut = Of("cut");
  // The fifth commit is one of the first campaign's attempts.
  ASSERT_EQ(Say(RunBoth(cut, "6"), "5"), 128 + SIGKILL);
  EXPECT_THAT(processes_.Succeed({"status", "--db", cut}),
              testing::ContainsRegex("sim:hill/1 +waiting +0/6"));
  EXPECT_EQ(Ask(cut, settings), Ask(calm, settings));
  Do({"resume", "--db", cut});
  EXPECT_EQ(processes_.Succeed({"fingerprint", cut}),
            processes_.Succeed({"fingerprint", calm}));
}

TEST_F(ResumeTest, StoppedInTheFirstItBeginsTheSecond) {
  const std::string file = Of("x");
  const pid_t child = processes_.Start(RunBoth(file, "100"));
  WaitUntilItSays("attempts");
  kill(child, SIGINT);
  ASSERT_EQ(CodeOf(CampaignProcesses::Wait(child)), 130);
  EXPECT_THAT(processes_.Output(),
              HasSubstr("stopped; continue with: coppice resume --db " + file));
  EXPECT_EQ(Ask(file,
                "SELECT count(*) AS n FROM nodes WHERE task <> "
                "'sim:basic'"),
            "n\n0\n");
  Do({"resume", "--db", file});
  EXPECT_EQ(Ask(file, "SELECT attempts, state FROM campaigns"),
            "attempts,state\n100,finished\n100,finished\n");
}

// At each of its first commits, from that of the schema on.
TEST_F(ResumeTest, KilledBeforeItHasARootItSaysSoOrGoesOn) {
  int refused = 0;
  int done = 0;
  for (int commit = 0; commit < 6; ++commit) {
    const std::string file = Of("x" + std::to_string(commit));
    ASSERT_EQ(Say(RunBoth(file, "2"), std::to_string(commit)), 128 + SIGKILL);
    const int code = Say({"resume", "--db", file, "--progress", "none"});
    if (code == 2) {
      ++refused;
      ExpectLine(file + ": ");
      EXPECT_THAT(processes_.Output(), HasSubstr("no campaign"));
      Do(RunBoth(file, "2"));
    } else {
      ++done;
      EXPECT_THAT(code, testing::AnyOf(0, 3)) << processes_.Output();
    }
    EXPECT_EQ(Ask(file, "SELECT sum(nodes) AS n FROM campaigns"), "n\n6\n");
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(done, 0);
  const std::string empty = Of("empty");
  std::ofstream(empty).flush();
  EXPECT_EQ(Say({"resume", "--db", empty}), 2);
  ExpectLine("empty, no campaign was run in it");
}

TEST_F(ResumeTest, ABudgetExtendsTheLastOrTheOneThatIsNamed) {
  const std::string file = Of("x");
  const auto attempts = [&] {
    return Ask(file, "SELECT attempts AS n FROM campaigns");
  };
  Do(RunBoth(file, "5"));
  EXPECT_EQ(Say({"resume", "--db", file}), 0);
  ExpectLine("nothing to resume, all its campaigns are finished; --budget N");
  Do({"resume", "--db", file, "--budget", "7"});
  EXPECT_THAT(processes_.Output(),
              HasSubstr("campaign sim:hill/1.greedy.alone.s7, the last of 2; "
                        "coppice resume CAMPAIGN chooses\n"));
  EXPECT_EQ(attempts(), "n\n5\n7\n");
  Do({"resume", "basic", "--db", file, "--budget", "9"});
  EXPECT_EQ(attempts(), "n\n9\n7\n");
  EXPECT_EQ(Say({"resume", "basic", "--db", file, "--budget", "8"}), 2);
  ExpectLine(
      "sim:basic.greedy.alone.s7: --budget 8 is less than the 9 "
      "attempts that it has used; give more");
  EXPECT_EQ(Say({"resume", "basic", "--db", file, "--budget-s", "60"}), 2);
  ExpectLine(
      "its 9 attempts are used up; to go on, give more with --budget, "
      "too");
  EXPECT_EQ(attempts(), "n\n9\n7\n");
}

TEST_F(ResumeTest, WhatWasFinishedBeforeIsSaidToBe) {
  const std::string file = Of("x");
  Do(RunBoth(file, "4"));
  EXPECT_THAT(processes_.Output(), Not(HasSubstr("finished before")));
  Do(RunBoth(file, "4"));
  EXPECT_THAT(processes_.Output(),
              HasSubstr("2 campaigns were finished before, and nothing was "
                        "run; a larger --budget goes on, another --name "
                        "begins anew"));
  Do({"resume", "--db", file, "sim:basic"});
  EXPECT_THAT(processes_.Output(),
              HasSubstr("sim:basic.greedy.alone.s7 was finished before, and "
                        "nothing was run"));
  Do(RunBoth(file, "5"));
  EXPECT_THAT(processes_.Output(), Not(HasSubstr("finished before")));
}

// Nothing was begun, but something that people asked for was done.
TEST_F(ResumeTest, WhatIsJudgedAgainIsNotSaidToBeNothing) {
  const std::string file = Of("x");
  Do({"run", "sim:basic", "--budget", "4", "--seed", "7", "--db", file});
  const auto evaluations = [&] {
    return Ask(file, "SELECT count(*) AS n FROM evaluations WHERE node = 1");
  };
  EXPECT_EQ(evaluations(), "n\n1\n");
  Do({"steer", "judge", "1", "--db", file});
  Do({"resume", "--db", file, "sim:basic"});
  EXPECT_EQ(evaluations(), "n\n2\n");
  EXPECT_THAT(processes_.Output(), Not(HasSubstr("nothing was run")));
}

TEST_F(ResumeTest, ABudgetOfTimeEndsItAndIsExtended) {
  const std::string file = Of("x");
  EXPECT_EQ(Say({"run", "sim:basic", "--db", file, "--budget-s", "0"}), 3);
  EXPECT_EQ(Say({"resume", "--db", file, "--budget", "40"}), 2);
  ExpectLine(
      "its 0 seconds are used up; to go on, give more with --budget-s, "
      "too");
  Do({"resume", "--db", file, "--budget-s", "none"});
  EXPECT_EQ(Ask(file, "SELECT attempts AS n FROM campaigns"), "n\n30\n");
}

// What a database may not decide has to be said again.
TEST_F(ResumeTest, ARefusalChangesNothingAndAHintNamesWhatWorks) {
  const std::string file = Of("x");
  const Arguments agents = {"--code-model", "exec:true", "--plan-model",
                            "exec:true"};
  const auto with = [&](Arguments words, const Arguments& more) {
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--db", file, "--progress", "none"});
    return words;
  };
  const Arguments run = {"run", "gemv", "--agents", "alone", "--budget"};
  Arguments two = run;
  two.emplace_back("2");
  Do(with(two, agents));  // Its agents answer nothing.
  Arguments three = run;
  three.emplace_back("3");
  EXPECT_EQ(Say(with(three, {})), 2);
  ExpectLine("give --code-model, --plan-model again to go on\n");
  EXPECT_EQ(Ask(file, "SELECT budget_attempts, state FROM campaigns"),
            "budget_attempts,state\n2,finished\n");
  Do(with({"resume", "--budget", "3"}, agents));
  EXPECT_EQ(Ask(file, "SELECT attempts AS n FROM campaigns"), "n\n3\n");

  // Nobody listens there, and one failure is to end the run.
  const std::string away = "http://127.0.0.1:9";
  EXPECT_EQ(
      Say({"run", "gemv", "--db", Of("y"), "--code-model", "openai:m",
           "--agents", "alone", "--openai-base-url", away, "--model-retries",
           "0", "--model-failures", "1", "--progress", "none"}),
      1);
  const std::string hint = "then go on with: coppice resume --db " + Of("y") +
                           " --openai-base-url " + away + "\n";
  ExpectLine(hint);
  EXPECT_EQ(Say({"resume", "--db", Of("y"), "--openai-base-url", away,
                 "--model-retries", "0", "--model-failures", "1", "--progress",
                 "none"}),
            1);
  ExpectLine(hint);
}

// In a terminal the whole group of processes gets it.
TEST_F(ResumeTest, CtrlCInATerminalAlwaysExits130WithAReason) {
  for (const int wait_ms : {40, 400, 900, 1300, 1700}) {
    const std::string file = Of("t" + std::to_string(wait_ms));
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    ASSERT_GE(child, 0);
    if (child == 0) {
      execl(COPPICE_PROGRAM, COPPICE_PROGRAM, "run", "row_sum", "gemv", "--db",
            file.c_str(), nullptr);
      _exit(127);
    }
    std::string said;
    std::jthread reader([&] {
      char part[4096];
      for (ssize_t got = 1; got > 0;) {
        got = read(terminal, part, sizeof part);
        if (got > 0) said.append(part, static_cast<std::size_t>(got));
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    ASSERT_EQ(write(terminal, "\003", 1), 1);
    EXPECT_EQ(CodeOf(CampaignProcesses::Wait(child)), 130) << said;
    reader.join();
    close(terminal);
    EXPECT_EQ(said.find(": ;"), std::string::npos) << said;
    EXPECT_EQ(said.find("did not start"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace coppice
