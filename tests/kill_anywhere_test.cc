// Kills a real campaign at any moment, resumes it, and finds the tree of a run
// that was never killed: nothing lost, nothing done twice.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "store/database.h"
#include "store/records/random.h"
#include "tests/campaign_process.h"
#include "tests/whole.h"

namespace coppice {
namespace {
namespace fs = std::filesystem;

// From point to point of those where a process may die.  Three meets each that
// an attempt has, some attempts later, for they are no multiple of three.
int Stride() { return TriesAll() ? 1 : 3; }

class KillAnywhereTest : public testing::Test, protected CampaignProcesses {
 protected:
  static Arguments RunOf(const std::string& task, int budget,
                         const fs::path& database) {
    return {"run",      task,
            "--seed",   "7",
            "--budget", std::to_string(budget),
            "--db",     database.string()};
  }

  std::string Fingerprint(const fs::path& database) const {
    return Succeed({"db", "fingerprint", "--db", database.string()});
  }

  // Attempts that a kill left behind; none if it came before the campaign.
  int CountUnfinished(const fs::path& database) const {
    const int status = Wait(Start({"sql", "--csv", "--db", database.string(),
                                   "SELECT count(*) AS n FROM attempts"
                                   " WHERE node IS NULL"}));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 0;
    return std::atoi(Output().substr(2).c_str());
  }
};

TEST_F(KillAnywhereTest, ManyRandomKillsLeaveTheSameTree) {
  const int wanted = TriesAll() ? 200 : 50;
  const int kBudget = 300;
  const fs::path calm = Database("calm");
  Succeed(RunOf("sim:basic", kBudget, calm));
  const std::string expected = Fingerprint(calm);

  RandomStream stream(1, Purpose::kSimulation, 0);
  int kills = 0;
  for (int round = 0; kills < wanted; ++round) {
    const fs::path stormy = Database("stormy" + std::to_string(round));
    const Fired fired = RunUnderFire(RunOf("sim:basic", kBudget, stormy),
                                     stream, std::chrono::milliseconds(60));
    kills += fired.kills;
    EXPECT_EQ(fired.exit_code, 0);
    EXPECT_EQ(Fingerprint(stormy), expected);
    EXPECT_EQ(Count(stormy, "nodes"), Count(calm, "nodes"));
    EXPECT_EQ(Count(stormy, "attempts"), Count(calm, "attempts"));
    Succeed({"db", "doctor", "--db", stormy.string()});
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
  for (bool died = true; died && !HasFailure(); points += Stride()) {
    const fs::path database = Database("point" + std::to_string(points));
    const Arguments run = RunOf(GetParam(), kBudget, database);
    const int status = Wait(Start(run, std::to_string(points)));
    died = WIFSIGNALED(status);
    // Who goes on has commits of its own, to take over what was left.
    if (died) {
      Wait(Start(run, std::to_string(points % 8)));
      Succeed(run);
    }
    EXPECT_EQ(Fingerprint(database), expected) << "at point " << points;
    Succeed({"db", "doctor", "--db", database.string()});
  }
  // Reserve, plan, code and node each have commits, before and after.
  EXPECT_GT(points, 2 * 4 * kBudget);
}

// Budget and policy change in one transaction: whoever dies before it has
// neither, and afterwards both.
TEST_F(KillAnywhereTest, DyingWhileAnotherPolicyTakesOverLeavesTheSameTree) {
  const auto run = [&](const fs::path& database, const std::string& policy,
                       int budget) {
    Arguments words = RunOf("sim:basic", budget, database);
    words.insert(words.end(), {"--name", "c", "--policy", policy});
    return words;
  };
  const std::string other = "stark:epsilon=1";
  const fs::path calm = Database("calm");
  Succeed(run(calm, "greedy", 3));
  Succeed(run(calm, other, 6));
  const std::string expected = Fingerprint(calm);

  int points = 0;
  for (bool died = true; died && !HasFailure(); points += Stride()) {
    const fs::path database = Database("point" + std::to_string(points));
    Succeed(run(database, "greedy", 3));
    const int status =
        Wait(Start(run(database, other, 6), std::to_string(points)));
    died = WIFSIGNALED(status);
    if (died) Succeed(run(database, other, 6));
    EXPECT_EQ(Fingerprint(database), expected) << "at point " << points;
    EXPECT_EQ(Succeed({"sql", "--csv", "--db", database.string(),
                       "SELECT subject, detail FROM event"
                       " WHERE kind = 'policy'"}),
              "subject,detail\n3,stark:epsilon=1\n");
    Succeed({"replay", "--db", database.string(), "--check"});
    Succeed({"db", "doctor", "--db", database.string()});
  }
  EXPECT_GT(points, 2 * 4 * 3);
}

// The code agent has two models, of which one writes nothing: which of them an
// attempt asks is as durable as its parent.
TEST_F(KillAnywhereTest, DyingWithTwoModelsLeavesTheSameTree) {
  const int kBudget = 5;
  const auto run = [&](const fs::path& database) {
    Arguments words = RunOf("sim:basic", kBudget, database);
    words.insert(words.end(), {"--code-model", "exec:echo no,catalogue"});
    return words;
  };
  const fs::path calm = Database("calm");
  Succeed(run(calm));
  const std::string expected = Fingerprint(calm);
  EXPECT_EQ(Succeed({"sql", "--csv", "--db", calm.string(),
                     "SELECT count(DISTINCT model) AS models"
                     " FROM model_choices"}),
            "models\n2\n");

  int points = 0;
  for (bool died = true; died && !HasFailure(); points += Stride()) {
    const fs::path database = Database("point" + std::to_string(points));
    const int status = Wait(Start(run(database), std::to_string(points)));
    died = WIFSIGNALED(status);
    if (died) {
      Wait(Start(run(database), std::to_string(points % 8)));
      Succeed(run(database));
    }
    EXPECT_EQ(Fingerprint(database), expected) << "at point " << points;
    Succeed({"replay", "--db", database.string(), "--check"});
    Succeed({"db", "doctor", "--db", database.string()});
  }
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
    const Fired fired =
        RunUnderFire(run, stream, std::chrono::milliseconds(80), [&] {
          most_left_behind =
              std::max(most_left_behind, CountUnfinished(database));
        });
    kills += fired.kills;
    EXPECT_EQ(fired.exit_code, 0);
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
  for (pid_t& child : children) child = Start(run);
  int kills = 0;
  for (bool ended = false; !ended;) {
    std::this_thread::sleep_for(std::chrono::microseconds(
        static_cast<std::int64_t>(stream.Below(100'000))));
    pid_t& child = children[stream.Below(2)];
    kill(child, SIGKILL);
    const int status = Wait(child);
    ended = !WIFSIGNALED(status);
    if (!ended) {
      ++kills;
    } else {
      EXPECT_EQ(WEXITSTATUS(status), 0) << Output();
    }
    child = Start(run);
  }
  for (const pid_t child : children) {
    const int status = Wait(child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << Output();
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
  const Fired fired = RunUnderFire(RunOf("gemm_square", kBudget, database),
                                   stream, std::chrono::milliseconds(4000));
  EXPECT_GE(fired.kills, 1);
  EXPECT_EQ(fired.exit_code, 0);
  EXPECT_EQ(Count(database, "attempts"), kBudget);
  EXPECT_EQ(Count(database, "nodes"), kBudget + 1);
  Succeed({"db", "doctor", "--db", database.string()});
}

}  // namespace
}  // namespace coppice
