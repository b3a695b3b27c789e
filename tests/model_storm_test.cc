// Kills campaigns that ask a server of language models, eight attempts at a
// time, while the server misbehaves; and holds the ledger against what the
// server has seen.
//
// COPPICE_STORM_KILLS says how many kills for each provider (default 40).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/database.h"
#include "store/records/random.h"
#include "tests/campaign_process.h"
#include "tests/model_server.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::chrono::milliseconds kLongestLife{400};  // Of what is killed.

// Read once and taken away: the program knows of no such setting.
int WantedKills() {
  static const int wanted = [] {
    const char* text = std::getenv("COPPICE_STORM_KILLS");
    const int kills = text == nullptr ? 40 : std::atoi(text);
    unsetenv("COPPICE_STORM_KILLS");
    return kills;
  }();
  return wanted;
}

// What the server has seen of one call, whose requests all have its name.
struct Seen {
  int requests = 0;
  int answers = 0;
  std::int64_t tokens = 0;  // Of the answers.
};

// What the server has billed, by its own books.
std::int64_t TokensBilledBy(const ModelServer& server) {
  std::int64_t tokens = 0;
  for (const ServedCall& call : server.Calls()) {
    tokens += call.input_tokens + call.output_tokens;
  }
  return tokens;
}

// At the prices of the models asked, from data/models.json.
double UsdBilledBy(const ModelServer& server, std::string_view provider) {
  const bool is_openai = provider == "openai";
  const double input_usd = 1e-6 * (is_openai ? 0.4 : 1.0);
  const double output_usd = 1e-6 * (is_openai ? 1.6 : 5.0);
  double usd = 0.0;
  for (const ServedCall& call : server.Calls()) {
    usd += input_usd * static_cast<double>(call.input_tokens) +
           output_usd * static_cast<double>(call.output_tokens);
  }
  return usd;
}

std::map<std::string, Seen> SeenBy(const ModelServer& server) {
  std::map<std::string, Seen> seen;
  for (const ServedCall& call : server.Calls()) {
    Seen& one = seen[call.name];
    ++one.requests;
    if (!call.is_answered) continue;
    ++one.answers;
    one.tokens += call.input_tokens + call.output_tokens;
  }
  return seen;
}

// The totals of both books, over all campaigns.
struct Totals {
  int campaigns = 0;
  int kills = 0;
  int requests = 0;
  Seen ledger;  // What has an answer on the disk,
  Seen lost;    // what was answered, to nobody,
  Seen served;  // and what the server has answered.
};

std::ostream& operator<<(std::ostream& out, const Totals& totals) {
  const auto amount = [](const Seen& seen) {
    return std::to_string(seen.answers) + " answers of " +
           std::to_string(seen.tokens) + " tokens";
  };
  return out << totals.kills << " kills of " << totals.campaigns
             << " campaigns, 8 attempts in flight: " << totals.requests
             << " requests; the server gave " << amount(totals.served)
             << "; the ledger has " << amount(totals.ledger)
             << ", each used once; " << amount(totals.lost)
             << " died with who asked, and are charged as of unknown outcome";
}

