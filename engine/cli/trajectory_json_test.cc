#include "engine/cli/trajectory_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "store/scratch.h"

namespace coppice::cli {
namespace {

using nlohmann::ordered_json;

store::Endeavour Ended(std::optional<Verdict> verdict,
                       std::optional<Speedup> speedup = {}) {
  store::Endeavour attempt;
  attempt.verdict = verdict;
  attempt.speedup = speedup;
  return attempt;
}

// What the evaluator could not decide is no failure of who wrote it.
TEST(TrajectoryJsonTest, TheRewardIsTheSpeedupOfWhatPassed) {
  EXPECT_EQ(RewardOf(Ended(std::nullopt)), std::nullopt);
  EXPECT_EQ(RewardOf(Ended(Verdict::kInconclusive)), std::nullopt);
  EXPECT_EQ(RewardOf(Ended(Verdict::kPassed, Speedup{1.5, {}})), 1.5);
  EXPECT_EQ(RewardOf(Ended(Verdict::kPassed, Around(0.25, 0.1))), 0.25);
  for (const Verdict verdict :
       {Verdict::kCompileFailed, Verdict::kCrashed, Verdict::kTimedOut,
        Verdict::kWrongOutput, Verdict::kRejected, Verdict::kNoCandidate}) {
    EXPECT_EQ(RewardOf(Ended(verdict)), 0.0) << Name(verdict);
  }
}

// A call of the code agent of decision 7, about which all is known.
class TrajectoryJsonOfCallTest : public ::testing::Test {
 protected:
  TrajectoryJsonOfCallTest() {
    campaign_.name = "a";
    attempt_.decision = 7;
    attempt_.policy = "stark";
    attempt_.lineage = {NodeId{0}, NodeId{3}};
    attempt_.parent_speedup = 2.0;
    attempt_.plan = Plan{"tile it", "tile", "<<<x>>>", 4, true};
    attempt_.footprint = {3, 1};
    attempt_.node = NodeId{8};
    attempt_.verdict = Verdict::kPassed;
    attempt_.speedup = Speedup{4.0, Interval{3.5, 4.5}};
    call_.asked = store::IntentOf(Role::kCode);
    call_.end = store::AnswerOf("the code");
  }
  ordered_json Json() const { return TrajectoryJson(campaign_, call_); }

