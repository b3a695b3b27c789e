#include "engine/service/arguments.h"

#include <gtest/gtest.h>

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
