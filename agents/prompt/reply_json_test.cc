#include "agents/prompt/reply_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace coppice::agents {
namespace {

using nlohmann::json;

// What a string of JSON says, or "none".
std::string StringIn(std::string_view body) {
  const json parsed = ParseReply(body);
  return parsed.is_string() ? parsed.get<std::string>() : "none";
}

// U+FFFD is EF BF BD in UTF-8; U+1F600 is the pair D83D DE00.
TEST(ParseReplyTest, HalfACharacterBecomesAReplacement) {
  EXPECT_EQ(StringIn(R"("ab")"), "ab");
  EXPECT_EQ(StringIn(R"("\ud83d\ude00")"), "\U0001F600");
  EXPECT_EQ(StringIn(R"("a\ud83d")"), "a\uFFFD");
  EXPECT_EQ(StringIn(R"("\ude00b")"), "\uFFFDb");
  // Two first halves, the second of which is whole.
  EXPECT_EQ(StringIn(R"("\ud83d\ud83d\ude00")"), "\uFFFD\U0001F600");
  EXPECT_EQ(StringIn("\"caf\xc3\""), "caf\uFFFD");
  EXPECT_EQ(StringIn("\"\xff\xfe\""), "\uFFFD\uFFFD");
  // A backslash that is said, and four letters; here beside half a character.
  EXPECT_EQ(StringIn(R"("\\ud83d\ud83d")"), "\\ud83d\uFFFD");
}

TEST(ParseReplyTest, WhatIsNoJsonIsDiscarded) {
  for (const char* body :
       {"", "oops", "{", "[1,", "\"a", "{\"a\":}", "1 2", "{'a': 1}", "\xff"}) {
    EXPECT_TRUE(ParseReply(body).is_discarded()) << body;
  }
  // However deep: a parser by recursion would not come back.
  EXPECT_TRUE(ParseReply(std::string(200000, '[')).is_discarded());
  EXPECT_NO_FATAL_FAILURE(
      ParseReply(std::string(200000, '[') + std::string(200000, ']')));
}

TEST(ParseEventTest, APartOfAnObjectIsDamageAndOtherWordsAreNone) {
  for (const auto& [event, damaged] :
       {std::pair("{\"a\": 1}", false), std::pair("{\"a\": ", true),
        std::pair("[DONE]", false), std::pair("", false),
        std::pair(": ping", false)}) {
    Reply reply;
    ParseEvent(event, reply);
    EXPECT_EQ(reply.is_damaged, damaged) << event;
  }
}

TEST(MemberTest, NullIsNoMember) {
  const json object = json::parse(R"({"a": null, "b": 0, "c": {"d": 7}})");
  EXPECT_EQ(Member(&object, "a"), nullptr);
  EXPECT_EQ(Member(&object, "z"), nullptr);
  ASSERT_NE(Member(&object, "b"), nullptr);
  EXPECT_EQ(CountOf(Member(&object, "c"), "d"), 7);
  // What is no object has no members.
  EXPECT_EQ(Member(nullptr, "a"), nullptr);
  const json list = json::parse("[1]");
  EXPECT_EQ(Member(&list, "a"), nullptr);
}

TEST(TextOfTest, StringsAndWholeNumbersSaySomething) {
  const auto text = [](const char* body) {
    const json value = json::parse(body);
    return TextOf(&value);
  };
  EXPECT_EQ(text(R"("x")"), "x");
  EXPECT_EQ(text("503"), "503");
  EXPECT_EQ(text("-1"), "-1");
  for (const char* other : {"1.5", "true", "null", "[]", "{}"}) {
    EXPECT_EQ(text(other), "") << other;
  }
  EXPECT_EQ(TextOf(nullptr), "");
}

// 2^53 = 9007199254740992 is the last count that a double holds exactly.
TEST(CountOfTest, OnlyWhatCanBeACountIsOne) {
  const auto count = [](const std::string& value) {
    const json object = json::parse("{\"n\": " + value + "}");
    return CountOf(&object, "n");
  };
  EXPECT_EQ(count("7"), 7);
  EXPECT_EQ(count("7.0"), 7);
  EXPECT_EQ(count("9007199254740992"), 9007199254740992);
  for (const char* none : {"0", "-7", "9007199254740994", "1e300",
                           "18446744073709551615", "\"7\"", "null", "[7]"}) {
    EXPECT_EQ(count(none), 0) << none;
  }
}

TEST(DollarsOfTest, FreeIsAPriceAndADebtIsNone) {
  const json object = json::parse(
      R"({"free": 0, "some": 0.25, "debt": -1, "text": "1", "none": null})");
  EXPECT_EQ(DollarsOf(&object, "free"), 0.0);
  EXPECT_EQ(DollarsOf(&object, "some"), 0.25);
  for (const char* name : {"debt", "text", "none", "other"}) {
    EXPECT_EQ(DollarsOf(&object, name), std::nullopt) << name;
  }
}

TEST(AddUsageTest, SumsStayExact) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  Usage sum, usage;
  usage.input_tokens = 5;
  usage.output_tokens = kMost - 1;
  AddUsage(usage, sum);
  AddUsage(usage, sum);
  EXPECT_EQ(sum.input_tokens, 10);
  EXPECT_EQ(sum.output_tokens, kMost);
  EXPECT_EQ(sum.reasoning_tokens, 0);
}

