#include "engine/inspector/query_parameters.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/inspector/inspector.h"

namespace coppice::inspector {
namespace {

// A server without a database.
class QueryParametersTest : public ::testing::Test {
 protected:
  QueryParameters Asked(std::string_view query) {
    request_.query = *http::ParseQuery(query);
    return {inspector_, request_};
  }
  std::string Complaint(std::string_view query) {
    const auto number = Asked(query).Count("n");
    EXPECT_FALSE(number) << query;
    if (number) return "";
    EXPECT_EQ(number.error().code, Errc::kUsage);
    return number.error().what;
  }

  const engine::SystemClock clock_{};
  Inspector inspector_{InspectorOptions{}, clock_};
  http::Request request_{"GET", "/api/x"};
};

TEST_F(QueryParametersTest, ANumberIsWholeAndNotBelowZero) {
  EXPECT_EQ(*Asked("n=7").Count("n"), 7);
  EXPECT_EQ(*Asked("n=0").Count("n"), 0);
  EXPECT_EQ(Complaint("n=-1"), "n=-1: give a whole number, 0 or more");
  EXPECT_EQ(Complaint("n=7x"), "n=7x: give a whole number, 0 or more");
  EXPECT_EQ(Complaint("n=1.5"), "n=1.5: give a whole number, 0 or more");
  EXPECT_EQ(Complaint("n=9223372036854775808"),
            "n=9223372036854775808: give a whole number, 0 or more");
  EXPECT_EQ(Complaint("m=7"), "n is missing: /api/x?n=NUMBER");
}

TEST_F(QueryParametersTest, WhatIsLeftOutOrEmptyIsTheDefault) {
  EXPECT_EQ(*Asked("").CountOr("n", 5), 5);
  EXPECT_EQ(*Asked("n=").CountOr("n", 5), 5);
  EXPECT_EQ(*Asked("n=6").CountOr("n", 5), 6);
  EXPECT_FALSE(Asked("n=x").CountOr("n", 5));
  EXPECT_EQ(Asked("").TextOr("q", "all"), "all");
  EXPECT_EQ(Asked("q=").TextOr("q", "all"), "all");
  EXPECT_EQ(Asked("q=a+b").TextOr("q", "all"), "a b");
}

TEST_F(QueryParametersTest, TheFirstDatabaseIsMeantUnlessAnotherIsNamed) {
  EXPECT_EQ(*Asked("").File(), 0U);
  EXPECT_EQ(*Asked("db=3").File(), 3U);
  EXPECT_FALSE(Asked("db=a.db").File());
  const auto chosen = Asked("c=a").Choose();
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, Errc::kNotFound);
  EXPECT_EQ(chosen.error().what, "db=0: there are 0 databases, counted from 0");
}

}  // namespace
}  // namespace coppice::inspector
