// POST /api/cites: what the answer of a model cites, as links to the page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/inspector/pages_fixture.h"

namespace coppice::inspector {
namespace {

using store::Must;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CitesRouteTest : public PagesTest {
 protected:
  // Links of what is cited, null where there is no such thing.
  json Links(const std::string& campaign, const std::string& text, int db = 0) {
    const http::Answer answer =
        Post("/api/cites", {{"db", db}, {"c", campaign}, {"text", text}});
    EXPECT_EQ(answer.status, 200) << answer.body;
    json links = json::array();
    const json cites = json::parse(answer.body);
    for (const json& cite : cites) {
      EXPECT_EQ(cite["exists"], !cite["href"].is_null());
      links.push_back(cite["href"]);
    }
    return links;
  }
  std::string LinkOf(const std::string& campaign) {
    store::Plant(first_, campaign);
    return Links(campaign, "[[n:0]]").at(0);
  }
};

TEST_F(CitesRouteTest, ANodeIsItsPageAndADecisionThatOfItsNode) {
  store::Grow(first_, a_, kRootNode);
  EXPECT_EQ(Links("a", "First [[n:0]], then [[d:0]]; not [[n:9]]."),
            json::array({"/c/a/n/0", "/c/a/n/1?tab=decision", nullptr}));
  EXPECT_EQ(Links("a", "Nothing is cited, and 7.5 is a number."),
            json::array());
}

TEST_F(CitesRouteTest, ALinkNamesItsDatabaseUnlessItIsTheFirst) {
  store::Grow(second_, b_, kRootNode);
  EXPECT_EQ(Links("b", "[[n:1]] [[d:0]]", 1),
            json::array({"/c/b/n/1?db=1", "/c/b/n/1?db=1&tab=decision"}));
}

// It has no node to show yet.
TEST_F(CitesRouteTest, ADecisionInFlightIsItsCampaigns) {
  Must(store::Attempts(first_).Reserve(a_, store::ReservationOf(0, {})));
  Must(store::Attempts(second_).Reserve(b_, store::ReservationOf(0, {})));
  EXPECT_EQ(Links("a", "[[d:0]]"), json::array({"/c/a"}));
  EXPECT_EQ(Links("b", "[[d:0]]", 1), json::array({"/c/b?db=1"}));
}

// "." and ".." are no segments of a path, and what begins with a tilde is not
// taken for them.
TEST_F(CitesRouteTest, ANameIsASegmentWhateverItIs) {
  EXPECT_EQ(LinkOf("a b/c"), "/c/a%20b%2Fc/n/0");
  EXPECT_EQ(LinkOf("."), "/c/~./n/0");
  EXPECT_EQ(LinkOf(".."), "/c/~../n/0");
  EXPECT_EQ(LinkOf("~x"), "/c/~~x/n/0");
  EXPECT_EQ(LinkOf("it's.(1)"), "/c/it's.(1)/n/0");
  EXPECT_EQ(LinkOf("\xC3\xA9?#"), "/c/%C3%A9%3F%23/n/0");
}

TEST_F(CitesRouteTest, WhatIsNoAnswerIsRefused) {
  EXPECT_THAT(Refusal(Post("/api/cites", {{"text", "x"}}), 400),
              StartsWith("not an answer: send"));
  EXPECT_EQ(Refusal(Post("/api/cites", {{"c", "a"}, {"text", 7}}), 400),
            "text: expected a text");
  EXPECT_THAT(Refusal(Post("/api/cites", {{"c", "z"}, {"text", ""}}), 404),
              HasSubstr("no campaign z"));
  EXPECT_THAT(
      Refusal(Post("/api/cites", {{"db", 9}, {"c", "a"}, {"text", ""}}), 404),
      HasSubstr("db=9"));
}

}  // namespace
}  // namespace coppice::inspector
