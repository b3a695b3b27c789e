// Suspends processes that share a campaign for longer than their leases, so
// that each finds its attempts in the hands of the other when it goes on; and
// holds the ledger against what a server of language models has seen.
//
// COPPICE_SUSPENSIONS says how many suspensions for each test (default 24), in
// COPPICE_CAMPAIGNS_AT_ONCE campaigns (default 1), which mostly sleep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "store/database.h"
#include "store/records/random.h"
#include "tests/campaign_process.h"
#include "tests/model_server.h"
#include "tests/whole.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kLease{1000};

// Read once and taken away: the program knows of no such settings.
struct Wanted {
  int suspensions = TriesAll() ? 24 : 8;
  int at_once = 1;
};

const Wanted& ReadWanted() {
  static const Wanted wanted = [] {
    Wanted read;
    const auto take = [](const char* name, int& value) {
      if (const char* text = std::getenv(name)) value = std::atoi(text);
      unsetenv(name);
    };
    take("COPPICE_SUSPENSIONS", read.suspensions);
    take("COPPICE_CAMPAIGNS_AT_ONCE", read.at_once);
    return read;
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

  void Add(const Totals& more) {
    suspensions += more.suspensions;
    campaigns += more.campaigns;
    adoptions += more.adoptions;
    late += more.late;
  }
};

std::ostream& operator<<(std::ostream& out, const Totals& totals) {
  return out << totals.suspensions << " suspensions of two processes with 8 "
             << "attempts in flight each, in " << totals.campaigns
             << " campaigns: " << totals.adoptions << " attempts taken over, "
             << totals.late << " answers came late, no process ended by it";
}

Arguments RunOf(const std::string& task, int budget, const fs::path& database) {
  return {"run",        task,
          "--db",       database.string(),
          "--budget",   std::to_string(budget),
          "--parallel", "8",
          "--lease-s",  std::to_string(kLease.count() / 1000),
          "--progress", "none"};
}

// One campaign of two processes.
class Suspended : public CampaignProcesses {
 public:
  Suspended(int number, std::uint64_t seed)
      : CampaignProcesses(std::to_string(number)),
        stream_(seed, Purpose::kSimulation,
                static_cast<std::uint64_t>(number)) {}

  // Runs `arguments` in two processes until both end, and suspends now the one,
  // now the other, after at most `longest`.
  void Run(const Arguments& arguments, milliseconds longest) {
    std::array<Worker, 2> workers;
    for (Worker& worker : workers) {
      worker.pid = Start(arguments);
      Pause(milliseconds(0), longest);
    }
    const auto have_ended = [&] {
      const bool first = workers[0].HasEnded();
      return workers[1].HasEnded() && first;
    };
    while (!have_ended()) {
      Worker& worker = workers.at(stream_.Below(workers.size()));
      if (!worker.HasEnded()) {
        kill(worker.pid, SIGSTOP);
        Pause(kLease * 3 / 2, kLease * 5 / 2);
        ++totals_.suspensions;
        kill(worker.pid, SIGCONT);
      }
      Pause(milliseconds(0), longest);
    }
    for (const Worker& worker : workers) {
      const bool is_well =
          WIFEXITED(*worker.status) && (WEXITSTATUS(*worker.status) == 0 ||
                                        WEXITSTATUS(*worker.status) == 3);
      EXPECT_TRUE(is_well) << *worker.status << ": " << Output();
    }
  }

  // What must hold of a campaign whose processes were suspended.
  Totals HoldTogether(const fs::path& database, int budget) {
    totals_.campaigns = 1;
    totals_.adoptions = Count(database, "event WHERE kind = 'adopted'");
    totals_.late =
        Count(database,
              "calls WHERE error = 'answered after its attempt was taken"
              " over'");
    ExpectEachAnswerUsedOnce(database, budget);
    return totals_;
  }

 private:
  void Pause(milliseconds least, milliseconds most) {
    const auto range = static_cast<std::uint64_t>((most - least).count());
    std::this_thread::sleep_for(
        least + milliseconds(static_cast<std::int64_t>(stream_.Below(range))));
  }

  RandomStream stream_;
  Totals totals_;
};

class SuspensionTest : public testing::Test {
 protected:
  SuspensionTest() {
    ReadWanted();
    setenv("no_proxy", "127.0.0.1", 1);
    setenv("OPENAI_API_KEY", "sk-suspended", 1);
  }

  // Numbers campaigns 0, 1, 2, ... until there were enough suspensions.
  static Totals RunEnough(const std::function<Totals(int number)>& campaign) {
    std::mutex mutex;
    Totals all;
    int next = 0;
    const auto work = [&] {
      for (std::unique_lock lock(mutex);
           all.suspensions < ReadWanted().suspensions && !HasFailure();) {
        const int number = next++;
        lock.unlock();
        const Totals totals = campaign(number);
        lock.lock();
        all.Add(totals);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < ReadWanted().at_once; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    std::cout << all << std::endl;
    return all;
  }
};

// The answers of a server that takes its time, which is when a process that
// waits for eight of them is suspended.  None was killed, so that the ledger
// knows of every answer, and has paid for each, be it used or late.
TEST_F(SuspensionTest, WhoComesBackToALostAttemptDropsItAndPaysForItsAnswer) {
  const int kBudget = TriesAll() ? 300 : 100;
  const Totals all = RunEnough([&](int number) {
    const ModelServer server({.latency = milliseconds(100)});
    Suspended campaign(number, 5);
    const fs::path database = campaign.Database("suspended");
    Arguments run = RunOf("sim:basic", kBudget, database);
    for (const char* role : {"plan", "code", "debug"}) {
      run.insert(run.end(),
                 {"--" + std::string(role) + "-model", "openai:gpt-4.1-mini"});
    }
    run.insert(run.end(), {"--openai-base-url", server.Url()});
    campaign.Run(run, milliseconds(500));
    const Totals totals = campaign.HoldTogether(database, kBudget);
    std::int64_t answers = 0;
    std::int64_t tokens = 0;
    for (const ServedCall& call : server.Calls()) {
      if (!call.is_answered) continue;
      ++answers;
      tokens += call.input_tokens + call.output_tokens;
    }
    const Json ledger = Json::parse(campaign.Succeed(
        {"sql", "--json", "--db", database.string(),
         "SELECT sum(outcome = 'answered') AS answers,"
         " sum(outcome <> 'answered') AS others,"
         " sum(charged_tokens) AS tokens FROM wire_calls"}))[0];
    EXPECT_EQ(ledger["answers"], answers);
    EXPECT_EQ(ledger["others"], 0);
    EXPECT_EQ(ledger["tokens"], tokens);
    return totals;
  });
  EXPECT_GT(all.adoptions, 0);
  EXPECT_GT(all.late, 0);
}

// As fast as they go: what is suspended is in the midst of a transaction, of an
// evaluation, or of its start.
TEST_F(SuspensionTest, ABusyProcessIsSuspendedAnywhere) {
  const int kBudget = TriesAll() ? 200 : 70;
  RunEnough([&](int number) {
    Suspended campaign(number, 6);
    const fs::path database = campaign.Database("busy");
    campaign.Run(RunOf("sim:nk/1", kBudget, database), milliseconds(150));
    return campaign.HoldTogether(database, kBudget);
  });
}

}  // namespace
}  // namespace coppice
