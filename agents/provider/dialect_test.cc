#include "agents/provider/dialect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace coppice::agents {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ModelRequest Request() {
  ModelRequest request;
  request.system_prompt = "Be quick.";
  request.user_prompt = "Go.";
  request.sampling.max_output_tokens = 100;
  return request;
}

BodyOptions Options() {
  BodyOptions options;
  options.model = "m";
  options.stream = false;
  return options;
}

std::string Body(const Dialect& dialect, const BodyOptions& options) {
  return dialect.Body(Request(), options).text;
}

Reply Streamed(const Dialect& dialect, const std::vector<std::string>& data) {
  Reply reply;
  for (const std::string& event : data) dialect.ReadEvent({"", event}, reply);
  return reply;
}

Reply Whole(const Dialect& dialect, std::string_view body) {
  Reply reply;
  EXPECT_TRUE(dialect.ReadWhole(body, reply)) << body;
  return reply;
}

// "input/cached/written -> output/reasoning".
std::string Tokens(const Usage& usage) {
  return std::to_string(usage.input_tokens) + "/" +
         std::to_string(usage.cached_input_tokens) + "/" +
         std::to_string(usage.cache_write_tokens) + " -> " +
         std::to_string(usage.output_tokens) + "/" +
         std::to_string(usage.reasoning_tokens);
}

TEST(ChatDialectTest, SendsNoMoreThanIsAskedFor) {
  EXPECT_EQ(Body(ChatDialect(), Options()),
            R"({"max_tokens":100,"messages":[)"
            R"({"content":"Be quick.","role":"system"},)"
            R"({"content":"Go.","role":"user"}],"model":"m"})");
  BodyOptions options = Options();
  options.output_limit = "max_completion_tokens";
  options.stream = true;
  EXPECT_THAT(Body(ChatDialect(), options),
              AllOf(HasSubstr(R"("max_completion_tokens":100)"),
                    HasSubstr(R"("stream":true)"),
                    HasSubstr(R"("stream_options":{"include_usage":true})")));
}

TEST(ChatDialectTest, SamplingIsSentWhereItIsSetAndNotRefused) {
  ModelRequest request = Request();
  request.sampling.temperature = 0.5;
  request.sampling.top_p = 0.25;
  EXPECT_THAT(
      ChatDialect().Body(request, Options()).text,
      AllOf(HasSubstr(R"("temperature":0.5)"), HasSubstr(R"("top_p":0.25)")));
  BodyOptions refused = Options();
  refused.temperature = refused.top_p = false;
  refused.output_limit.clear();
  for (const Dialect* dialect :
       {&ChatDialect(), &ResponsesDialect(), &MessagesDialect()}) {
    EXPECT_THAT(dialect->Body(request, refused).text,
                AllOf(Not(HasSubstr("temperature")), Not(HasSubstr("top_p"))));
  }
}

// "temperature top_p max_output_tokens effort", "-" for what was not sent.
std::string Text(const SentSampling& sent) {
  std::ostringstream text;
  const auto add = [&text](const auto& value) {
    if (text.tellp() > 0) text << " ";
    value ? text << *value : text << "-";
  };
  add(sent.temperature);
  add(sent.top_p);
  add(sent.max_output_tokens);
  add(sent.effort);
  return text.str();
}

TEST(DialectTest, ABodyComesWithTheSamplingThatItSays) {
  ModelRequest request = Request();
  BodyOptions options = Options();
  const auto sent = [&](const Dialect& dialect) {
    return Text(dialect.Body(request, options).sampling);
  };
  EXPECT_EQ(sent(ChatDialect()), "- - 100 -");
  request.sampling.temperature = 1.5;
  request.sampling.top_p = 0.25;
  request.sampling.effort = "high";
  EXPECT_EQ(sent(ChatDialect()), "1.5 0.25 100 high");
  EXPECT_EQ(sent(ResponsesDialect()), "1.5 0.25 100 high");
  EXPECT_EQ(sent(MessagesDialect()),
            "1 0.25 100 high");  // Its scale ends at 1.
  options.temperature = options.top_p = false;
  options.output_limit.clear();
  EXPECT_EQ(sent(ChatDialect()), "- - - high");
}

