#include "engine/outside/outside_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/outside/ticket_offer.h"
#include "store/records/ids.h"
#include "store/records/speedup.h"

namespace coppice::engine {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUuid = "0190163d-8694-739b-aea5-966c26f8ad91";

TicketOffer Offer() {
  TicketOffer offer;
  offer.ticket.uuid = *ParseUuid(kUuid);
  offer.ticket.agent = "ana";
  offer.ticket.roles = Roles::All();
  offer.ticket.deadline_s = 1600.0;
  offer.decision = 4;
  offer.parent = NodeId{2};
  offer.policy = "stark";
  offer.anchors = "required";
  offer.system_prompt = "You plan.";
  offer.window = {
      {NodeId{2}, "selected", "int x;", Verdict::kPassed, Speedup{2.0, {}}, ""},
      {NodeId{3}, "child", "", Verdict::kNoCandidate, {}, "sorry"}};
  return offer;
}

TEST(OutsideJsonTest, AnOfferHasWhatAnAgentOfOursWouldBeTold) {
  const Json json = AskedJson({{Offer()}, ""});
  EXPECT_EQ(json["ticket"], kUuid);
  EXPECT_EQ(json["state"], "open");
  EXPECT_EQ(json["request"], nullptr);
  EXPECT_EQ(json["roles"], "plan+code+debug");
  EXPECT_EQ(json["role"], "plan");
  EXPECT_EQ(json["decision"], 4);
  EXPECT_EQ(json["parent"], 2);
  EXPECT_EQ(json["annotate"], nullptr);  // Nothing is to be marked.
  EXPECT_EQ(json["prompt"]["system"], "You plan.");
  ASSERT_EQ(json["window"].size(), 2U);
  EXPECT_EQ(json["window"][0]["speedup"], 2.0);
  EXPECT_EQ(json["window"][0]["source"], "int x;");
  EXPECT_EQ(json["window"][1]["speedup"], nullptr);
  EXPECT_EQ(json["window"][1]["source"], nullptr);
  EXPECT_EQ(json["window"][1]["log_head"], "sorry");
  EXPECT_FALSE(json.contains("more"));
}

TEST(OutsideJsonTest, OfSeveralOffersTheFirstHasTheOthers) {
  TicketOffer second = Offer();
  second.decision = 5;
  const Json json = AskedJson({{Offer(), second}, ""});
  EXPECT_EQ(json["decision"], 4);
  ASSERT_EQ(json["more"].size(), 1U);
  EXPECT_EQ(json["more"][0]["decision"], 5);
}

TEST(OutsideJsonTest, WithoutAnOfferItIsSaidWhy) {
  EXPECT_EQ(AskedJson({{}, "the budget is spent", true}).dump(),
            R"({"ticket":null,"reason":"the budget is spent","spent":true})");
}

TEST(OutsideJsonTest, AReceiptThatIsNotJudgedYetHasNoVerdict) {
  Receipt receipt;
  receipt.ticket = Offer().ticket;
  receipt.stage = Stage::kCoded;
  const Json json = ReceiptJson(receipt);
  EXPECT_EQ(json["stage"], "coded");
  for (const char* key :
       {"node", "verdict", "speedup", "best_speedup", "next"}) {
    EXPECT_EQ(json[key], nullptr) << key;
  }
  for (const auto& [name, value] : json["reward"].items()) {
    EXPECT_EQ(value, nullptr) << name;
  }
}

TEST(OutsideJsonTest, ARewardHasItsPartsAndANextQuestionItsOffer) {
  Receipt receipt;
  receipt.ticket = Offer().ticket;
  receipt.node = NodeId{7};
  receipt.verdict = Verdict::kPassed;
  receipt.speedup = Speedup{2.0, {}};
  receipt.best_speedup = Speedup{3.0, {}};
  receipt.reward.compiled = true;
  receipt.reward.correct_fraction = 1.0;
  receipt.reward.interval = Interval{1.9, 2.1};
  receipt.reward.novel = false;
  receipt.next = Offer();
  const Json json = ReceiptJson(receipt);
  EXPECT_EQ(json["node"], 7);
  EXPECT_EQ(json["best_speedup"], 3.0);
  EXPECT_EQ(json["reward"]["verdict"], "passed");
  EXPECT_EQ(json["reward"]["compiled"], true);
  EXPECT_EQ(json["reward"]["interval"], Json::parse("[1.9,2.1]"));
  EXPECT_EQ(json["reward"]["novel"], false);
  EXPECT_EQ(json["reward"]["vs_best"], nullptr);
  EXPECT_EQ(json["next"]["decision"], 4);
}

// What is not known is null, and so is what is no number.
TEST(OutsideJsonTest, ANumberThatIsNoneIsNull) {
  Receipt receipt;
  receipt.speedup = Speedup{std::numeric_limits<double>::infinity(), {}};
  receipt.reward.log_speedup = std::numeric_limits<double>::quiet_NaN();
  receipt.reward.interval =
      Interval{-std::numeric_limits<double>::infinity(), 1.0};
  const Json json = Json::parse(ReceiptJson(receipt).dump());
  EXPECT_EQ(json["speedup"], nullptr);
  EXPECT_EQ(json["reward"]["log_speedup"], nullptr);
  EXPECT_EQ(json["reward"]["interval"], Json::parse("[null,1.0]"));
}

}  // namespace
}  // namespace coppice::engine
