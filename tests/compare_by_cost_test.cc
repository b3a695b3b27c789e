// Policies compared at equal cost, with agents that ask a server of models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "store/database.h"
#include "tests/campaign_process.h"
#include "tests/model_server.h"

namespace coppice {
namespace {

using Json = nlohmann::json;

struct CostCase {
  const char* kind;      // Of the budget.
  const char* amount;    // For some ten attempts.
  const char* spent;     // What of it a campaign has used, in SQL.
  const char* per_call;  // The most that a call can reserve.
  const char* charged;   // A request, in wire_calls.
};

void PrintTo(const CostCase& cost, std::ostream* out) { *out << cost.kind; }

class CompareByCostTest : public testing::TestWithParam<CostCase>,
                          protected CampaignProcesses {
 protected:
  CompareByCostTest() {
    setenv("no_proxy", "127.0.0.1", 1);
    setenv("COST_SERVER_KEY", "sk-cost", 1);
  }

  Arguments Compare(const std::string& name) const {
    const CostCase& cost = GetParam();
    const std::string model = "openai:gpt-4.1-mini";
    return {"compare",
            Database(name).string(),
            "--policies",
            "stark,best_of_k",
            "--tasks",
            "sim:basic",
            "--seeds",
            "2",
            "--budget-kind",
            cost.kind,
            "--budget",
            cost.amount,
            "--max-output-tokens",
            "1000",
            "--plan-model",
            model,
            "--code-model",
            model,
            "--debug-model",
            model,
            "--openai-base-url",
            server_.Url(),
            "--openai-api-key-env",
            "COST_SERVER_KEY",
            "--progress",
            "none",
            "--json"};
  }

  Json Rows(const std::string& name, const std::string& sql) const {
    return Json::parse(
        Succeed({"sql", "--json", "--db", Database(name).string(), sql}));
  }

  ModelServer server_{ModelServerOptions{}};
};

// A call reserves its 1,000 tokens out, one in for each byte of its request,
// some 6,000, and 1,000 that a provider may add: what is left is less.
INSTANTIATE_TEST_SUITE_P(
    Kinds, CompareByCostTest,
    testing::Values(
        CostCase{"tokens", "30000", "sum(input_tokens + output_tokens)", "9000",
                 "charged_tokens"},
        CostCase{"dollars", "0.02", "sum(cost_usd)", "0.005", "charged_usd"}),
    [](const auto& test) { return std::string(test.param.kind); });

TEST_P(CompareByCostTest, EachCampaignUsesItsBudgetAndNoMore) {
  const Json said = Json::parse(Succeed(Compare("x")));
  EXPECT_EQ(said["budget_kind"], GetParam().kind);
  EXPECT_EQ(said["campaigns"], 4);
  EXPECT_EQ(said["missing"], Json::array());
  const Json campaigns =
      Rows("x", "SELECT campaign, count(DISTINCT decision) AS attempts, " +
                    std::string(GetParam().spent) +
                    " AS spent FROM calls GROUP BY campaign");
  const double budget = std::stod(GetParam().amount);
  ASSERT_EQ(campaigns.size(), 4u);
  for (const Json& row : campaigns) {
    EXPECT_GT(row["attempts"], 3) << row;
    EXPECT_LE(row["spent"].get<double>(), budget) << row;
    EXPECT_GT(row["spent"].get<double>(),
              budget - std::stod(GetParam().per_call))
        << row;
  }
}

TEST_P(CompareByCostTest, OnceAtItsEndNothingMoreIsAsked) {
  Succeed(Compare("x"));
  const std::size_t calls = server_.Calls().size();
  EXPECT_GT(calls, 20u);
  Succeed({"compare", Database("x").string(), "--openai-base-url",
           server_.Url(), "--openai-api-key-env", "COST_SERVER_KEY"});
  EXPECT_EQ(server_.Calls().size(), calls);
}

// A call that was on the wire when it died may have been paid for.
TEST_P(CompareByCostTest, KilledItUsesNoMoreEither) {
  for (const char* commit : {"30", "27", "24"}) {
    const int status = Wait(Start(Compare("cut"), commit));
    EXPECT_TRUE(WIFSIGNALED(status)) << commit;
  }
  const Json said = Json::parse(Succeed(Compare("cut")));
  EXPECT_EQ(said["campaigns"], 4);
  const Json campaigns =
      Rows("cut", "SELECT campaign, sum(" + std::string(GetParam().charged) +
                      ") AS charged FROM wire_calls GROUP BY campaign");
  ASSERT_EQ(campaigns.size(), 4u);
  for (const Json& row : campaigns) {
    EXPECT_LE(row["charged"].get<double>(), std::stod(GetParam().amount))
        << row;
  }
}

}  // namespace
}  // namespace coppice