TEST(DialectTest, AnEffortHasItsPlaceInEachBody) {
  ModelRequest request = Request();
  request.sampling.effort = "high";
  EXPECT_THAT(ChatDialect().Body(request, Options()).text,
              HasSubstr(R"("reasoning_effort":"high")"));
  BodyOptions nested = Options();
  nested.nested_effort = true;
  EXPECT_THAT(ChatDialect().Body(request, nested).text,
              HasSubstr(R"("reasoning":{"effort":"high"})"));
  EXPECT_THAT(ResponsesDialect().Body(request, Options()).text,
              HasSubstr(R"("reasoning":{"effort":"high"})"));
  EXPECT_THAT(MessagesDialect().Body(request, Options()).text,
              HasSubstr(R"("output_config":{"effort":"high"})"));
}

TEST(DialectTest, TheServersWordForTheModelIsRead) {
  EXPECT_EQ(
      Streamed(ChatDialect(), {R"({"model":"a-1","choices":[]})", "{}"}).model,
      "a-1");
  EXPECT_EQ(Whole(ChatDialect(),
                  R"({"model":"a-1","choices":[{"message":{"content":"x"}}]})")
                .model,
            "a-1");
  EXPECT_EQ(
      Streamed(ResponsesDialect(), {R"({"type":"response.created","response":
                          {"model":"a-1"}})"})
          .model,
      "a-1");
  EXPECT_EQ(Whole(ResponsesDialect(), R"({"model":"a-1","output":[]})").model,
            "a-1");
  EXPECT_EQ(Streamed(MessagesDialect(),
                     {R"({"type":"message_start","message":{"model":"a-1"}})"})
                .model,
            "a-1");
  EXPECT_EQ(Whole(MessagesDialect(), R"({"model":"a-1","content":[]})").model,
            "a-1");
}

// A character may be cut in two by the output limit or between two events.
TEST(ChatDialectTest, WhatIsNoCharacterDoesNotLoseTheRest) {
  const auto text = [](const std::string& content) {
    return Streamed(ChatDialect(), {R"({"choices":[{"delta":{"content":")" +
                                    content + R"("}}]})"})
        .text;
  };
  EXPECT_EQ(text("a\xF0\x9F z"), "a\uFFFD z");
  EXPECT_EQ(text("a\\ud83d z"), "a\uFFFD z");
  EXPECT_EQ(text("a\\ude00"), "a\uFFFD");
  EXPECT_EQ(text("\\ud83d\\ud83d\\ude00"), "\uFFFD\U0001F600");
  EXPECT_EQ(text("\\\\ud83d \\ud83d"), "\\ud83d \uFFFD");
}

TEST(ChatDialectTest, PromptsThatAreNotUtf8AreMadeSo) {
  ModelRequest request = Request();
  request.user_prompt = "a\xFFz";
  EXPECT_THAT(ChatDialect().Body(request, Options()).text,
              HasSubstr("a\xEF\xBF\xBDz"));
}

TEST(ChatDialectTest, AStreamIsPutTogether) {
  const Reply reply = Streamed(
      ChatDialect(),
      {R"({"choices":[{"delta":{"role":"assistant","content":""},
           "finish_reason":null}]})",
       R"({"choices":[{"delta":{"reasoning_content":"Hmm."}}]})",
       R"({"choices":[{"delta":{"content":"Hel"}}]})",
       R"({"choices":[{"delta":{"content":"lo"}}]})",
       R"({"choices":[{"delta":{},"finish_reason":"stop"}]})",
       R"({"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":9,
           "prompt_tokens_details":{"cached_tokens":600,
           "cache_write_tokens":100},
           "completion_tokens_details":{"reasoning_tokens":4}}})",
       "[DONE]"});
  EXPECT_EQ(reply.text, "Hello");
  EXPECT_EQ(reply.finish, Finish::kWhole);
  EXPECT_EQ(reply.unseen_characters, 4);
  EXPECT_TRUE(reply.has_usage);
  EXPECT_EQ(Tokens(reply.usage), "1000/600/100 -> 9/4");
}

