#include "eval/formats/json_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace coppice::eval {
namespace {

std::string IntegerOr(const std::string& text) {
  const Json json = *ParseJson(text, "f.json");
  const auto number = Cursor(json, "f.json").NonNegativeInteger();
  return number ? std::to_string(*number) : number.error().what;
}

TEST(JsonCursorTest, IntegersMayBeWrittenAsFloatsOrStrings) {
  EXPECT_EQ(IntegerOr("3"), "3");
  EXPECT_EQ(IntegerOr("2.0"), "2");
  EXPECT_EQ(IntegerOr("\"3\""), "3");
  EXPECT_EQ(IntegerOr("true"), "1");
  EXPECT_EQ(IntegerOr("9223372036854775807"), "9223372036854775807");
}

TEST(JsonCursorTest, WhatIsNoSizeIsRefused) {
  const std::string refusal = "f.json: expected an integer >= 0";
  for (const char* text : {"-1", "2.5", "\"3x\"", "\"\"", "null",
                           "9223372036854775808", "1e300", "[]"}) {
    EXPECT_EQ(IntegerOr(text), refusal) << text;
  }
}

std::string NumberOr(const std::string& text) {
  const Json json = *ParseJson(text, "f.json");
  const auto number = Cursor(json, "f.json").Number();
  return number ? std::to_string(*number) : number.error().what;
}

TEST(JsonCursorTest, NumbersMayBeStringsAndNeedNotBeFinite) {
  EXPECT_EQ(NumberOr("1"), "1.000000");
  EXPECT_EQ(NumberOr("true"), "1.000000");
  EXPECT_EQ(NumberOr("\"0.5\""), "0.500000");
  EXPECT_EQ(NumberOr("\"NaN\""), "nan");
  EXPECT_EQ(NumberOr("\"Infinity\""), "inf");
  for (const char* text : {"null", "\"\"", "[]", "\"x\""}) {
    EXPECT_EQ(NumberOr(text), "f.json: expected a number") << text;
  }
}

std::string BoolOr(const std::string& text) {
  const Json json = *ParseJson(text, "f.json");
  const auto truth = Cursor(json, "f.json").Bool();
  return truth ? (*truth ? "true" : "false") : truth.error().what;
}

TEST(JsonCursorTest, TruthMayBeANumberOrAWord) {
  for (const char* yes : {"true", "1", "1.0", "\"yes\""}) {
    EXPECT_EQ(BoolOr(yes), "true") << yes;
  }
  for (const char* no : {"false", "0", "0.0", "\"OFF\""}) {
    EXPECT_EQ(BoolOr(no), "false") << no;
  }
  for (const char* bad : {"null", "2", "0.5", "\"\"", "{}"}) {
    EXPECT_EQ(BoolOr(bad), "f.json: expected a bool") << bad;
  }
}

// RFC 6901: "~" is written ~0 and "/" ~1.
TEST(JsonCursorTest, ErrorsPointIntoTheDocument) {
  const Json json = *ParseJson(R"({"a/b": [{"c~d": 1}]})", "f.json");
  const Cursor root(json, "f.json");
  const Cursor item = root.Member("a/b")->Items()->front();
  EXPECT_EQ(item.Member("c~d")->NonEmptyString().error().what,
            "f.json: /a~1b/0/c~0d: expected a string");
  EXPECT_EQ(item.Member("e").error().what, "f.json: /a~1b/0: \"e\" is missing");
}

TEST(JsonCursorTest, WhatIsNoObjectOrArrayHasNoParts) {
  for (const char* text : {"null", "3", "\"{}\"", "[]"}) {
    const Json json = *ParseJson(text, "f.json");
    const Cursor cursor(json, "f.json");
    EXPECT_FALSE(cursor.Find("a")) << text;
    EXPECT_EQ(cursor.Member("a").error().what, "f.json: expected an object");
    EXPECT_EQ(cursor.Members().error().what, "f.json: expected an object");
  }
  const Json object = *ParseJson(R"({"": 1})", "f.json");
  const Cursor cursor(object, "f.json");
  EXPECT_EQ(cursor.Items().error().what, "f.json: expected an array");
  EXPECT_EQ(cursor.NamedMembers().error().what, "f.json: has an empty name");
  EXPECT_TRUE(cursor.Members());
}

// "?" where it is none, and else what is wrong, behind the place.
template <class Read>
std::string OfMember(const std::string& value, const Read& read) {
  const Json json = *ParseJson("{\"k\": " + value + "}", "f");
  const auto got = read(Cursor(json, "f"));
  if (!got) return got.error().what;
  return *got ? testing::PrintToString(**got) : "?";
}

TEST(JsonCursorTest, AMemberThatMayBeLeftOutMayBeNull) {
  const auto text = [](const Cursor& c) { return c.OptionalString("k"); };
  const auto number = [](const Cursor& c) { return c.OptionalNumber("k"); };
  const auto truth = [](const Cursor& c) { return c.OptionalBool("k"); };
  EXPECT_EQ(OfMember("null, \"x\": 1", text), "?");
  EXPECT_EQ(OfMember("null", number), "?");
  EXPECT_EQ(OfMember("null", truth), "?");
  EXPECT_EQ(OfMember("\"\"", text), "\"\"");
  EXPECT_EQ(OfMember("0.5", number), "0.5");
  EXPECT_EQ(OfMember("false", truth), "false");
  EXPECT_EQ(OfMember("3", text), "f: /k: expected a string");
  EXPECT_EQ(OfMember("\"3\"", number), "f: /k: expected a number");
  EXPECT_EQ(OfMember("true", number), "f: /k: expected a number");
  EXPECT_EQ(OfMember("1", truth), "f: /k: expected a bool");
  const Json none = Json::object();
  EXPECT_FALSE(*Cursor(none, "f").OptionalNumber("k"));
  EXPECT_EQ(*Cursor(none, "f").StringOrEmpty("k"), "");
}

// A list may be left out, too, but it is not null; all in it are texts.
TEST(JsonCursorTest, OfAListEveryItemIsLookedAt) {
  const auto list = [](const std::string& value) {
    const Json json = *ParseJson("{\"k\": " + value + "}", "f");
    const auto got = Cursor(json, "f").StringsMember("k");
    return got ? std::to_string(got->size()) : got.error().what;
  };
  EXPECT_EQ(list("[]"), "0");
  EXPECT_EQ(list("[\"a\", \"a\"]"), "2");
  EXPECT_EQ(list("null"), "f: /k: expected an array");
  EXPECT_EQ(list("[\"a\", 1]"), "f: /k/1: expected a string");
  EXPECT_EQ(list("[\"\"]"), "f: /k/0: expected a string that is not empty");
  const Json json = *ParseJson("[\"\", null]", "f");
  EXPECT_EQ(Cursor(json, "f").Strings().error().what,
            "f: /1: expected a string");
}

TEST(JsonCursorTest, AnUnknownWordIsQuoted) {
  constexpr std::string_view kWords[] = {"one", "two"};
  const auto index = [&](const std::string& value) {
    const Json json = *ParseJson(value, "f");
    const auto got = Cursor(json, "f").OneOf(kWords);
    return got ? std::to_string(*got) : got.error().what;
  };
  EXPECT_EQ(index("\"two\""), "1");
  EXPECT_EQ(index("\"Two\""), "f: unknown value \"Two\"");
  EXPECT_EQ(index("\"\""), "f: expected a string that is not empty");
  EXPECT_EQ(index("1"), "f: expected a string");
}

// A document that was said in other words keeps the places of the user's.
TEST(JsonCursorTest, AnotherValueMayStandAtAPlace) {
  const Json json = *ParseJson(R"({"a": {"b": 1}})", "f");
  const Json other = *ParseJson(R"({"in": {"c": 2}, "d": 3})", "other");
  const Cursor place = *Cursor(json, "f").Member("a");
  EXPECT_EQ(place.Of(other).Member("d")->String().error().what,
            "f: /a/d: expected a string");
  const Cursor around = place.Around(other, "in");
  EXPECT_EQ(around.Member("in")->Member("c")->String().error().what,
            "f: /a/c: expected a string");
  EXPECT_EQ(around.Member("d")->String().error().what,
            "f: /a/d: expected a string");
}

TEST(JsonCursorTest, MembersKeepTheirOrder) {
  const Json json = *ParseJson(R"({"z": 1, "a": 2, "m": 3})", "f.json");
  const auto members = Cursor(json, "f.json").Members();
  std::vector<std::string> names;
  for (const auto& [name, member] : *members) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("z", "a", "m"));
}

