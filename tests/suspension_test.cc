// Suspends processes that share a campaign for longer than their leases, so
// that each finds its attempts in the hands of the other when it goes on; and
// holds the ledger against what a server of language models has seen.
//
// COPPICE_SUSPENSIONS says how many suspensions for each test (default 24).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "store/records/random.h"
#include "tests/campaign_process.h"
#include "tests/model_server.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kLease{1000};

// Read once and taken away: the program knows of no such setting.
int Wanted() {
  static const int wanted = [] {
    const char* text = std::getenv("COPPICE_SUSPENSIONS");
    const int suspensions = text == nullptr ? 24 : std::atoi(text);
    unsetenv("COPPICE_SUSPENSIONS");
    return suspensions;
  }();
  return wanted;
}

// A process of a campaign.
struct Worker {
  pid_t pid = 0;
  std::optional<int> status{};  // Once it has ended.

  bool HasEnded() {
    int now = 0;
    if (!status && waitpid(pid, &now, WNOHANG) == pid) status = now;
    return status.has_value();
  }
};

struct Totals {
  int suspensions = 0;
  int campaigns = 0;
  int adoptions = 0;
  int late = 0;  // Answers that came after their attempt was taken over.
};

std::ostream& operator<<(std::ostream& out, const Totals& totals) {
  return out << totals.suspensions << " suspensions of two processes with 8 "
             << "attempts in flight each, in " << totals.campaigns
             << " campaigns: " << totals.adoptions << " attempts taken over, "
             << totals.late << " answers came late, no process ended by it";
}

class SuspensionTest : public testing::Test, protected CampaignProcesses {
 protected:
  SuspensionTest() {
    Wanted();
    setenv("no_proxy", "127.0.0.1", 1);
    setenv("OPENAI_API_KEY", "sk-suspended", 1);
  }

  static Arguments Run(const std::string& task, int budget,
                       const fs::path& database) {
    return {"run",        task,
            "--db",       database.string(),
            "--budget",   std::to_string(budget),
            "--parallel", "8",
            "--lease-s",  std::to_string(kLease.count() / 1000),
            "--progress", "none"};
  }

  static void Pause(RandomStream& stream, milliseconds least,
                    milliseconds most) {
    const auto range = static_cast<std::uint64_t>((most - least).count());
    std::this_thread::sleep_for(
        least + milliseconds(static_cast<std::int64_t>(stream.Below(range))));
  }

  // Runs `arguments` in two processes until both end, and suspends now the one,
  // now the other, after at most `longest`.
  void RunSuspended(const Arguments& arguments, RandomStream& stream,
                    milliseconds longest, Totals& totals) const {
    std::array<Worker, 2> workers;
    for (Worker& worker : workers) {
      worker.pid = Start(arguments);
      Pause(stream, milliseconds(0), longest);
    }
    const auto have_ended = [&] {
      const bool first = workers[0].HasEnded();
      return workers[1].HasEnded() && first;
    };
    while (!have_ended()) {
      Worker& worker = workers.at(stream.Below(workers.size()));
      if (!worker.HasEnded()) {
        kill(worker.pid, SIGSTOP);
        Pause(stream, kLease * 3 / 2, kLease * 5 / 2);
        ++totals.suspensions;
        kill(worker.pid, SIGCONT);
      }
      Pause(stream, milliseconds(0), longest);
    }
    for (const Worker& worker : workers) {
      const bool is_well =
          WIFEXITED(*worker.status) && (WEXITSTATUS(*worker.status) == 0 ||
                                        WEXITSTATUS(*worker.status) == 3);
      EXPECT_TRUE(is_well) << *worker.status << ": " << Output();
    }
  }

  // What must hold of a campaign whose processes were suspended.
  void HoldTogether(const fs::path& database, int budget,
                    Totals& totals) const {
    ++totals.campaigns;
    totals.adoptions += Count(database, "event WHERE kind = 'adopted'");
    totals.late +=
        Count(database,
              "calls WHERE error = 'answered after its attempt was taken"
              " over'");
    ExpectEachAnswerUsedOnce(database, budget);
  }
};

// The answers of a server that takes its time, which is when a process that
// waits for eight of them is suspended.  None was killed, so that the ledger
// knows of every answer, and has paid for each, be it used or late.
TEST_F(SuspensionTest, WhoComesBackToALostAttemptDropsItAndPaysForItsAnswer) {
  const int kBudget = 300;
  RandomStream stream(5, Purpose::kSimulation, 0);
  Totals totals;
  while (totals.suspensions < Wanted() && !HasFailure()) {
    const ModelServer server({.latency = milliseconds(100)});
    const fs::path database =
        Database("suspended" + std::to_string(totals.campaigns));
    Arguments run = Run("sim:basic", kBudget, database);
    for (const char* role : {"plan", "code", "debug"}) {
      run.insert(run.end(),
                 {"--" + std::string(role) + "-model", "openai:gpt-4.1-mini"});
    }
    run.insert(run.end(), {"--openai-base-url", server.Url()});
    RunSuspended(run, stream, milliseconds(500), totals);
    HoldTogether(database, kBudget, totals);
    std::int64_t answers = 0;
    std::int64_t tokens = 0;
    for (const ServedCall& call : server.Calls()) {
      if (!call.is_answered) continue;
      ++answers;
      tokens += call.input_tokens + call.output_tokens;
    }
    const Json ledger = Json::parse(
        Succeed({"sql", "--json", "--db", database.string(),
                 "SELECT sum(outcome = 'answered') AS answers,"
                 " sum(outcome <> 'answered') AS others,"
                 " sum(charged_tokens) AS tokens FROM wire_calls"}))[0];
    EXPECT_EQ(ledger["answers"], answers);
    EXPECT_EQ(ledger["others"], 0);
    EXPECT_EQ(ledger["tokens"], tokens);
  }
  EXPECT_GT(totals.adoptions, 0);
  EXPECT_GT(totals.late, 0);
  std::cout << totals << std::endl;
}

// As fast as they go: what is suspended is in the midst of a transaction, of an
// evaluation, or of its start.
TEST_F(SuspensionTest, ABusyProcessIsSuspendedAnywhere) {
  const int kBudget = 200;
  RandomStream stream(6, Purpose::kSimulation, 0);
  Totals totals;
  while (totals.suspensions < Wanted() && !HasFailure()) {
    const fs::path database =
        Database("busy" + std::to_string(totals.campaigns));
    RunSuspended(Run("sim:nk/1", kBudget, database), stream, milliseconds(150),
                 totals);
    HoldTogether(database, kBudget, totals);
  }
  std::cout << totals << std::endl;
}

}  // namespace
}  // namespace coppice
