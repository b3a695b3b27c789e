#include "agents/chat_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::agents {
namespace {

using ::testing::HasSubstr;

ModelRequest Request() {
  ModelRequest request;
  request.system_prompt = "Be quick.";
  request.user_prompt = "Go.";
  request.sampling.max_output_tokens = 100;
  return request;
}

TEST(ChatRequestTest, OptionalParametersAreSentOnlyIfSet) {
  ModelRequest request = Request();
  EXPECT_EQ(ChatRequestBody("m", request, {}),
            R"({"max_tokens":100,"messages":[)"
            R"({"content":"Be quick.","role":"system"},)"
            R"({"content":"Go.","role":"user"}],"model":"m"})");
  request.system_prompt.clear();
  request.sampling.temperature = 0.5;
  request.sampling.top_p = 0.25;
  EXPECT_EQ(
      ChatRequestBody("m", request, {.output_limit = "max_completion_tokens"}),
      R"({"max_completion_tokens":100,"messages":[)"
      R"({"content":"Go.","role":"user"}],"model":"m",)"
      R"("temperature":0.5,"top_p":0.25})");
}

TEST(ChatRequestTest, DroppedParametersAreNotSent) {
  ModelRequest request = Request();
  request.system_prompt.clear();
  request.sampling.temperature = 0.5;
  request.sampling.top_p = 0.25;
  EXPECT_EQ(ChatRequestBody(
                "m", request,
                {.temperature = false, .top_p = false, .output_limit = ""}),
            R"({"messages":[{"content":"Go.","role":"user"}],"model":"m"})");
}

TEST(ChatRequestTest, BytesThatAreNoUtf8AreReplaced) {
  ModelRequest request = Request();
  request.user_prompt = "log: \xFF!";
  EXPECT_THAT(ChatRequestBody("m", request, {}),
              HasSubstr("log: \xEF\xBF\xBD!"));
}

// 1000 input tokens, 400 of them cached, 100 output tokens:
// (600 * 2 + 400 * 0.5 + 100 * 8) / 10^6 = 0.0022.
TEST(ChatReplyTest, HoldsTextUsageAndCost) {
  const ModelAnswer answer =
      ReadChatReply(R"({"choices": [{"finish_reason": "stop", "message":
          {"role": "assistant", "content": "Hi.", "refusal": null}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100,
                  "prompt_tokens_details": {"cached_tokens": 400}}})",
                    {2.0, 0.5, 8.0})
          .value();
  EXPECT_EQ(answer.text, "Hi.");
  EXPECT_EQ(answer.usage.input_tokens, 1000);
  EXPECT_EQ(answer.usage.cached_input_tokens, 400);
  EXPECT_EQ(answer.usage.output_tokens, 100);
  EXPECT_DOUBLE_EQ(answer.cost_usd.value(), 0.0022);
}

TEST(ChatReplyTest, TheServersOwnCostWins) {
  EXPECT_EQ(ReadChatReply(R"({"choices": [{"message": {"content": "x"}}],
      "usage": {"prompt_tokens": 1000, "cost": 0.25}})",
                          {2.0, 2.0, 8.0})
                .value()
                .cost_usd,
            0.25);
}

TEST(ChatReplyTest, UsageMayBeMissingOrNull) {
  for (const char* usage :
       {"", R"(,"usage": null)", R"(,"usage": {"prompt_tokens_details": null})",
        R"(,"usage": {"prompt_tokens": "many"})", R"(,"usage": [])"}) {
    const Result<ModelAnswer> answer =
        ReadChatReply(R"({"choices": [{"message": {"content": "x"}}])" +
                          std::string(usage) + "}",
                      {});
    ASSERT_TRUE(answer) << usage;
    EXPECT_EQ(answer->usage.input_tokens, 0);
  }
}

// Neither what no server can have counted nor what would give money back.
TEST(ChatReplyTest, UsageThatCannotBeIsNone) {
  for (const char* count :
       {"9223372036854775807", "18446744073709551615", "1e300", "-5"}) {
    const std::string number = count;
    const Result<ModelAnswer> answer = ReadChatReply(
        R"({"choices": [{"message": {"content": "x"}}], "usage": )"
        R"({"cost": -1, "completion_tokens": 2, "prompt_tokens": )" +
            number + "}}",
        {1e6, 0.0, 1e6});
    ASSERT_TRUE(answer) << count;
    EXPECT_EQ(answer->usage.input_tokens, 0) << count;
    EXPECT_DOUBLE_EQ(answer->cost_usd.value(), 2.0) << count;
  }
}

