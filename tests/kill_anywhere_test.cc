// Kills a real campaign at any moment, resumes it, and finds the tree of a run
// that was never killed: nothing lost, nothing done twice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "store/records/random.h"

namespace coppice {
namespace {
namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

// Starts the program with its output going to `output`.
pid_t Start(const Arguments& arguments, const fs::path& output,
            const std::string& die_at_commit = "") {
  std::vector<char*> argv{const_cast<char*>(COPPICE_PROGRAM)};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int out =
      open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (!die_at_commit.empty()) {
    setenv("COPPICE_TEST_DIE_AT_COMMIT", die_at_commit.c_str(), 1);
  }
  execv(COPPICE_PROGRAM, argv.data());
  _exit(127);
}

std::string Text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int Wait(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

class KillAnywhereTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(testing::TempDir()) /
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path Database(const std::string& name) const {
    return directory_ / (name + ".db");
  }

  Arguments RunOf(const std::string& task, int budget,
                  const fs::path& database) const {
    return {"run",      task,
            "--seed",   "7",
            "--budget", std::to_string(budget),
            "--db",     database.string()};
  }

  // The program's output; fails the test unless it exits with 0.
  std::string Succeed(const Arguments& arguments) {
    const fs::path output = directory_ / "output";
    const int status = Wait(Start(arguments, output));
    EXPECT_TRUE(WIFEXITED(status)) << arguments[0];
    EXPECT_EQ(WEXITSTATUS(status), 0) << arguments[0] << "\n" << Text(output);
    return Text(output);
  }

  std::string Fingerprint(const fs::path& database) {
    return Succeed({"fingerprint", "--db", database.string()});
  }

  // What must hold of a campaign with `budget` attempts, however often and with
  // however many at a time it was killed: every attempt has its node, no answer
  // that was stored was asked for again, and each was made something of.
  void ExpectEachAnswerUsedOnce(const fs::path& database, int budget) {
    EXPECT_EQ(Count(database, "attempts WHERE node IS NOT NULL"),
              "n\n" + std::to_string(budget) + "\n");
    EXPECT_EQ(Count(database, "nodes"),
              "n\n" + std::to_string(budget + 1) + "\n");
    EXPECT_EQ(Count(database,
                    "(SELECT 1 FROM calls WHERE outcome = 'answered'"
                    " GROUP BY decision, role HAVING count(*) > 1)"),
              "n\n0\n");
    EXPECT_EQ(Count(database,
                    "calls JOIN attempts USING (campaign, decision)"
                    " WHERE outcome = 'answered' AND anchors IS NULL"
                    " AND source_blob IS NULL AND no_candidate_reason IS NULL"),
              "n\n0\n");
    EXPECT_EQ(Count(database, "calls WHERE outcome = 'sent'"), "n\n0\n");
    Succeed({"doctor", "--db", database.string()});
    const std::string replayed =
        Succeed({"replay", database.string(), "--check"});
    EXPECT_NE(
        replayed.find("all " + std::to_string(budget) + " decisions agree"),
        std::string::npos)
        << replayed;
  }

  std::string Count(const fs::path& database, const std::string& what) {
    return Succeed({"sql", "--csv", "--db", database.string(),
                    "SELECT count(*) AS n FROM " + what});
  }

  // Attempts that a kill left behind; none if it came before the campaign.
  int CountUnfinished(const fs::path& database) {
    const fs::path output = directory_ / "count";
    const Arguments count = {"sql", "--csv", "--db", database.string(),
                             "SELECT count(*) AS n FROM attempts"
                             " WHERE node IS NULL"};
    const int status = Wait(Start(count, output));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 0;
    return std::atoi(Text(output).substr(2).c_str());
  }

  // Starts `arguments` again and again, killing each after at most `longest`,
  // until one ends by itself.  Returns how many were killed.
  int RunUnderFire(const Arguments& arguments, RandomStream& stream,
                   std::chrono::microseconds longest) {
    for (int kills = 0;; ++kills) {
      const pid_t child = Start(arguments, directory_ / "output");
      const auto range = static_cast<std::uint64_t>(longest.count());
      std::this_thread::sleep_for(std::chrono::microseconds(
          static_cast<std::int64_t>(stream.Below(range))));
      kill(child, SIGKILL);
      const int status = Wait(child);
      if (WIFSIGNALED(status)) continue;
      EXPECT_EQ(WEXITSTATUS(status), 0) << Text(directory_ / "output");
      return kills;
    }
  }

  fs::path directory_;
};

TEST_F(KillAnywhereTest, TwoHundredRandomKillsLeaveTheSameTree) {
  const int kBudget = 300;
  const fs::path calm = Database("calm");
  Succeed(RunOf("sim:basic", kBudget, calm));
  const std::string expected = Fingerprint(calm);

  RandomStream stream(1, Purpose::kSimulation, 0);
  int kills = 0;
  for (int round = 0; kills < 200; ++round) {
    const fs::path stormy = Database("stormy" + std::to_string(round));
    kills += RunUnderFire(RunOf("sim:basic", kBudget, stormy), stream,
                          std::chrono::milliseconds(60));
    EXPECT_EQ(Fingerprint(stormy), expected);
    EXPECT_EQ(Count(stormy, "nodes"), Count(calm, "nodes"));
    EXPECT_EQ(Count(stormy, "attempts"), Count(calm, "attempts"));
    Succeed({"doctor", "--db", stormy.string()});
    if (HasFailure()) break;
  }
}

// On a task whose agents work from the text of a source alone, and on one whose
// agents count the attempts on it, too.
class DyingTest : public KillAnywhereTest,
                  public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Tasks, DyingTest,
                         testing::Values("sim:basic", "sim:nk/1"),
                         [](const auto& task) {
                           return task.index == 0 ? "basic" : "nk";
                         });

TEST_P(DyingTest, DyingAtEachCommitPointLeavesTheSameTree) {
  const int kBudget = 6;
  const fs::path calm = Database("calm");
  Succeed(RunOf(GetParam(), kBudget, calm));
  const std::string expected = Fingerprint(calm);

  int points = 0;
  for (bool died = true; died && !HasFailure(); ++points) {
    const fs::path database = Database("point" + std::to_string(points));
    const Arguments run = RunOf(GetParam(), kBudget, database);
    const int status =
        Wait(Start(run, directory_ / "output", std::to_string(points)));
    died = WIFSIGNALED(status);
    if (died) Succeed(run);
    EXPECT_EQ(Fingerprint(database), expected) << "at point " << points;
    Succeed({"doctor", "--db", database.string()});
  }
  // Reserve, plan, code and node each have commits, before and after.
  EXPECT_GT(points, 2 * 4 * kBudget);
}

// Eight at a time come in another order each time, so the tree is another; but
// nothing is lost, and nothing done twice.
TEST_F(KillAnywhereTest, EightInFlightUseEveryAnswerOnce) {
  const int kBudget = 200;
  RandomStream stream(3, Purpose::kSimulation, 0);
  int kills = 0;
  int most_left_behind = 0;
  for (int round = 0; kills < 50 && !HasFailure(); ++round) {
    const fs::path database = Database("eight" + std::to_string(round));
    Arguments run = RunOf("sim:basic", kBudget, database);
    run.insert(run.end(), {"--parallel", "8"});
    for (;;) {
      const pid_t child = Start(run, directory_ / "output");
      std::this_thread::sleep_for(std::chrono::microseconds(
          static_cast<std::int64_t>(stream.Below(80'000))));
      kill(child, SIGKILL);
      if (!WIFSIGNALED(Wait(child))) break;
      ++kills;
      most_left_behind = std::max(most_left_behind, CountUnfinished(database));
    }
    ExpectEachAnswerUsedOnce(database, kBudget);
  }
  EXPECT_GT(most_left_behind, 4);
}

// One of two processes is killed at a time; the other takes over what it left,
// or the next does.
TEST_F(KillAnywhereTest, TwoProcessesUseEveryAnswerOnce) {
  const int kBudget = 400;
  RandomStream stream(4, Purpose::kSimulation, 0);
  const fs::path database = Database("two");
  Arguments run = RunOf("sim:basic", kBudget, database);
  run.insert(run.end(), {"--parallel", "4"});
  std::array<pid_t, 2> children{};
  for (pid_t& child : children) child = Start(run, directory_ / "output");
  int kills = 0;
  for (bool ended = false; !ended;) {
    std::this_thread::sleep_for(std::chrono::microseconds(
        static_cast<std::int64_t>(stream.Below(100'000))));
    pid_t& child = children[stream.Below(2)];
    kill(child, SIGKILL);
    ended = !WIFSIGNALED(Wait(child));
    if (!ended) ++kills;
    child = Start(run, directory_ / "output");
  }
  for (const pid_t child : children) {
    const int status = Wait(child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << Text(directory_ / "output");
  }
  EXPECT_GT(kills, 0);
  ExpectEachAnswerUsedOnce(database, kBudget);
}

// Measured times differ from run to run, so the tree may; but every decision
// has exactly one attempt, every attempt one node, and doctor is content.
TEST_F(KillAnywhereTest, ARealCampaignLosesNothingAndDoesNothingTwice) {
  const int kBudget = 8;
  const fs::path database = Database("real");
  RandomStream stream(2, Purpose::kSimulation, 0);
  const int kills = RunUnderFire(RunOf("gemm_square", kBudget, database),
                                 stream, std::chrono::milliseconds(4000));
  EXPECT_GE(kills, 1);
  EXPECT_EQ(Count(database, "attempts"), "n\n8\n");
  EXPECT_EQ(Count(database, "nodes"), "n\n9\n");
  Succeed({"doctor", "--db", database.string()});
}

}  // namespace
}  // namespace coppice