TEST(JsonCursorTest, BrokenTextIsNamedWithItsPlace) {
  const Result<Json> json = ParseJson("{\"a\": 1,\n \"b\" 2}", "f.json");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, Errc::kCorrupt);
  EXPECT_THAT(json.error().what,
              testing::StartsWith("f.json: not JSON: parse error at line 2"));
}

TEST(JsonCursorTest, AZeroByteDoesNotEndTheText) {
  const std::string text("{}\0[", 4);
  EXPECT_EQ(ParseJson(text, "f.json").error().what,
            "f.json: not JSON: it has a zero byte");
}

TEST(JsonCursorTest, WhatIsNestedTooDeepIsRefused) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + "\"[{\\\"[\"" + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(nested(200), "f.json"));
  EXPECT_EQ(ParseJson(nested(201), "f.json").error().what,
            "f.json: not JSON: nested over 200 deep");
  EXPECT_FALSE(ParseJson(nested(1 << 20), "f.json"));
}

// What the parser quotes is left out where it is long.
TEST(ParseJsonTest, ALongTextThatDoesNotEndIsNotQuoted) {
  const auto cut = ParseJson("\"" + std::string(1000, 'a'), "f.json");
  ASSERT_FALSE(cut.has_value());
  EXPECT_EQ(cut.error().what,
            "f.json: not JSON: parse error at line 1, column 1002: syntax "
            "error while parsing value - invalid string: missing closing "
            "quote");
}

}  // namespace
}  // namespace coppice::eval
