#include "engine/http/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::http {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(RequestTest, APlusIsABlankOnlyInAQuery) {
  EXPECT_EQ(Decoded("a+b%20c", true), "a b c");
  EXPECT_EQ(Decoded("a+b%20c", false), "a+b c");
}

TEST(RequestTest, ABrokenEscapeIsNoText) {
  for (const std::string text : {"%", "%4", "%zz", "a%2"}) {
    EXPECT_EQ(Decoded(text, true), std::nullopt) << text;
  }
}

TEST(RequestTest, AQueryIsReadByItsFirstPairOfAName) {
  EXPECT_THAT(*ParseQuery("a=1&b=x%26y&a=2&&empty"),
              UnorderedElementsAre(Pair("a", "1"), Pair("b", "x&y"),
                                   Pair("empty", "")));
  EXPECT_FALSE(ParseQuery("a=%").has_value());
}

TEST(RequestTest, ARefusalIsJsonWhateverBytesItQuotes) {
  EXPECT_EQ(Refusal(400, "no \"x\"\xff").body,
            "{\"error\":\"no \\\"x\\\"\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace coppice::http
