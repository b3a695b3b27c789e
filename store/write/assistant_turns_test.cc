#include "store/write/assistant_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNoon_s = 43200.0;  // Of 1970-01-01.
constexpr double kNextDay_s = 86400.0;

class AssistantTurnsTest : public ::testing::Test {
 protected:
  TurnIntent IntentAt(double sent_at_s, double usd) {
    TurnIntent intent;
    intent.origin = {conversation_, 1, campaign_, "Why did node 14 fail?"};
    intent.provider = "openai";
    intent.model = "m";
    intent.request = R"({"model": "m"})";
    intent.input_tokens_bound = 100;
    intent.output_tokens_bound = 900;
    intent.cost_usd_bound = usd;
    intent.sent_at_s = sent_at_s;
    return intent;
  }

  static TransportResult Answered(const std::string& answer, double usd) {
    TransportResult end;
    end.answer = answer;
    end.usage.input_tokens = 80;
    end.usage.output_tokens = 20;
    end.cost_usd = usd;
    end.ended_at_s = kNoon_s + 1;
    return end;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  AssistantTurns turns_{database_};
  Uuid conversation_ = NextUuid();
};

TEST_F(AssistantTurnsTest, AllThatItMayCostCountsUntilItEnds) {
  const TurnId turn = Must(turns_.Begin(IntentAt(kNoon_s, 0.5), 1.0));
  EXPECT_DOUBLE_EQ(Must(turns_.SpentOn(kNoon_s)), 0.5);
  Must(turns_.End(turn, Answered("It did not compile.", 0.125)));
  EXPECT_DOUBLE_EQ(Must(turns_.SpentOn(kNoon_s)), 0.125);
  EXPECT_DOUBLE_EQ(Must(turns_.SpentOn(kNextDay_s)), 0.0);
  EXPECT_FALSE(turns_.End(turn, Answered("Again.", 0.125)));
}

TEST_F(AssistantTurnsTest, WhatWouldPassTheCapOfItsDayIsNotSent) {
  Must(turns_.Begin(IntentAt(kNoon_s, 0.75), 1.0));
  const auto refused = turns_.Begin(IntentAt(kNoon_s, 0.5), 1.0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kSpent);
  EXPECT_EQ(refused.error().what,
            "the cap of $1.00 a day (UTC) for the assistant would be passed: "
            "$0.75 is used, and a request may use $0.50: raise "
            "assistant_usd_day to go on");
  EXPECT_THAT(Rows(database_, "SELECT count(*) FROM assistant_turns"),
              ElementsAre("1"));
  // To the cent, another day, and with no cap it may.
  Must(turns_.Begin(IntentAt(kNoon_s, 0.25), 1.0));
  Must(turns_.Begin(IntentAt(kNextDay_s, 0.5), 1.0));
  Must(turns_.Begin(IntentAt(kNoon_s, 100.0), std::nullopt));
}

TEST_F(AssistantTurnsTest, ACapNeedsAPrice) {
  TurnIntent intent = IntentAt(kNoon_s, 0.0);
  intent.cost_usd_bound.reset();
  const auto refused = turns_.Begin(intent, 1.0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_THAT(refused.error().what, HasSubstr("price is not known"));
  Must(turns_.Begin(intent, std::nullopt));
}

TEST_F(AssistantTurnsTest, AQuestionAddsUpItsRequests) {
  const TurnId first = Must(turns_.Begin(IntentAt(kNoon_s, 0.5), {}));
  Must(turns_.End(first, Answered("", 0.125)));  // It called tools.
  TurnIntent second = IntentAt(kNoon_s + 1, 0.5);
  second.request = R"({"model": "m", "more": 1})";
  Must(turns_.End(Must(turns_.Begin(second, {})),
                  Answered("It did not compile.", 0.25)));
  TurnIntent next = IntentAt(kNoon_s + 2, 0.5);
  next.origin.question_number = 2;
  next.origin.campaign.reset();
  next.origin.question = "And 15?";
  TransportResult failed;
  failed.outcome = CallOutcome::kFailed;
  failed.error = "HTTP 401";
  failed.ended_at_s = kNoon_s + 3;
  Must(turns_.End(Must(turns_.Begin(next, {})), failed));
  const auto asked = Must(turns_.ReadConversation(conversation_));
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].campaign, "a");
  EXPECT_EQ(asked[0].question, "Why did node 14 fail?");
  EXPECT_EQ(asked[0].answer, "It did not compile.");
  EXPECT_EQ(asked[0].requests, 2);
  EXPECT_EQ(asked[0].input_tokens, 160);  // 2 * 80.
  EXPECT_DOUBLE_EQ(asked[0].cost_usd, 0.375);
  EXPECT_EQ(asked[1].campaign, "");
  EXPECT_EQ(asked[1].answer, "");
  EXPECT_EQ(asked[1].error, "HTTP 401");
  const auto newest = Must(turns_.Read(1));
  ASSERT_EQ(newest.size(), 1u);
  EXPECT_EQ(newest[0].question, "And 15?");
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(AssistantTurnsTest, ItIsNoExpenseOfACampaign) {
  Must(turns_.Begin(IntentAt(kNoon_s, 0.5), 1.0));
  EXPECT_THAT(Rows(database_, "SELECT count(*) FROM expense"),
              ElementsAre("0"));
  EXPECT_THAT(
      Rows(database_,
           "SELECT campaign, role, question_number, outcome, charged_usd,"
           " blob_text(request_blob) FROM assistant_turns"),
      ElementsAre(R"(a|assistant|1|sent|0.5|{"model": "m"})"));
}

// A day begins at midnight and ends before the next.
TEST_F(AssistantTurnsTest, ADayIsFromMidnightToMidnight) {
  Must(turns_.Begin(IntentAt(0.0, 0.5), {}));
  Must(turns_.Begin(IntentAt(kNextDay_s - 1, 0.25), {}));
  Must(turns_.Begin(IntentAt(kNextDay_s, 4.0), {}));
  EXPECT_DOUBLE_EQ(Must(turns_.SpentOn(kNoon_s)), 0.75);
  EXPECT_DOUBLE_EQ(Must(turns_.SpentOn(0.0)), 0.75);
  EXPECT_DOUBLE_EQ(Must(turns_.SpentOn(kNextDay_s)), 4.0);
}

// Sums of less than a cent are told to a millionth.
TEST_F(AssistantTurnsTest, SmallSumsAreToldExactly) {
  Must(turns_.Begin(IntentAt(kNoon_s, 0.005), {}));
  EXPECT_EQ(turns_.Begin(IntentAt(kNoon_s, 0.01), 0.01).error().what,
            "the cap of $0.01 a day (UTC) for the assistant would be passed: "
            "$0.005000 is used, and a request may use $0.01: raise "
            "assistant_usd_day to go on");
}

TEST_F(AssistantTurnsTest, WhatEndedIsReadAsItEnded) {
  TurnIntent intent = IntentAt(kNoon_s, 0.5);
  const TurnId first = Must(turns_.Begin(intent, {}));
  TransportResult failed;
  failed.outcome = CallOutcome::kFailed;
  failed.error = "HTTP 529";
  failed.ended_at_s = kNoon_s + 1;
  Must(turns_.End(first, failed));
  intent.retry_of = first;
  intent.sent_at_s = kNoon_s + 2;
  TransportResult end = Answered("It did not compile.", 0.125);
  end.usage.cached_input_tokens = 7;
  end.usage.estimated = true;
  end.price_version = "2026-11-01";
  end.served_model = "m-2026";
  end.latency_s = 1.5;
  Must(turns_.End(Must(turns_.Begin(intent, {})), end));
  EXPECT_THAT(Rows(database_,
                   "SELECT outcome, retry_of, error, input_tokens,"
                   " cached_input_tokens, output_tokens, is_estimated,"
                   " cost_usd, price_version, served_model, latency_s,"
                   " ended_at_s FROM assistant_turns"),
              ElementsAre("failed|-|HTTP 529|0|0|0|0|-||-|0|43201",
                          "answered|1||80|7|20|1|0.125|2026-11-01|m-2026|1.5|"
                          "43201"));
  const auto asked = Must(turns_.Read(9));
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].conversation, conversation_);
  EXPECT_EQ(asked[0].question_number, 1);
  EXPECT_EQ(asked[0].provider, "openai");
  EXPECT_EQ(asked[0].model, "m");
  EXPECT_EQ(asked[0].asked_at_s, kNoon_s);
  EXPECT_EQ(asked[0].output_tokens, 20);
  EXPECT_EQ(asked[0].error, "");  // Of the last request.
  EXPECT_EQ(turns_.End(TurnId{99}, end).error().code, Errc::kNotFound);
}

TEST_F(AssistantTurnsTest, ConversationsAreReadByThemselvesTheNewestFirst) {
  Must(turns_.Begin(IntentAt(kNoon_s, 0.5), {}));
  TurnIntent second = IntentAt(kNoon_s + 1, 0.5);
  second.origin.question_number = 2;
  Must(turns_.Begin(second, {}));
  TurnIntent other = IntentAt(kNoon_s + 2, 0.5);
  other.origin.conversation = NextUuid();
  other.origin.question = "And 15?";
  Must(turns_.Begin(other, {}));
  const auto asked = Must(turns_.ReadConversation(conversation_));
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].question_number, 1);
  EXPECT_EQ(asked[1].question_number, 2);
  const auto all = Must(turns_.Read(2));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].question, "And 15?");
  EXPECT_EQ(all[1].question_number, 2);
}

}  // namespace
}  // namespace coppice::store
