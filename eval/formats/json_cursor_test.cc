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