TEST(ChatDialectTest, AStreamWithoutItsEndIsNotFinished) {
  const std::string chunk = R"({"choices":[{"delta":{"content":"Hel"}}]})";
  EXPECT_EQ(Streamed(ChatDialect(), {chunk}).finish, Finish::kNotYet);
  // Some servers name no reason, and some leave out [DONE].
  EXPECT_EQ(Streamed(ChatDialect(), {chunk, "[DONE]"}).finish, Finish::kWhole);
}

TEST(ChatDialectTest, NonsenseInAStreamIsIgnored) {
  const Reply reply = Streamed(
      ChatDialect(), {"oops", "7", "[]", "{}", R"({"choices":null})",
                      R"({"choices":[7]})", R"({"choices":[{"delta":7}]})",
                      R"({"usage":7})", R"({"choices":[{"delta":
                          {"content":{"text":"x"}}}]})"});
  EXPECT_EQ(reply.text, "");
  EXPECT_FALSE(reply.has_usage);
}

TEST(ChatDialectTest, AnErrorInAStreamIsOne) {
  const Reply reply =
      Streamed(ChatDialect(),
               {R"({"error":{"code":429,"message":"Slow"},"choices":[]})"});
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->message, "Slow");
}

TEST(ChatDialectTest, AWholeReplyMayLackAnything) {
  EXPECT_EQ(Whole(ChatDialect(), R"({"choices":[{"message":
              {"content":"x"}}]})")
                .finish,
            Finish::kWhole);
  EXPECT_EQ(Whole(ChatDialect(), R"({"choices":[{"message":{"content":
              [{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]})")
                .text,
            "ab");
  EXPECT_EQ(Whole(ChatDialect(), R"({"choices":[{"message":{"content":"x"}}],
              "usage":{"prompt_tokens":9,"cost":0.25}})")
                .cost_usd,
            0.25);
  Reply none;
  for (const char* body : {"", "<html>", "7", "{}", R"({"choices":[]})",
                           R"({"choices":{}})", R"({"choices":[7]})"}) {
    EXPECT_FALSE(ChatDialect().ReadWhole(body, none)) << body;
  }
}

TEST(ChatDialectTest, CountsThatAreNoneAreZero) {
  for (const char* count : {"-1", "1e300", "null", "\"9\"", "[]"}) {
    EXPECT_EQ(Whole(ChatDialect(),
                    R"({"choices":[{"message":{"content":"x"}}],"usage":
                        {"completion_tokens":2,"prompt_tokens":)" +
                        std::string(count) + "}}")
                  .usage.input_tokens,
              0)
        << count;
  }
}

std::string ChatShortcoming(const std::string& message,
                            const std::string& reason) {
  return Shortcoming(
      Whole(ChatDialect(), R"({"choices":[{"message":)" + message +
                               R"(,"finish_reason":")" + reason + "\"}]}"));
}

TEST(ChatDialectTest, WhatIsNoWholeAnswerSaysWhy) {
  EXPECT_EQ(ChatShortcoming(R"({"content":"x"})", "stop"), "");
  EXPECT_EQ(ChatShortcoming(R"({"content":"x"})", "eos"), "");
  EXPECT_THAT(ChatShortcoming(R"({"content":"x"})", "length"),
              HasSubstr("cut at the output limit"));
  EXPECT_THAT(ChatShortcoming(R"({"content":"x"})", "content_filter"),
              HasSubstr("refused to answer, \"content_filter\""));
  EXPECT_EQ(ChatShortcoming(R"({"content":null,"refusal":"No."})", "stop"),
            "the model refused: No.");
  EXPECT_THAT(ChatShortcoming(R"({"content":null})", "stop"),
              HasSubstr("empty or withheld"));
}