  store::CampaignSpec campaign_ = store::SpecNamed("a");
  store::Endeavour attempt_;
  store::Trajectory call_{.attempt = attempt_,
                          .id = {},
                          .asked = {},
                          .template_hash = {},
                          .sampling = {},
                          .served_model = {},
                          .retry_of = {},
                          .end = {},
                          .price_version = {}};
};

TEST_F(TrajectoryJsonOfCallTest, APlanIsWhatItSaysAndNotItsText) {
  EXPECT_EQ(Json()["plan"].dump(),
            R"({"technique":"tile","anchors":4,"grounded":true})");
  attempt_.plan.reset();
  EXPECT_EQ(Json()["plan"], nullptr);
}

TEST_F(TrajectoryJsonOfCallTest, ASpeedupHasItsInterval) {
  const ordered_json json = Json();
  EXPECT_EQ(json["speedup"], 4.0);
  EXPECT_EQ(json["speedup_low"], 3.5);
  EXPECT_EQ(json["speedup_high"], 4.5);
  EXPECT_EQ(json["reward"], 4.0);
  EXPECT_EQ(json["verdict"], "passed");
  attempt_.speedup->interval.reset();
  EXPECT_EQ(Json()["speedup"], 4.0);
  EXPECT_EQ(Json()["speedup_low"], nullptr);
}

TEST_F(TrajectoryJsonOfCallTest, OfAFailureThereIsNoSpeedup) {
  attempt_.verdict = Verdict::kCrashed;
  attempt_.speedup.reset();
  attempt_.parent_speedup.reset();
  const ordered_json json = Json();
  EXPECT_EQ(json["reward"], 0.0);
  EXPECT_EQ(json["verdict"], "crashed");
  EXPECT_EQ(json["speedup"], nullptr);
  EXPECT_EQ(json["parent_speedup"], nullptr);
}

TEST_F(TrajectoryJsonOfCallTest, OnlyAnAnswerIsACompletion) {
  const auto completion = [&](CallOutcome outcome) {
    call_.end.outcome = outcome;
    const ordered_json json = Json();
    return json["outcome"].get<std::string>() + " " + json["completion"].dump();
  };
  EXPECT_EQ(completion(CallOutcome::kAnswered),
            R"(answered [{"role":"assistant","content":"the code"}])");
  EXPECT_EQ(completion(CallOutcome::kSent), "sent []");
  EXPECT_EQ(completion(CallOutcome::kFailed), "failed []");
  EXPECT_EQ(completion(CallOutcome::kUnknown), "outcome_unknown []");
}

// An empty answer was an answer nevertheless.
TEST_F(TrajectoryJsonOfCallTest, AnEmptyAnswerIsOne) {
  call_.end.answer = "";
  EXPECT_EQ(Json()["completion"].dump(),
            R"([{"role":"assistant","content":""}])");
}

TEST_F(TrajectoryJsonOfCallTest, TheErrorOfAFailureIsTold) {
  call_.end.outcome = CallOutcome::kFailed;
  call_.end.error = "429";
  EXPECT_EQ(Json()["error"], "429");
}

TEST_F(TrajectoryJsonOfCallTest, WhatWasSentIsThereAndWhatWasNotIsNull) {
  for (const char* key : {"temperature", "top_p", "max_output_tokens", "effort",
                          "served_model", "retry_of", "same_as"}) {
    EXPECT_EQ(Json()[key], nullptr) << key;
  }
  call_.sampling = {0.5, 0.9, 900, "high"};
  call_.served_model = "model-2026";
  call_.retry_of = store::NextUuid();
  call_.template_hash = "abc";
  call_.price_version = "2026-11-01";
  attempt_.same_as = NodeId{2};
  const ordered_json json = Json();
  EXPECT_EQ(json["temperature"], 0.5);
  EXPECT_EQ(json["top_p"], 0.9);
  EXPECT_EQ(json["max_output_tokens"], 900);
  EXPECT_EQ(json["effort"], "high");
  EXPECT_EQ(json["served_model"], "model-2026");
  EXPECT_EQ(json["retry_of"], ToString(*call_.retry_of));
  EXPECT_EQ(json["template_hash"], "abc");
  EXPECT_EQ(json["price_version"], "2026-11-01");
  EXPECT_EQ(json["same_as"], 2);
}

TEST_F(TrajectoryJsonOfCallTest, AnOpenAttemptHasNeitherNodeNorReward) {
  attempt_.node.reset();
  attempt_.verdict.reset();
  attempt_.speedup.reset();
  const ordered_json json = Json();
  for (const char* key : {"node", "verdict", "reward", "speedup"}) {
    EXPECT_EQ(json[key], nullptr) << key;
  }
  EXPECT_EQ(json["lineage"].dump(), "[0,3]");
}

TEST_F(TrajectoryJsonOfCallTest, TokensAreTotalsAndTheirParts) {
  call_.end.usage.cache_write_tokens = 7;
  const ordered_json json = Json();
  EXPECT_EQ(json["input_tokens"], 100);
  EXPECT_EQ(json["cached_input_tokens"], 40);
  EXPECT_EQ(json["cache_write_tokens"], 7);
  EXPECT_EQ(json["output_tokens"], 10);
}

// Readers of a format take its keys in their order: a new one is a new format.
TEST_F(TrajectoryJsonOfCallTest, AFailureHasTheKeysOfASuccess) {
  const auto keys_of = [](const ordered_json& json) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    return keys;
  };
  const std::vector<std::string> keys = keys_of(Json());
  attempt_ = {};
  call_.end = {};
  call_.end.outcome = CallOutcome::kFailed;
  EXPECT_EQ(keys_of(Json()), keys);
  EXPECT_EQ(keys.front(), "format");
}

}  // namespace
}  // namespace coppice::cli
