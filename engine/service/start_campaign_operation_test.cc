// start_campaign: what a request makes of the settings, and campaigns that go
// on, are cancelled or are of a task in files.  What it refuses is in
// outside_operations_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/service/json.h"
#include "engine/service/test_service.h"

namespace coppice::service {
namespace {

using store::Must;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class StartCampaignTest : public ::testing::Test {
 protected:
  Json Begin(const Json& more) {
    Json request = {{"task", "sim:basic"}, {"budget", 2}};
    request.update(more);
    return Must(service_.Do("start_campaign", request));
  }
  Json EndOf(const Json& begun, const Call& call = {"test", {}, {}}) {
    return Must(service_.Do("get_job", {{"job", begun["job"]}}, call));
  }
  Json Ask(const std::string& sql) {
    return Must(service_.Do("query", {{"sql", sql}}))["rows"];
  }

  TestService service_;
};

// By default the catalogue writes, and the default policy chooses, for nothing.
TEST_F(StartCampaignTest, WhatIsAskedForIsWhatTheCampaignIsBegunWith) {
  const Json begun = Begin({{"budget", 3}, {"policy", "greedy"}, {"seed", 7}});
  EXPECT_EQ(begun["campaign"], "sim:basic.greedy.s7");
  EXPECT_EQ(begun["db"], service_.database().string());
  EXPECT_EQ(EndOf(begun)["attempts"], 3);
  EXPECT_EQ(Ask("SELECT policy, seed, budget_attempts FROM campaigns"),
            Json::parse(R"([["greedy",7,3]])"));
  EXPECT_EQ(Ask("SELECT DISTINCT policy FROM attempts"),
            Json::parse(R"([["greedy"]])"));
}

TEST_F(StartCampaignTest, TheSameAgainGoesOnWithMoreAttempts) {
  const Json first = Begin({{"seed", 1}});
  EXPECT_EQ(EndOf(first)["attempts"], 2);
  const Json more = Begin({{"seed", 1}, {"budget", 5}});
  EXPECT_EQ(more["campaign"], first["campaign"]);
  EXPECT_EQ(EndOf(more)["attempts"], 5);
  const Json other = Begin({{"seed", 2}});
  EXPECT_NE(other["campaign"], first["campaign"]);
  EXPECT_EQ(EndOf(other)["attempts"], 2);
  EXPECT_EQ(Ask("SELECT count(*) FROM campaigns"), Json::parse("[[2]]"));
}

TEST_F(StartCampaignTest, TwoWhoBeginTheSameWaitForOneJob) {
  const Json first = Begin({{"budget", 100'000}});
  const Json second = Begin({{"budget", 100'000}});
  const auto cancel = [&](const Json& begun) {
    return Must(service_.Ask("cancel_job", Json{{"job", begun["job"]}}.dump()));
  };
  EXPECT_THAT(cancel(first), HasSubstr("running"));
  cancel(second);
  EXPECT_EQ(EndOf(first)["state"], "cancelled");
}

// Its attempts until then are in the history, and it goes on from there.
TEST_F(StartCampaignTest, WhatACancelledCampaignHasDoneIsKept) {
  std::int64_t done = 0;
  for (int time = 0; time < 2; ++time) {
    const Json begun = Begin({{"budget", 100'000}});
    const std::int64_t wanted = done + 3;
    while (Ask("SELECT count(*) FROM nodes")[0][0] < wanted) {
    }
    Must(service_.Ask("cancel_job", Json{{"job", begun["job"]}}.dump()));
    EXPECT_EQ(EndOf(begun)["state"], "cancelled");
    const Json status =
        Must(service_.Do("status", Json::object()))["campaigns"];
    ASSERT_EQ(status.size(), 1u);
    EXPECT_NE(status[0]["state"], "finished");
    done = status[0]["attempts"];
    EXPECT_GE(done, wanted - 1);  // The root is no attempt.
  }
}

// Told of one, whoever waits has the rest cancelled.
TEST_F(StartCampaignTest, WhoWaitsIsToldOfAttempts) {
  const Json begun = Begin({{"budget", 100'000}});
  std::vector<std::string> told;
  const Call call{
      "test", {}, [&](const OperationProgress& progress) {
        if (progress.stage != "attempts") return;
        told.push_back(progress.message);
        EXPECT_EQ(progress.total, 100'000.0);
        Must(service_.Ask("cancel_job", Json{{"job", begun["job"]}}.dump()));
      }};
  EXPECT_EQ(EndOf(begun, call)["state"], "cancelled");
  EXPECT_THAT(told, Contains(StartsWith("best ")));
}

// Named by its folder, and otherwise as a task of the program's own.
TEST_F(StartCampaignTest, ATaskOfAFolderIsSearchedToo) {
  const store::ScratchDirectory directory;
  const std::filesystem::path folder = directory.File("mine");
  std::filesystem::copy(
      std::filesystem::path(COPPICE_SOURCE_DIR) / "data/cpu/gelu_tanh", folder);
  const Json begun =
      Begin({{"task", folder.string()}, {"agent", "outside"}, {"budget", 1}});
  EXPECT_EQ(begun["job"], nullptr);
  EXPECT_THAT(std::string(begun["campaign"]), StartsWith(folder.string()));
  EXPECT_EQ(Ask("SELECT task, attempts FROM campaigns"),
            Json::parse(R"([["gelu_tanh",0]])"));
}

TEST_F(StartCampaignTest, WhatCannotBeBegunLeavesNoCampaign) {
  const auto complaint = [&](const Json& more) {
    Json request = {{"task", "sim:basic"}, {"budget", 2}};
    request.update(more);
    const auto begun = service_.Do("start_campaign", request);
    EXPECT_FALSE(begun) << *begun;
    return begun ? "" : begun.error().what;
  };
  EXPECT_THAT(complaint({{"task", "sim:bsaic"}}), HasSubstr("sim:basic"));
  EXPECT_THAT(complaint({{"policy", "gready"}}), HasSubstr("greedy"));
  EXPECT_THAT(complaint({{"agent", "nobody:x"}, {"cap_usd", 1}}),
              HasSubstr("nobody"));
  EXPECT_FALSE(std::filesystem::exists(service_.database()));
}

}  // namespace
}  // namespace coppice::service