TEST(ChatReplyTest, DeepNestingIsCutOff) {
  const std::string open(100000, '[');
  const std::string close(100000, ']');
  EXPECT_TRUE(ReadChatFault(R"({"error": {"what": )" + open + close + "}}"));
}

TEST(ChatReplyTest, ContentMayBeAListOfParts) {
  EXPECT_EQ(ReadChatReply(R"({"choices": [{"message": {"content": [
      {"type": "text", "text": "a"}, {"type": "image"}, 7,
      {"type": "text", "text": "b"}]}}]})",
                          {})
                .value()
                .text,
            "ab");
}

std::string FaultOf(std::string_view body) {
  return ReadChatReply(body, {}).value().fault;
}

std::string ReplyError(std::string_view body) {
  const Result<ModelAnswer> answer = ReadChatReply(body, {});
  if (answer) return "no error";
  EXPECT_EQ(answer.error().code, Errc::kCorrupt);
  return answer.error().what;
}

TEST(ChatReplyTest, AnAnswerCutAtTheLimitSaysSoAndWhatItCost) {
  const ModelAnswer answer =
      ReadChatReply(R"({"choices": [{"finish_reason": "length",
          "message": {"content": "half"}}],
          "usage": {"prompt_tokens": 7, "completion_tokens": 9}})",
                    {0.0, 0.0, 1e6})
          .value();
  EXPECT_EQ(answer.fault,
            "the answer was cut at the output limit; raise max_output_tokens");
  EXPECT_EQ(answer.text, "half");
  EXPECT_EQ(answer.usage.output_tokens, 9);
  EXPECT_DOUBLE_EQ(answer.cost_usd.value(), 9.0);
}

TEST(ChatReplyTest, ARefusalIsQuoted) {
  EXPECT_EQ(FaultOf(R"({"choices": [{"message":
      {"content": null, "refusal": "I may not."}}]})"),
            "the model refused: I may not.");
}

TEST(ChatReplyTest, RepliesWithoutAnAnswerAreErrors) {
  EXPECT_THAT(ReplyError("<html>Bad gateway"),
              HasSubstr("the reply is not JSON: <html>Bad gateway"));
  EXPECT_THAT(ReplyError(""), HasSubstr("not JSON"));
  for (const char* body : {"7", "{}", R"({"choices": []})",
                           R"({"choices": null})", R"({"choices": {}})"}) {
    EXPECT_THAT(ReplyError(body), HasSubstr("no choices")) << body;
  }
  EXPECT_THAT(ReplyError(R"({"choices": [7]})"), HasSubstr("no message"));
}

TEST(ChatReplyTest, WhatWasPaidForIsAnAnswer) {
  EXPECT_EQ(FaultOf(R"({"choices": [], "usage": {"completion_tokens": 9}})"),
            "the reply has no choices");
  EXPECT_EQ(FaultOf(R"({"choices": [7], "usage": {"prompt_tokens": 9}})"),
            "the reply has no message");
  EXPECT_THAT(FaultOf(R"({"choices": [{"message": {"content": null}}]})"),
              HasSubstr("empty or withheld"));
  EXPECT_THAT(FaultOf(R"({"choices": [{"finish_reason": "content_filter",
                          "message": {"content": "x"}}]})"),
              HasSubstr("finish_reason \"content_filter\""));
  EXPECT_EQ(FaultOf(R"({"choices": [{"message": {"content": "x"}}]})"), "");
}

// "message|code|parameter".
std::string Fault(std::string_view body) {
  const std::optional<ChatFault> fault = ReadChatFault(body);
  if (!fault) return "none";
  return fault->message + "|" + fault->code + "|" + fault->parameter;
}

TEST(ChatFaultTest, ReadsTheFormsOfEveryServer) {
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
}

TEST(ChatFaultTest, OtherBodiesHaveNone) {
  EXPECT_EQ(Fault(""), "none");
  EXPECT_EQ(Fault("oops"), "none");
  EXPECT_EQ(Fault("[]"), "none");
  EXPECT_EQ(Fault(R"({"choices": []})"), "none");
  EXPECT_EQ(Fault(R"({"error": null})"), "none");
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
  EXPECT_FALSE(IsOutOfMoney({"Slow down", "rate_limit_exceeded", ""}));
}

}  // namespace
}  // namespace coppice::agents