class ModelStormTest : public testing::TestWithParam<const char*>,
                       protected CampaignProcesses {
 protected:
  void SetUp() override {
    WantedKills();
    setenv("no_proxy", "127.0.0.1", 1);
    setenv("STORM_SERVER_KEY", "sk-storm", 1);
  }

  // Runs a campaign of `budget` attempts, eight at a time.
  static Arguments Run(const ModelServer& server, int budget,
                       const fs::path& database) {
    const std::string provider = GetParam();
    const std::string model =
        provider +
        (provider == "openai" ? ":gpt-4.1-mini" : ":claude-haiku-4-5");
    return {"run",
            "sim:basic",
            "--db",
            database.string(),
            "--budget",
            std::to_string(budget),
            "--seed",
            "7",
            "--parallel",
            "8",
            "--max-output-tokens",
            "1000",
            "--plan-model",
            model,
            "--code-model",
            model,
            "--debug-model",
            model,
            "--" + provider + "-base-url",
            server.Url(),
            "--" + provider + "-api-key-env",
            "STORM_SERVER_KEY"};
  }

  Json Rows(const fs::path& database, const std::string& sql) const {
    return Json::parse(
        Succeed({"sql", "--json", "--db", database.string(), sql}));
  }

  // Every request is in the ledger, and everything that the ledger has an
  // answer of was answered, once, for as many tokens.  What it does not know
  // the end of it charges with no less than the server does.
  void HoldTogether(const fs::path& database, const ModelServer& server,
                    Totals& totals) const {
    std::map<std::string, Seen> seen = SeenBy(server);
    for (const Json& row :
         Rows(database,
              "SELECT c.uuid, c.outcome, count(w.wire_call_id) AS sent,"
              " coalesce(sum(w.outcome = 'answered'), 0) AS answered,"
              " coalesce(sum(w.outcome = 'outcome_unknown'), 0) AS unknown,"
              " coalesce(sum(iif(w.outcome = 'answered',"
              "   w.input_tokens + w.output_tokens, 0)), 0) AS tokens,"
              " coalesce(sum(w.charged_tokens), 0) AS charged"
              " FROM calls c LEFT JOIN wire_calls w USING (campaign, call_id)"
              " GROUP BY c.uuid")) {
      const std::string name = row["uuid"];
      const Seen at_server = seen[name];
      seen.erase(name);
      EXPECT_NE(row["outcome"], "sent") << name;
      EXPECT_LE(at_server.requests, row["sent"].get<int>()) << name;
      EXPECT_GE(row["charged"].get<std::int64_t>(), at_server.tokens) << name;
      EXPECT_EQ(row["answered"] == 1, row["outcome"] == "answered") << name;
      totals.requests += at_server.requests;
      totals.served.answers += at_server.answers;
      totals.served.tokens += at_server.tokens;
      if (row["answered"] == 1) {
        EXPECT_EQ(at_server.answers, 1) << name;
        EXPECT_EQ(row["tokens"], at_server.tokens) << name;
        ++totals.ledger.answers;
        totals.ledger.tokens += row["tokens"].get<std::int64_t>();
      } else {
        EXPECT_LE(at_server.answers, row["unknown"].get<int>()) << name;
        totals.lost.answers += at_server.answers;
        totals.lost.tokens += at_server.tokens;
      }
    }
    for (const auto& [name, one] : seen) {
      ADD_FAILURE() << "the ledger does not know of " << name;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Providers, ModelStormTest,
                         testing::Values("openai", "anthropic"),
                         [](const auto& test) { return test.param; });

TEST_P(ModelStormTest, WhatReachedTheDiskIsUsedOnceAndNothingIsAskedTwice) {
  const int kBudget = 60;
  RandomStream stream(3, Purpose::kSimulation, 0);
  Totals totals;
  while (totals.kills < WantedKills() && !HasFailure()) {
    const auto round = static_cast<std::uint64_t>(totals.campaigns++);
    const ModelServer server({.seed = round,
                              .misbehaves = 0.2,
                              .latency = std::chrono::milliseconds(3)});
    const fs::path database = Database("stormy" + std::to_string(round));
    const Fired fired =
        RunUnderFire(Run(server, kBudget, database), stream, kLongestLife);
    EXPECT_EQ(fired.exit_code, 0) << Output();
    totals.kills += fired.kills;
    HoldTogether(database, server, totals);
    ExpectEachAnswerUsedOnce(database, kBudget);
  }
  EXPECT_GT(totals.ledger.answers, totals.campaigns * kBudget);
  EXPECT_EQ(totals.ledger.tokens + totals.lost.tokens, totals.served.tokens);
  std::cout << GetParam() << ": " << totals << std::endl;
}

// Each call that fails is made again, and no fault is taken for an answer.
TEST_P(ModelStormTest, NoFaultOfAServerEndsACampaign) {
  const int kBudget = 200;
  const fs::path table = directory() / "models.json";
  std::ofstream(table) << R"({"version": "1", "providers": [
      {"name": "compatible", "base_url": "http://h", "silence_s": 1},
      {"name": "anthropic", "api": "messages", "base_url": "http://h",
       "silence_s": 1}]})";
  const ModelServer server(
      {.seed = 6, .misbehaves = 0.1, .kinds = kMisbehaviours});
  const fs::path database = Database("faulty");
  Arguments run = Run(server, kBudget, database);
  run.insert(run.end(), {"--models-file", table});
  const int status = Wait(Start(run));
  EXPECT_TRUE(WIFEXITED(status) &&
              (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3))
      << Output();
  std::set<Misbehaviour> seen;
  for (const ServedCall& call : server.Calls()) seen.insert(call.misbehaviour);
  EXPECT_EQ(std::ssize(seen), kMisbehaviours);
  Totals totals;
  HoldTogether(database, server, totals);
  ExpectEachAnswerUsedOnce(database, kBudget);
  EXPECT_EQ(totals.ledger.tokens + totals.lost.tokens, totals.served.tokens);
  EXPECT_EQ(Count(database, "nodes WHERE verdict = 'no_candidate'"), 0);
}

