// People steer a real campaign while it is killed, and each directive acts from
// its decision on, once: the tree is that of a run that was never killed, given
// the same effective decisions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "store/database.h"
#include "store/records/random.h"
#include "tests/campaign_process.h"
#include "tests/whole.h"

namespace coppice {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

// The words after `steer`.
using Wish = Arguments;

// Nodes 1 to 6 are there; decisions 6 and later are to come.
constexpr int kBegun = 6;

Wish From(Wish wish, std::int64_t decision) {
  const bool says_it = std::ranges::find(wish, "--from") != wish.end();
  if (wish.front() != "note" && !says_it) {
    wish.insert(wish.end(), {"--from", std::to_string(decision)});
  }
  return wish;
}

constexpr int kBudget = 60;

class SteeredCampaignTest : public testing::Test, protected CampaignProcesses {
 protected:
  static Arguments RunOf(const fs::path& database, int budget) {
    return {"run",      "sim:basic",
            "--name",   "c",
            "--seed",   "7",
            "--budget", std::to_string(budget),
            "--db",     database.string()};
  }

  // Has what all of them begin with, with its log written back.
  fs::path Begun(const std::string& name) {
    const fs::path begun = Database("begun");
    if (!fs::exists(begun)) Succeed(RunOf(begun, kBegun));
    fs::copy_file(begun, Database(name));
    return Database(name);
  }

  void Steer(const fs::path& database, const Wish& wish) const {
    Arguments words = {"steer"};
    words.insert(words.end(), wish.begin(), wish.end());
    words.insert(words.end(), {"--db", database.string()});
    Succeed(words);
  }

  std::string Ask(const fs::path& database, const std::string& sql) const {
    return Succeed({"sql", "--csv", "--db", database.string(), sql});
  }

  std::string Fingerprint(const fs::path& database) const {
    return Succeed({"db", "fingerprint", "--db", database.string()});
  }

  void ExpectSound(const fs::path& database) const {
    Succeed({"replay", database.string(), "--check"});
    Succeed({"db", "doctor", "--db", database.string()});
  }

  // Each from two decisions after the one before.
  fs::path Steered(const std::vector<Wish>& wishes) {
    const fs::path steered = Begun("steered");
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      Steer(steered, From(wishes[i], kBegun + 2 * static_cast<int>(i)));
    }
    return steered;
  }

  // Never killed.
  fs::path Calm(const fs::path& steered) {
    const fs::path calm = Database("calm");
    fs::copy_file(steered, calm);
    Succeed(RunOf(calm, kBudget));
    ExpectSound(calm);
    EXPECT_EQ(Ask(calm,
                  "SELECT count(*) AS n FROM directives"
                  " WHERE outcome = 'pending'"),
              "n\n0\n");
    return calm;
  }

  void ExpectTheSameTree(const fs::path& steered, const fs::path& calm,
                         int least) {
    const std::string expected = Fingerprint(calm);
    RandomStream stream(11, Purpose::kSimulation, 0);
    int kills = 0;
    for (int round = 0; kills < least && !HasFailure(); ++round) {
      const fs::path stormy = Database("stormy" + std::to_string(round));
      fs::copy_file(steered, stormy);
      const Fired fired = RunUnderFire(RunOf(stormy, kBudget), stream,
                                       std::chrono::milliseconds(40));
      kills += fired.kills;
      EXPECT_EQ(fired.exit_code, 0);
      EXPECT_EQ(Fingerprint(stormy), expected);
      ExpectSound(stormy);
    }
    EXPECT_GE(kills, least);
    RecordProperty("kills", kills);
  }

