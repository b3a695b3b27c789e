#include "agents/prompt/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::agents {
namespace {

// "message|code|parameter".
std::string Fault(std::string_view body) {
  const std::optional<WireFault> fault = ReadFault(body);
  if (!fault) return "none";
  return fault->message + "|" + fault->code + "|" + fault->parameter;
}

TEST(ReadFaultTest, ReadsTheFormsOfEveryServer) {
  EXPECT_EQ(Fault(R"({"error": {"message": "m", "type": "t", "code": "c",
                                "param": "top_p"}})"),
            "m|c|top_p");
  EXPECT_EQ(Fault(R"({"error": {"message": "m", "type": "t", "code": null}})"),
            "m|t|");
  EXPECT_EQ(Fault(R"({"error": {"message": "m", "code": 503}})"), "m|503|");
  EXPECT_EQ(Fault(R"({"error": "m"})"), "m||");
  EXPECT_EQ(Fault(R"({"object": "error", "message": "m", "code": 40})"),
            "m|40|");
  EXPECT_EQ(Fault(R"({"error": {"x": 1}})"), R"({"x":1}||)");
  EXPECT_EQ(Fault(R"([{"error": {"message": "m", "code": 429}}])"), "m|429|");
  EXPECT_EQ(Fault(R"({"type": "error", "request_id": "r", "error":
                      {"type": "overloaded_error", "message": "m"}})"),
            "m|overloaded_error|");
}

TEST(ReadFaultTest, OtherBodiesHaveNone) {
  for (const char* body :
       {"", "oops", "[]", R"({"choices": []})", R"({"error": null})", "7"}) {
    EXPECT_EQ(Fault(body), "none") << body;
  }
}

TEST(RejectedParameterTest, IsTheOneTheServerNames) {
  EXPECT_EQ(RejectedParameter({"Unsupported parameter", "", "temperature"}),
            "temperature");
  EXPECT_EQ(RejectedParameter(
                {"Unsupported parameter: 'max_tokens' is not supported with "
                 "this model. Use 'max_completion_tokens' instead.",
                 "unsupported_parameter", ""}),
            "max_tokens");
  EXPECT_EQ(
      RejectedParameter({"top_p: Extra inputs are not permitted", "", ""}),
      "top_p");
}

TEST(RejectedParameterTest, ASchemaHasOneNameForAllApis) {
  for (const char* parameter :
       {"response_format", "text.format", "output_config.format"}) {
    EXPECT_EQ(RejectedParameter({"Unsupported parameter", "", parameter}),
              "response_format");
  }
  for (const char* message :
       {"output_config: Extra inputs are not permitted",
        "'claude-x' does not support structured outputs.",
        "Invalid 'text.format': type 'json_schema' is not supported"}) {
    EXPECT_EQ(RejectedParameter({message, "", ""}), "response_format")
        << message;
  }
}

TEST(RejectedParameterTest, BadValuesAndOtherFaultsAreNone) {
  EXPECT_EQ(RejectedParameter({"max_tokens is too large: 9", "", "max_tokens"}),
            std::nullopt);
  EXPECT_EQ(RejectedParameter({"unknown model", "model_not_found", "model"}),
            std::nullopt);
  EXPECT_EQ(RejectedParameter({"", "", ""}), std::nullopt);
}

TEST(IsOutOfMoneyTest, TellsQuotaFromThrottling) {
  EXPECT_TRUE(IsOutOfMoney({"", "insufficient_quota", ""}));
  EXPECT_TRUE(IsOutOfMoney({"You exceeded your current quota", "", ""}));
  EXPECT_TRUE(IsOutOfMoney({"Your credit balance is too low", "", ""}));
  EXPECT_TRUE(IsOutOfMoney({"", "enforced_spend_limit_reached", ""}));
  for (const char* code :
       {"billing_error", "billing_hard_limit_reached", "billing_not_active"}) {
    EXPECT_TRUE(IsOutOfMoney({"", code, ""})) << code;
  }
  EXPECT_FALSE(IsOutOfMoney({"Slow down", "rate_limit_exceeded", ""}));
  EXPECT_FALSE(IsOutOfMoney({"See the billing page", "", ""}));
}

// As OpenAI and Gemini word them.
TEST(IsOutOfMoneyTest, AThrottleThatSpeaksOfPayingIsOne) {
  const std::string openai =
      "Rate limit reached for gpt-4.1 in organization org-x on requests per "
      "min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s. Visit "
      "https://platform.openai.com/account/rate-limits to learn more. You can "
      "increase your rate limit by adding a payment method to your account at "
      "https://platform.openai.com/account/billing.";
  EXPECT_FALSE(IsOutOfMoney({openai, "rate_limit_exceeded", ""}));
  EXPECT_FALSE(IsOutOfMoney({openai, "requests", ""}));
  const std::string quota =
      "You exceeded your current quota, please check your plan and billing "
      "details.";
  EXPECT_FALSE(IsOutOfMoney({quota + " Please retry in 31.5s.", "429", ""}));
  EXPECT_TRUE(IsOutOfMoney({quota, "insufficient_quota", ""}));
}

TEST(StatusOfTest, AFaultWithoutAStatusHasThatOfItsKind) {
  EXPECT_EQ(StatusOf({"", "429", ""}), 429);
  EXPECT_EQ(StatusOf({"", "overloaded_error", ""}), 529);
  EXPECT_EQ(StatusOf({"", "invalid_request_error", ""}), 400);
  for (const char* code : {"", "oops", "200", "12345", "403: no"}) {
    EXPECT_EQ(StatusOf({"", code, ""}), 502) << code;
  }
  const WireFault by_type{"", "unsupported_value", "", "invalid_request_error"};
  EXPECT_EQ(StatusOf(by_type), 400);
}

TEST(ShortenedTest, AKiBOfWholeCharactersIsLeft) {
  const std::string all(1024, 'x');
  EXPECT_EQ(Shortened(all), all);
  EXPECT_EQ(Shortened(all + "x"), std::string(1020, 'x') + " ...");
  // The two bytes of the e with an accent would be at 1019 and 1020.
  EXPECT_EQ(Shortened(std::string(1019, 'x') + "\u00e9" + all),
            std::string(1019, 'x') + " ...");
}

TEST(TokensSoFarTest, CountsFourCharactersEachUnseenOnesToo) {
  Reply reply;
  EXPECT_EQ(TokensSoFar(reply), 0);
  reply.text = "12345";
  EXPECT_EQ(TokensSoFar(reply), 2);
  reply.unseen_characters = 400;
  EXPECT_EQ(TokensSoFar(reply), 102);
  reply.refusal = "123";
  EXPECT_EQ(TokensSoFar(reply), 102);  // 5 + 400 + 3 characters.
}

}  // namespace
}  // namespace coppice::agents