// After every kill, and however much was in flight: neither the ledger nor the
// server has more than the cap.  When it is raised the campaign goes on.
TEST_P(ModelStormTest, NoCapIsEverPassed) {
  const int kBudget = 60;
  const ModelServer server(
      {.seed = 5, .misbehaves = 0.2, .latency = std::chrono::milliseconds(3)});
  const fs::path database = Database("capped");
  // With that cap, and not the one that the campaign has had before.
  const auto run = [&](const std::string& option, const std::string& cap) {
    Arguments arguments = Run(server, kBudget, database);
    if (option != "--cap-tokens") {
      arguments.insert(arguments.end(), {"--cap-tokens", "none"});
    }
    arguments.insert(arguments.end(), {option, cap});
    return arguments;
  };
  const auto charged = [&](const std::string& of) {
    return Rows(database, "SELECT coalesce(sum(charged_" + of +
                              "), 0) AS n FROM wire_calls")[0]["n"]
        .get<double>();
  };
  Wait(Start(run("--cap-tokens", "0")));
  EXPECT_THAT(Output(), testing::HasSubstr("would be passed"));
  EXPECT_EQ(SeenBy(server).size(), 0u);
  RandomStream stream(4, Purpose::kSimulation, 0);
  int kills = 0;
  const auto storm = [&](const char* option, const std::string& of,
                         const std::string& cap) {
    const double most = std::stod(cap);
    const auto hold = [&] {
      EXPECT_LE(charged(of), most + 1e-9);
      const double billed = of == "usd"
                                ? UsdBilledBy(server, GetParam())
                                : static_cast<double>(TokensBilledBy(server));
      EXPECT_LE(billed, most + 1e-9);
    };
    kills += RunUnderFire(run(option, cap), stream, kLongestLife, hold).kills;
    EXPECT_THAT(Output(), testing::HasSubstr("would be passed"));
    hold();
    EXPECT_GT(TokensBilledBy(server), 0);
    EXPECT_LT(Count(database, "nodes"), kBudget + 1);
  };
  storm("--cap-tokens", "tokens", "60000");
  const bool is_openai = std::string_view(GetParam()) == "openai";
  storm("--cap-usd", "usd", is_openai ? "0.05" : "0.15");
  EXPECT_GT(kills, 0);
  EXPECT_EQ(
      RunUnderFire(run("--cap-tokens", "none"), stream, kLongestLife).exit_code,
      0);
  ExpectEachAnswerUsedOnce(database, kBudget);
}

// What was under way at each kill counts as all that it may have used, until
// nothing more can be asked.  Settled, it leaves room for more, and the server
// has billed no more than the cap even then.
TEST_P(ModelStormTest, WhatKillsLeftUnknownIsSettledAndTheCampaignGoesOn) {
  const int kBudget = 400;
  const bool is_openai = std::string_view(GetParam()) == "openai";
  const double cap_usd = is_openai ? 0.05 : 0.15;
  const ModelServer server(
      {.seed = 9, .latency = std::chrono::milliseconds(10)});
  const fs::path database = Database("settled");
  Arguments run = Run(server, kBudget, database);
  run.insert(run.end(), {"--cap-usd", std::to_string(cap_usd)});
  const auto usd = [&](const std::string& what) {
    return Rows(database, "SELECT coalesce(sum(" + what +
                              "), 0.0) AS usd FROM wire_calls")[0]["usd"]
        .get<double>();
  };
  RandomStream stream(6, Purpose::kSimulation, 0);
  const Fired fired = RunUnderFire(run, stream, kLongestLife);
  EXPECT_THAT(Output(), testing::HasSubstr("`coppice spend settle`"));
  const int before = Count(database, "nodes");
  const double billed_before = UsdBilledBy(server, GetParam());
  const std::string said =
      Succeed({"spend", "settle", "--db", database.string()});
  EXPECT_THAT(said, testing::HasSubstr("no longer as"));
  const double settled = usd("iif(settled_at_s > 0, charged_usd, 0.0)");
  Wait(Start(run));
  EXPECT_GT(Count(database, "nodes"), before);
  EXPECT_LE(usd("charged_usd"), cap_usd + 1e-9);
  EXPECT_LE(UsdBilledBy(server, GetParam()), cap_usd + 1e-9);
  Succeed({"db", "doctor", "--db", database.string()});
  std::cout << GetParam() << ": cap $" << cap_usd << ", " << fired.kills
            << " kills: " << before - 1 << " attempts for $" << billed_before
            << " by the server's books; lost calls settled to $" << settled
            << ": " << Count(database, "nodes") - 1 << " attempts for $"
            << UsdBilledBy(server, GetParam()) << std::endl;
}

}  // namespace
}  // namespace coppice
