#include "engine/inspector/post_body.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/inspector/inspector.h"

namespace coppice::inspector {
namespace {

constexpr const char* kForm = "send {\"db\": 0, \"c\": \"NAME\"}";

TEST(PostBodyTest, WhatIsNotOfTheFormIsToldTheForm) {
  for (const char* body : {"", "[]", "7", "{", R"({"db": -1})",
                           R"({"db": "0"})", R"({"db": 1.5})"}) {
    const auto parsed = ParseObject(body, kForm);
    ASSERT_FALSE(parsed) << body;
    EXPECT_EQ(parsed.error().code, Errc::kUsage);
    EXPECT_EQ(parsed.error().what, kForm);
  }
  for (const char* body : {"{}", R"({"c": 7})", R"({"c": null})"}) {
    EXPECT_TRUE(ParseObject(body, kForm)) << body;
    EXPECT_FALSE(ParsePosted(body, kForm)) << body;
  }
}

TEST(PostBodyTest, ACampaignIsOfTheFirstDatabaseUnlessAnotherIsNamed) {
  const Addressee first = AddresseeOf(*ParsePosted(R"({"c": "a"})", kForm));
  EXPECT_EQ(first.file, 0U);
  EXPECT_EQ(first.campaign, "a");
  EXPECT_EQ(FileOf(*ParseObject(R"({"db": null})", kForm)), 0U);
  EXPECT_EQ(AddresseeOf(*ParsePosted(R"({"db": 2, "c": "b"})", kForm)).file,
            2U);
}

TEST(PostBodyTest, AMemberIsOfItsKindOrNotThere) {
  const Json object = Json::parse(
      R"({"n": 3, "x": 1.5, "t": "text", "less": -1, "none": null})");
  EXPECT_EQ(**WholeIn(object, "n"), 3);
  EXPECT_FALSE(*WholeIn(object, "none"));
  EXPECT_FALSE(*WholeIn(object, "absent"));
  EXPECT_EQ(WholeIn(object, "less").error().what,
            "less: expected a whole number");
  EXPECT_EQ(WholeIn(object, "x").error().what, "x: expected a whole number");
  // The largest that a file has, and one more.
  EXPECT_EQ(**WholeIn(Json::parse(R"({"n": 9223372036854775807})"), "n"),
            INT64_MAX);
  EXPECT_FALSE(WholeIn(Json::parse(R"({"n": 9223372036854775808})"), "n"));
  EXPECT_EQ(**NumberIn(object, "x"), 1.5);
  EXPECT_EQ(**NumberIn(object, "n"), 3.0);
  EXPECT_FALSE(*NumberIn(object, "none"));
  EXPECT_EQ(NumberIn(object, "t").error().what, "t: expected a number");
  EXPECT_EQ(*TextIn(object, "t"), "text");
  EXPECT_EQ(*TextIn(object, "absent"), "");
  EXPECT_EQ(TextIn(object, "n").error().what, "n: expected a text");
  EXPECT_TRUE(MemberOf(object, "absent").is_null());
}

TEST(PostBodyTest, OnlyADatabaseOfTheServersIsWritten) {
  const engine::SystemClock clock;
  Inspector inspector(InspectorOptions{}, clock);
  const http::Request request{"POST", "/api/submit"};
  const auto opened = OpenToWrite({inspector, request}, 1);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::kNotFound);
  EXPECT_EQ(opened.error().what, "db=1: there is no such database");
}

}  // namespace
}  // namespace coppice::inspector