TEST(ResponsesDialectTest, SendsNoMoreThanIsAskedFor) {
  EXPECT_EQ(Body(ResponsesDialect(), Options()),
            R"({"input":"Go.","instructions":"Be quick.",)"
            R"("max_output_tokens":100,"model":"m","store":false})");
}

TEST(ResponsesDialectTest, AStreamIsPutTogether) {
  const Reply reply = Streamed(
      ResponsesDialect(),
      {R"({"type":"response.created","response":{"status":"in_progress"}})",
       R"({"type":"response.reasoning_summary_text.delta","delta":"Hmm."})",
       R"({"type":"response.output_text.delta","delta":"Hel"})",
       R"({"type":"response.output_text.delta","delta":"lo"})",
       R"({"type":"response.completed","response":{"status":"completed",
           "output":[{"type":"message","content":[{"type":"output_text",
           "text":"Hello"}]}],"usage":{"input_tokens":10,"output_tokens":5,
           "input_tokens_details":{"cached_tokens":4},
           "output_tokens_details":{"reasoning_tokens":3}}}})"});
  EXPECT_EQ(reply.text, "Hello");
  EXPECT_EQ(reply.finish, Finish::kWhole);
  EXPECT_EQ(reply.unseen_characters, 4);
  EXPECT_EQ(Tokens(reply.usage), "10/4/0 -> 5/3");
}

TEST(ResponsesDialectTest, AWholeReplyHasItsTextInParts) {
  const Reply reply = Whole(ResponsesDialect(),
                            R"({"status":"incomplete","incomplete_details":
      {"reason":"max_output_tokens"},"error":null,"output":[
      {"type":"reasoning","content":[{"text":"Hmm."}]},
      {"type":"message","content":[{"type":"output_text","text":"a"},
                                   {"type":"output_text","text":"b"}]}]})");
  EXPECT_EQ(reply.text, "ab");
  EXPECT_EQ(reply.finish, Finish::kCut);
  EXPECT_FALSE(reply.error);
}

TEST(ResponsesDialectTest, AFailureIsAnError) {
  for (const char* event :
       {R"({"type":"response.failed","response":{"status":"failed","error":
            {"code":"server_error","message":"Oops"}}})",
        R"({"type":"error","code":"server_error","message":"Oops"})",
        R"({"type":"error","error":{"code":"server_error",
            "message":"Oops"}})"}) {
    const Reply reply = Streamed(ResponsesDialect(), {event});
    ASSERT_TRUE(reply.error) << event;
    EXPECT_EQ(reply.error->message, "Oops") << event;
    EXPECT_EQ(StatusOf(*reply.error), 500) << event;
  }
}

TEST(MessagesDialectTest, SystemAndStablePrefixAreCached) {
  ModelRequest request = Request();
  request.user_prompt = "Example. Go.";
  request.stable_prefix_bytes = 9;
  request.sampling.temperature = 1.5;
  EXPECT_EQ(MessagesDialect().Body(request, Options()).text,
            R"({"max_tokens":100,"messages":[{"content":[)"
            R"({"cache_control":{"type":"ephemeral"},"text":"Example. ",)"
            R"("type":"text"},{"text":"Go.","type":"text"}],"role":"user"}],)"
            R"("model":"m","system":[{"cache_control":{"type":"ephemeral"},)"
            R"("text":"Be quick.","type":"text"}],"temperature":1.0})");
  request.stable_prefix_bytes = 1000;  // More than there is: all of it.
  EXPECT_THAT(MessagesDialect().Body(request, Options()).text,
              HasSubstr(R"("text":"Example. Go.")"));
}

