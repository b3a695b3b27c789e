#include "engine/service/arguments.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace coppice::service {
namespace {

TEST(ArgumentsTest, AllThatIsWrongIsToldAtOnce) {
  Arguments arguments(
      R"({"wait_s": 99, "tier": "x", "budget": 1.5, "fast": 1, "tsk": "a"})");
  arguments.Text("task");
  arguments.Number("wait_s", 0, 55, 40);
  arguments.OneOf("tier", {"check", "full"});
  arguments.OptionalCount("budget", 1, 9);
  arguments.Flag("fast");
  const auto done = arguments.Done();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::kUsage);
  EXPECT_EQ(done.error().what,
            "task: missing; wait_s: expected a number from 0.0 to 55.0; "
            "tier: expected one of check, full; "
            "budget: expected a whole number from 1 to 9; "
            "fast: expected true or false; "
            "tsk: there is no such argument; did you mean task?");
}

TEST(ArgumentsTest, WhatIsLeftOutStandsForItsDefault) {
  Arguments arguments(R"({"task": "gemv", "path": null})");
  EXPECT_EQ(arguments.Text("task"), "gemv");
  EXPECT_EQ(arguments.OptionalText("path"), std::nullopt);
  EXPECT_EQ(arguments.Number("wait_s", 0, 55, 40), 40);
  EXPECT_EQ(arguments.OneOf("tier", {"fast", "check"}), "fast");
  EXPECT_TRUE(arguments.Done());
}

TEST(ArgumentsTest, PartsSayWhereTheyStand) {
  Arguments arguments(R"({"sources": [{"name": "a"}, {"nam": "b"}]})");
  for (Arguments& part : arguments.Objects("sources", 2, 8)) {
    part.Text("name");
    arguments.Join(part);
  }
  EXPECT_EQ(arguments.Done().error().what,
            "sources[1].name: missing; sources[1].nam: there is no such "
            "argument; did you mean name?");
}

TEST(ArgumentsTest, ANumberIsWithinItsBoundsAndACountIsWhole) {
  Arguments arguments(
      R"({"a": 0, "b": 55, "c": -0.1, "d": "1", "e": 3, "f": 3.0,)"
      R"( "g": 18446744073709551615, "h": 9})");
  EXPECT_EQ(arguments.Number("a", 0, 55, 40), 0);
  EXPECT_EQ(arguments.Number("b", 0, 55, 40), 55);
  EXPECT_EQ(arguments.Number("c", 0, 55, 40), 40);
  EXPECT_EQ(arguments.Number("d", 0, 55, 40), 40);
  EXPECT_EQ(arguments.OptionalCount("e", 1, 3), 3);
  EXPECT_EQ(arguments.OptionalCount("f", 1, 3), std::nullopt);
  EXPECT_EQ(arguments.OptionalCount("g", 0, INT64_MAX), std::nullopt);
  EXPECT_EQ(arguments.OptionalCount("h", 1, 3), std::nullopt);
  EXPECT_EQ(arguments.OptionalCount("i", 1, 3), std::nullopt);
  EXPECT_EQ(arguments.Done().error().what,
            "c: expected a number from 0.0 to 55.0; "
            "d: expected a number from 0.0 to 55.0; "
            "f: expected a whole number from 1 to 3; "
            "g: expected a whole number from 0 to 9223372036854775807; "
            "h: expected a whole number from 1 to 3");
}

TEST(ArgumentsTest, WhatIsAskedForAndIsNotOfItsKindIsAFaultOnce) {
  Arguments arguments(R"({"task": 7, "node": -1, "depth": 2, "fast": true})");
  EXPECT_EQ(arguments.Text("task"), "");
  EXPECT_EQ(arguments.Count("node", 0, 9), 0);
  EXPECT_EQ(arguments.Count("depth", 0, 9), 2);
  EXPECT_EQ(arguments.Count("child", 0, 9), 0);
  EXPECT_TRUE(arguments.Flag("fast"));
  EXPECT_FALSE(arguments.Flag("slow"));
  EXPECT_EQ(arguments.Done().error().what,
            "task: expected a text; node: expected a whole number from 0 to 9; "
            "child: missing");
}

TEST(ArgumentsTest, AnObjectWithinIsReadInTheSameWay) {
  Arguments arguments(R"({"usage": {"tokens": "x", "cots": 1}, "b": 7})");
  auto usage = arguments.OptionalObject("usage");
  ASSERT_TRUE(usage);
  usage->OptionalCount("tokens", 0, 9);
  usage->Number("cost", 0, 1, 0);
  arguments.Join(*usage);
  EXPECT_FALSE(arguments.OptionalObject("none"));
  EXPECT_FALSE(arguments.OptionalObject("b"));
  EXPECT_EQ(arguments.Done().error().what,
            "usage.tokens: expected a whole number from 0 to 9; "
            "usage.cots: there is no such argument; did you mean cost?; "
            "b: expected an object");
}

// What a stranger calls it is not repeated at length.
TEST(ArgumentsTest, ALongNameIsCut) {
  Arguments arguments(R"({")" + std::string(99, 'x') + R"(": 1})");
  EXPECT_EQ(arguments.Done().error().what,
            std::string(64, 'x') + ": there is no such argument");
}

TEST(ArgumentsTest, WhatIsNoObjectIsRefused) {
  for (const char* text : {"[]", "{", "7", "\xff",
                           R"({"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}})"}) {
    EXPECT_EQ(Arguments(text).Done().error().what,
              "the arguments are no JSON object")
        << text;
  }
  EXPECT_TRUE(Arguments("").Done());
}

}  // namespace
}  // namespace coppice::service
