// GET and POST /api/directives: what is sent, and what is told of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/inspector/pages_fixture.h"

namespace coppice::inspector {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class DirectivesRouteTest : public PagesTest {
 protected:
  json Said(const char* kind, const json& payload, const json& subject) {
    return {{"c", "a"},
            {"uuid", ToString(store::NextUuid())},
            {"kind", kind},
            {"subject", subject},
            {"payload", payload}};
  }
  json Sent(const json& directive) {
    const http::Answer answer = Post("/api/directives", directive);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return json::parse(answer.body);
  }
  std::string Complaint(const json& directive) {
    return Refusal(Post("/api/directives", directive), 400);
  }
};

TEST_F(DirectivesRouteTest, APayloadIsToldAsItWasSent) {
  const json boost = Sent(Said("boost", {{"amount", 3}}, 0));
  EXPECT_EQ(boost["subject"], 0);
  EXPECT_EQ(boost["amount"], 3.0);
  EXPECT_EQ(boost["role"], nullptr);
  EXPECT_EQ(boost["target"], nullptr);
  EXPECT_EQ(boost["refusal"], nullptr);
  EXPECT_EQ(boost["not_before"], 0);
  EXPECT_EQ(boost["effective_decision"], nullptr);
  EXPECT_TRUE(boost["attempts"].empty());
  const json budget =
      Sent(Said("budget", {{"aspect", "attempts"}, {"amount", 200}}, nullptr));
  EXPECT_EQ(budget["aspect"], "attempts");
  EXPECT_EQ(budget["subject"], nullptr);
  const json advice =
      Sent(Said("advise", {{"text", "Tile."}, {"role", "debug"}}, nullptr));
  EXPECT_EQ(advice["role"], "debug");
  const json all = Get("/api/directives?c=a");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]["id"], boost["id"]);
  EXPECT_EQ(all[2]["text"], "Tile.");
}

TEST_F(DirectivesRouteTest, AnotherCampaignsAreNotTold) {
  Sent(Said("note", {{"text", "Mine."}}, nullptr));
  EXPECT_TRUE(Get("/api/directives?c=b&db=1").empty());
}

TEST_F(DirectivesRouteTest, AMemberOfAnotherKindIsNamed) {
  EXPECT_EQ(Complaint(Said("advise", {{"text", 7}}, nullptr)),
            "text: expected a text");
  EXPECT_EQ(Complaint(Said("advise", {{"text", "x"}, {"role", "cook"}}, {})),
            "role: expected plan, code or debug");
  EXPECT_EQ(Complaint(Said("boost", {{"amount", "3"}}, 0)),
            "amount: no number");
  EXPECT_EQ(Complaint(Said("lift", {{"target", -1}}, nullptr)),
            "target: expected a whole number");
  EXPECT_EQ(Complaint(Said("freeze", json::object(), "1")),
            "subject: expected a whole number");
  EXPECT_THAT(Complaint(Said("dance", json::object(), nullptr)),
              StartsWith("not a directive: send"));
}

TEST_F(DirectivesRouteTest, AWithdrawalNamesWhatItIsOf) {
  EXPECT_THAT(Refusal(Post("/api/directives/withdraw", {{"c", "a"}}), 400),
              StartsWith("not a withdrawal: send"));
  EXPECT_EQ(
      Refusal(Post("/api/directives/withdraw", {{"c", "a"}, {"id", 7}}), 404),
      "there is no directive 7");
  EXPECT_THAT(
      Refusal(Post("/api/directives/withdraw", {{"c", "z"}, {"id", 7}}), 404),
      HasSubstr("no campaign z"));
}

TEST_F(DirectivesRouteTest, ARequestByAnotherMethodIsRefused) {
  EXPECT_EQ(inspector_.Answer({"DELETE", "/api/directives"}).status, 405);
  EXPECT_EQ(inspector_.Answer({"POST", "/api/tree"}).status, 405);
  EXPECT_EQ(inspector_.Answer({"POST", "/nothing"}).status, 404);
  EXPECT_EQ(inspector_.Answer({"HEAD", "/api/campaigns"}).status, 200);
}

}  // namespace
}  // namespace coppice::inspector