// A part is never more than the whole, whatever a server says.
TEST(ReadTokensTest, PartsFitInTheWhole) {
  const auto read = [](const char* usage) {
    Reply reply;
    ReadTokens(json::parse(usage), "prompt_tokens", "completion_tokens", reply);
    const Usage& u = reply.usage;
    return std::to_string(u.input_tokens) + ":" +
           std::to_string(u.cached_input_tokens) + "+" +
           std::to_string(u.cache_write_tokens) + " " +
           std::to_string(u.output_tokens) + ":" +
           std::to_string(u.reasoning_tokens) +
           (reply.has_usage ? "" : " none");
  };
  EXPECT_EQ(read(R"({"prompt_tokens": 10, "completion_tokens": 4})"),
            "10:0+0 4:0");
  EXPECT_EQ(read(R"({"prompt_tokens": 10, "completion_tokens": 4,
                     "prompt_tokens_details": {"cached_tokens": 6,
                                               "cache_write_tokens": 3},
                     "completion_tokens_details": {"reasoning_tokens": 1}})"),
            "10:6+3 4:1");
  // 8 of 10 are left for what was written, and of 4 no more than 4.
  EXPECT_EQ(read(R"({"prompt_tokens": 10, "completion_tokens": 4,
                     "prompt_tokens_details": {"cached_tokens": 2,
                                               "cache_write_tokens": 30},
                     "completion_tokens_details": {"reasoning_tokens": 9}})"),
            "10:2+8 4:4");
  EXPECT_EQ(read(R"({"prompt_tokens": 1, "completion_tokens": -4,
                     "prompt_tokens_details": null})"),
            "1:0+0 0:0");
  EXPECT_EQ(read(R"({"total_tokens": 10})"), "0:0+0 0:0 none");
}

TEST(ReadModelTest, APartThatNamesNoneLeavesTheName) {
  Reply reply;
  for (const char* part : {R"({"model": "m-1"})", R"({"model": ""})",
                           R"({"model": null})", R"({"id": 3})"}) {
    const json parsed = json::parse(part);
    ReadModel(&parsed, reply);
    EXPECT_EQ(reply.model, "m-1") << part;
  }
}

TEST(SoundArgumentsTest, WhatIsNoObjectBecomesAnEmptyOne) {
  EXPECT_EQ(SoundArguments(R"({"a": 1})").dump(), R"({"a":1})");
  for (const char* text : {"", "{", "7", "[1]", "null", "{\"a\": "}) {
    EXPECT_EQ(SoundArguments(text).dump(), "{}") << text;
  }
}

TEST(KeptItemsTest, WhatWasKeptIsAListAgain) {
  Reply reply;
  EXPECT_EQ(KeptItems(reply.kept).dump(), "[]");
  Keep(R"({"a":1})", reply);
  Keep(R"({"b":"x,y"})", reply);
  EXPECT_EQ(KeptItems(reply.kept).dump(), R"([{"a":1},{"b":"x,y"}])");
  EXPECT_EQ(KeptItems("{\"a\":").dump(), "[]");
}

TEST(CallAtTest, TheServersNumbersSayWhichCallGoesOn) {
  Reply reply;
  CallAt(4, reply).name = "read";
  CallAt(2, reply).name = "write";
  CallAt(4, reply).arguments += "{}";
  ASSERT_EQ(reply.calls.size(), 2U);
  EXPECT_EQ(reply.calls[0].call.name, "read");
  EXPECT_EQ(reply.calls[0].call.arguments, "{}");
  EXPECT_EQ(reply.calls[1].call.arguments, "");
}

TEST(CallsToolsTest, OnlyAWholeReplyCallsThem) {
  for (const auto& [finish, calls] :
       {std::pair(Finish::kCalls, true), std::pair(Finish::kWhole, true),
        std::pair(Finish::kCut, false), std::pair(Finish::kNotYet, false),
        std::pair(Finish::kRefused, false)}) {
    Reply reply;
    reply.finish = finish;
    EXPECT_FALSE(CallsTools(reply));
    CallAt(0, reply).name = "read";
    EXPECT_EQ(CallsTools(reply), calls) << static_cast<int>(finish);
    reply.refusal = "no";
    EXPECT_FALSE(CallsTools(reply));
  }
}

TEST(ShortcomingTest, SaysWhatAnAnswerLacks) {
  const auto lacks = [](Finish finish, const char* text,
                        const char* refusal = "") {
    Reply reply;
    reply.finish = finish;
    reply.text = text;
    reply.refusal = refusal;
    reply.reason = "why";
    return Shortcoming(reply);
  };
  EXPECT_EQ(lacks(Finish::kWhole, "x"), "");
  EXPECT_EQ(lacks(Finish::kWhole, "x", "I will not"),
            "the model refused: I will not");
  const std::string empty =
      "the answer is empty or withheld, finish_reason \"why\"";
  EXPECT_EQ(lacks(Finish::kWhole, ""), empty);
  EXPECT_EQ(lacks(Finish::kNotYet, "x"), empty);
  EXPECT_EQ(lacks(Finish::kCalls, "x"), empty);
  EXPECT_EQ(lacks(Finish::kCut, "x"),
            "the answer was cut at the output limit; raise max_output_tokens");
  EXPECT_EQ(lacks(Finish::kRefused, "x"),
            "the model or a filter refused to answer, \"why\"");
}

}  // namespace
}  // namespace coppice::agents