TEST(MessagesDialectTest, AStreamIsPutTogether) {
  const Reply reply = Streamed(
      MessagesDialect(),
      {R"({"type":"message_start","message":{"usage":{"input_tokens":10,
           "cache_creation_input_tokens":20,"cache_read_input_tokens":30,
           "output_tokens":1}}})",
       R"({"type":"content_block_start","index":0,"content_block":
           {"type":"thinking","thinking":""}})",
       R"({"type":"content_block_delta","index":0,"delta":
           {"type":"thinking_delta","thinking":"Hmm."}})",
       R"({"type":"content_block_start","index":1,"content_block":
           {"type":"text","text":""}})",
       R"({"type":"ping"})",
       R"({"type":"content_block_delta","index":1,"delta":
           {"type":"text_delta","text":"Hel"}})",
       R"({"type":"content_block_delta","index":1,"delta":
           {"type":"text_delta","text":"lo"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},
           "usage":{"output_tokens":7,"output_tokens_details":
           {"thinking_tokens":3}}})",
       R"({"type":"message_stop"})"});
  EXPECT_EQ(reply.text, "Hello");
  EXPECT_EQ(reply.finish, Finish::kWhole);
  EXPECT_EQ(reply.unseen_characters, 4);
  EXPECT_EQ(Tokens(reply.usage), "60/30/20 -> 7/3");  // 10 + 20 + 30.
}

TEST(MessagesDialectTest, AWholeReplyHasBlocks) {
  const Reply reply = Whole(MessagesDialect(),
                            R"({"type":"message","stop_reason":"max_tokens",
      "content":[{"type":"thinking","thinking":""},
                 {"type":"text","text":"a"},{"type":"text","text":"b"}],
      "usage":{"input_tokens":3,"output_tokens":2}})");
  EXPECT_EQ(reply.text, "ab");
  EXPECT_EQ(reply.finish, Finish::kCut);
  EXPECT_EQ(Tokens(reply.usage), "3/0/0 -> 2/0");
}

TEST(MessagesDialectTest, ARefusalSaysItsCategory) {
  const Reply reply =
      Streamed(MessagesDialect(),
               {R"({"type":"message_delta","delta":{"stop_reason":"refusal",
           "stop_details":{"category":"cyber","explanation":"No."}}})"});
  EXPECT_EQ(Shortcoming(reply),
            "the model or a filter refused to answer, \"refusal: cyber: No.\"");
}

TEST(MessagesDialectTest, AnErrorEventIsAnError) {
  const Reply reply = Streamed(MessagesDialect(), {R"({"type":"error","error":
          {"type":"overloaded_error","message":"Overloaded"}})"});
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(StatusOf(*reply.error), 529);
}

TEST(DialectTest, KeysGoIntoTheHeaderOfTheDialect) {
  EXPECT_THAT(ChatDialect().Headers("k"),
              testing::ElementsAre("Authorization: Bearer k"));
  EXPECT_THAT(ChatDialect().Headers(""), testing::ElementsAre());
  EXPECT_THAT(
      MessagesDialect().Headers("k"),
      testing::ElementsAre("anthropic-version: 2023-06-01", "x-api-key: k"));
}

TEST(DialectTest, AnAnswerIsHeldToASchemaWhereThatIsOffered) {
  BodyOptions options = Options();
  options.structured = true;
  for (const Dialect* dialect :
       {&ChatDialect(), &ResponsesDialect(), &MessagesDialect()}) {
    EXPECT_THAT(Body(*dialect, options),
                AllOf(HasSubstr(R"("type":"json_schema")"),
                      HasSubstr(R"("additionalProperties":false)"),
                      HasSubstr("one JSON object")))
        << dialect->Path();
  }
}

}  // namespace
}  // namespace coppice::agents