  void WaitUntilItSays(const std::string& text) const {
    while (Output().find(text) == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
};

// Wishes of every kind that touches decisions, on nodes of the beginning.
std::vector<Wish> TwentyWishes() {
  return {{"advise", "Tile for L2."},
          {"advise", "Vectorise.", "--node", "3", "--role", "plan"},
          {"freeze", "1"},
          {"boost", "2", "3"},
          {"forbid", "technique", "fuse"},
          {"forbid", "pattern", "zzz", "--node", "4"},
          {"freeze", "4"},
          {"policy", "stark"},
          {"unfreeze", "1"},
          {"boost", "3", "2"},
          {"freeze", "0"},
          {"temperature", "0.5"},
          {"require", "constraint", "no-atomics"},
          {"boost", "1", "2"},
          {"unfreeze", "4"},
          {"budget", "attempts", "3"},
          {"freeze", "2"},
          {"boost", "2", "4"},
          {"policy", "greedy"},
          {"note", "That was all."}};
}

// Wishes of the kinds that touch models, spending and what is known.  What
// approves an attempt waits for that one, and for no later one.  What a killed
// process may have used counts, so limits are far.
std::vector<Wish> TwentyOtherWishes() {
  return {{"judge", "3"},
          {"model", "catalogue", "--role", "plan"},
          {"gate", "--from", "10"},
          {"approve", "attempts", "4", "--from", "10"},
          {"approve", "attempts", "3", "--from", "14"},
          {"judge", "0"},
          {"approve", "usd", "1", "--from", "17"},
          {"budget", "usd", "5"},
          {"judge", "2"},
          {"model", "catalogue"},
          {"budget", "tokens", "1000000000"},
          {"freeze", "1"},
          {"gate", "--from", "30"},
          {"approve", "attempts", "1000", "--from", "30"},
          {"judge", "3"},
          {"model", "nobody:x", "--role", "code"},
          {"policy", "stark"},
          {"budget", "usd", "9"},
          {"judge", "1"},
          {"advise", "That was all."}};
}

// Kills in each storm.
int Kills() {
  const char* wanted = std::getenv("COPPICE_TEST_STEERED_KILLS");
  if (wanted != nullptr) return std::atoi(wanted);
  return TriesAll() ? 500 : 50;
}

TEST_F(SteeredCampaignTest, ManyKillsLeaveTheSameTree) {
  const fs::path steered = Steered(TwentyWishes());
  const fs::path calm = Calm(steered);
  EXPECT_EQ(Ask(calm,
                "SELECT kind, refusal FROM directives"
                " WHERE outcome = 'refused' AND kind <> 'boost'"
                " ORDER BY directive"),
            "kind,refusal\n"
            "freeze,\"node 0 is the root, which a search falls back to: pause "
            "it instead\"\n"
            "budget,36 attempts are reserved already\n");
  ExpectTheSameTree(steered, calm, Kills());
}

// `nobody` is no provider, so nothing is asked of one.
TEST_F(SteeredCampaignTest, KilledWhileItAsksAndJudgesItLeavesTheSameTree) {
  const fs::path steered = Steered(TwentyOtherWishes());
  const fs::path calm = Calm(steered);
  EXPECT_EQ(Ask(calm,
                "SELECT directive, kind FROM directives"
                " WHERE outcome = 'refused' ORDER BY directive"),
            "directive,kind\n6,judge\n16,model\n");
  // Node 3 twice; 2 and 1 once.
  EXPECT_EQ(Count(calm,
                  "evaluations WHERE tier = 'full' AND node IN (1, 2, 3)"
                  " AND further IS NOT NULL"),
            4);
  ExpectTheSameTree(steered, calm, Kills());
}

// Two in the transaction of one attempt, one alone, and one refused.
TEST_F(SteeredCampaignTest, DyingAtEachCommitLeavesTheSameTree) {
  const fs::path steered = Begun("steered");
  for (const Wish& wish : std::vector<Wish>{{"freeze", "1"},
                                            {"boost", "2", "2", "--from", "7"},
                                            {"boost", "1", "1"},
                                            {"budget", "attempts", "12"}}) {
    Steer(steered, wish);
  }
  const fs::path calm = Database("calm");
  fs::copy_file(steered, calm);
  const auto run = [&](const fs::path& database) {
    return RunOf(database, 10);
  };
  Succeed(run(calm));
  const std::string expected = Fingerprint(calm);
  EXPECT_EQ(Ask(calm, "SELECT attempts, budget_attempts FROM campaigns"),
            "attempts,budget_attempts\n12,12\n");
  int points = 0;
  // A third of the points meets each of an attempt, for it has no multiple of
  // three.
  const int stride = TriesAll() ? 1 : 3;
  for (bool died = true; died && !HasFailure(); points += stride) {
    const fs::path database = Database("point" + std::to_string(points));
    fs::copy_file(steered, database);
    const int status = Wait(Start(run(database), std::to_string(points)));
    died = WIFSIGNALED(status);
    if (died) {
      Wait(Start(run(database), std::to_string(points % 8)));
      Succeed(run(database));
    }
    EXPECT_EQ(Fingerprint(database), expected) << "at point " << points;
    ExpectSound(database);
  }
  EXPECT_GT(points, 2 * 4 * 6);
}

// A row is there once, or not at all.
TEST_F(SteeredCampaignTest, WhoSteersMayDieToo) {
  const fs::path database = Begun("steered");
  const Arguments freeze = {"steer", "freeze", "1", "--db", database.string()};
  EXPECT_TRUE(WIFSIGNALED(Wait(Start(freeze, "0"))));
  EXPECT_EQ(Count(database, "directives"), 0);
  EXPECT_TRUE(WIFSIGNALED(Wait(Start(freeze, "1"))));
  EXPECT_EQ(Count(database, "directives WHERE outcome = 'pending'"), 1);
  Succeed(RunOf(database, 12));
  EXPECT_EQ(Count(database, "directives WHERE effective_decision = 6"), 1);
  EXPECT_EQ(Count(database, "attempts WHERE decision >= 6 AND parent = 1"), 0);
  ExpectSound(database);
}

// When a row is taken up depends on the clock, and is recorded: a calm run that
// is given the same decisions has the same tree.  What was asked after the last
// decision waits in both.
TEST_F(SteeredCampaignTest, AskedAtAnyTimeItIsTheTreeOfItsDecisions) {
  const std::vector<Wish> wishes = TwentyWishes();
  RandomStream stream(12, Purpose::kSimulation, 0);
  const int rounds = TriesAll() ? 5 : 2;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    const std::string number = std::to_string(round);
    const fs::path stormy = Begun("stormy" + number);
    const Arguments run = RunOf(stormy, kBudget);
    std::size_t asked = 0;
    bool has_ended = false;
    while (asked < wishes.size() || !has_ended) {
      const pid_t child = Start(run);
      for (int i = 0; i < 2 && asked < wishes.size(); ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(
            static_cast<std::int64_t>(stream.Below(15'000))));
        // A process of its own, with an output of its own.
        CampaignProcesses beside("beside");
        Arguments words = {"steer"};
        const Wish& wish = wishes[asked++];
        words.insert(words.end(), wish.begin(), wish.end());
        words.insert(words.end(), {"--db", stormy.string()});
        beside.Succeed(words);
      }
      if (asked < wishes.size()) kill(child, SIGKILL);
      const int status = Wait(child);
      has_ended = WIFEXITED(status);
    }
    ExpectSound(stormy);

    const fs::path calm = Begun("calm" + number);
    std::istringstream rows(
        Ask(stormy,
            "SELECT coalesce(effective_decision, 1000000) AS d"
            " FROM directives ORDER BY directive"));
    std::string line;
    std::getline(rows, line);
    for (const Wish& wish : wishes) {
      std::getline(rows, line);
      Steer(calm, From(wish, std::stoi(line)));
    }
    Succeed(RunOf(calm, kBudget));
    EXPECT_EQ(Fingerprint(calm), Fingerprint(stormy));
  }
}

TEST_F(SteeredCampaignTest, TwoProcessesOfFourHearEachOnce) {
  const fs::path database = Begun("two");
  for (const Wish& wish : TwentyWishes()) Steer(database, wish);
  Arguments run = RunOf(database, 150);
  run.insert(run.end(), {"--parallel", "4"});
  RandomStream stream(13, Purpose::kSimulation, 0);
  std::array<pid_t, 2> children{};
  for (pid_t& child : children) child = Start(run);
  for (int kills = 0; kills < 20; ++kills) {
    std::this_thread::sleep_for(std::chrono::microseconds(
        static_cast<std::int64_t>(stream.Below(40'000))));
    pid_t& child = children[stream.Below(2)];
    kill(child, SIGKILL);
    Wait(child);
    child = Start(run);
  }
  for (const pid_t child : children) {
    const int status = Wait(child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << Output();
  }
  ExpectEachAnswerUsedOnce(database, 150);
  EXPECT_EQ(Count(database, "directives WHERE outcome = 'pending'"), 0);
  // The last of its node, which nothing froze after.
  EXPECT_EQ(Count(database, "attempts WHERE reason LIKE 'boost 3 %'"), 2);
}

TEST_F(SteeredCampaignTest, PausedItWaitsUntilSomebodyResumes) {
  const fs::path database = Begun("paused");
  Steer(database, {"pause", "--from", "9"});
  const pid_t child = Start(RunOf(database, 20));
  WaitUntilItSays("paused by ");
  {
    CampaignProcesses beside("beside");
    EXPECT_EQ(beside.Count(database, "attempts"), 9);
    beside.Succeed({"steer", "resume", "--db", database.string()});
  }
  EXPECT_EQ(WEXITSTATUS(Wait(child)), 0) << Output();
  EXPECT_EQ(Count(database, "attempts"), 20);
  // Nobody chose anything.
  EXPECT_EQ(Ask(database, "SELECT steered FROM campaigns"), "steered\n0\n");
  ExpectSound(database);
}

// It says once what it waits for, and goes on by one.
TEST_F(SteeredCampaignTest, ItWaitsForEachApproval) {
  const fs::path database = Begun("gated");
  Steer(database, {"gate", "--from", "9"});
  const pid_t child = Start(RunOf(database, 12));
  WaitUntilItSays("attempt 9 waits for an approval");
  {
    CampaignProcesses beside("beside");
    const auto steer = [&](Wish words) {
      words.insert(words.begin(), "steer");
      words.insert(words.end(), {"--db", database.string()});
      beside.Succeed(words);
    };
    EXPECT_EQ(beside.Count(database, "attempts"), 9);
    steer({"approve", "attempts", "1"});
    WaitUntilItSays("attempt 10 waits for an approval");
    EXPECT_EQ(beside.Count(database, "attempts"), 10);
    steer({"withdraw", "1"});
  }
  EXPECT_EQ(WEXITSTATUS(Wait(child)), 0) << Output();
  EXPECT_EQ(Count(database, "attempts"), 12);
  EXPECT_EQ(Ask(database, "SELECT steered FROM campaigns"), "steered\n0\n");
  ExpectSound(database);
}

TEST_F(SteeredCampaignTest, ANodeOfAFinishedCampaignIsJudgedAgain) {
  const fs::path database = Begun("judged");
  const auto evaluations = [&] {
    return Count(database, "evaluations WHERE node = 3");
  };
  const auto before = evaluations();
  Steer(database, {"judge", "3"});
  Succeed({"resume", "--db", database.string()});
  EXPECT_EQ(evaluations(), before + 1);
  EXPECT_EQ(Ask(database, "SELECT steered FROM campaigns"), "steered\n1\n");
  Succeed({"resume", "--db", database.string()});
  EXPECT_EQ(evaluations(), before + 1);
  ExpectSound(database);
}

// The catalogue, which answers for itself here: the row says who named it.
TEST_F(SteeredCampaignTest, WhoNamedAModelIsRecordedWithTheAttempt) {
  const fs::path database = Begun("models");
  Steer(database, {"model", "catalogue", "--role", "code", "--from", "7"});
  Succeed(RunOf(database, 12));
  EXPECT_EQ(Count(database, "model_choices WHERE decision < 7"), 0);
  EXPECT_GT(Count(database,
                  "model_choices WHERE role = 'code' AND model = 'catalogue'"
                  " AND rule = 'human' AND reason LIKE 'directive 1 of %'"),
            0);
  EXPECT_EQ(Ask(database, "SELECT steered FROM campaigns"), "steered\n1\n");
  ExpectSound(database);
}

TEST_F(SteeredCampaignTest, AnotherLimitExtendsOneThatIsFinished) {
  const fs::path database = Begun("extended");
  Steer(database, {"budget", "attempts", "9"});
  Succeed({"resume", "--db", database.string()});
  EXPECT_EQ(Count(database, "attempts"), 9);
  Succeed({"resume", "--db", database.string()});
  EXPECT_EQ(Count(database, "attempts"), 9);
}

// Node 3's own source, as anybody's.
TEST_F(SteeredCampaignTest, AnOwnKernelIsJudgedWithoutAModel) {
  const fs::path database = Begun("inserted");
  const std::string csv = Ask(database,
                              "SELECT blob_text(source_blob) AS source"
                              " FROM nodes WHERE node = 3");
  const fs::path file = directory() / "mine.txt";
  std::string source = csv.substr(csv.find('\n') + 1);
  if (source.starts_with('"')) source = source.substr(1, source.size() - 3);
  std::ofstream(file) << source << "\n";
  Steer(database, {"insert", "2", file.string()});
  Succeed(RunOf(database, 8));
  EXPECT_EQ(Ask(database,
                "SELECT parent, policy, stage FROM attempts"
                " WHERE decision = 6"),
            "parent,policy,stage\n2,human,committed\n");
  EXPECT_EQ(Count(database, "calls WHERE decision = 6"), 0);
  ExpectSound(database);
}

// The task's techniques are few, and each is one that somebody forbids here.
TEST_F(SteeredCampaignTest, WhatIsForbiddenIsNoCandidateAndIsTold) {
  const fs::path database = Begun("forbidden");
  for (const char* technique : {"tile", "fuse", "unroll", "vectorise"}) {
    Steer(database, {"forbid", "technique", technique});
  }
  Arguments run = RunOf(database, 30);
  const fs::path told = directory() / "told";
  run.insert(run.end(), {"--on", "steered",
                         "echo \"$COPPICE_REASON\" >> " + told.string()});
  Succeed(run);
  EXPECT_EQ(Count(database,
                  "nodes JOIN attempts a USING (campaign, decision)"
                  " WHERE decision >= 6 AND nodes.verdict = 'passed'"
                  " AND nodes.technique_name"
                  "   IN ('tile', 'fuse', 'unroll', 'vectorise')"),
            0);
  EXPECT_GT(Count(database,
                  "nodes WHERE verdict = 'no_candidate'"
                  " AND blob_text(log_blob) LIKE"
                  "   'plan agent: it breaks directive % of %:"
                  " must not use the technique %'"),
            0);
  std::ifstream file(told);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("forbid technique: tile: holds from"));
  EXPECT_THAT(text.str(), HasSubstr("it breaks directive"));
  ExpectSound(database);
}

}  // namespace
}  // namespace coppice
