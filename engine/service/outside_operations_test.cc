// ask, tell, renew and start_campaign: what they take for no request.  What
// becomes of sound ones is in operations_test.cc and engine/outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/service/json.h"
#include "engine/service/outside_hosts.h"
#include "engine/service/test_service.h"

namespace coppice::service {
namespace {

using store::Must;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kTicket = "0190163d-8694-739b-aea5-966c26f8ad91";

class OutsideOperationsTest : public ::testing::Test {
 protected:
  std::string Complaint(const char* name, const Json& request) {
    const auto answer = service_.Ask(name, request.dump());
    EXPECT_FALSE(answer) << *answer;
    if (answer) return "";
    EXPECT_EQ(answer.error().code, Errc::kUsage);
    return answer.error().what;
  }

  TestService service_;
  store::Database database_ = store::NewFile(service_.database());
};

TEST_F(OutsideOperationsTest, AWishIsRefusedWithAllReasons) {
  EXPECT_EQ(Complaint("ask", {{"roles", "plan+cook"},
                              {"lease_s", 0},
                              {"count", 65},
                              {"parent", -1}}),
            "campaign: missing; agent: missing; roles: expected plan, code or "
            "debug, with + between; lease_s: expected a number from 0.001 to "
            "86400.0; parent: expected a whole number from 0 to "
            "9223372036854775807; count: expected a whole number from 1 to "
            "64");
}

TEST_F(OutsideOperationsTest, ACampaignOfThatNameIsAskedForOrNone) {
  store::Plant(database_, "a");
  EXPECT_THAT(Complaint("ask", {{"campaign", "zz"}, {"agent", "ana"}}),
              HasSubstr("no campaign zz"));
}

TEST_F(OutsideOperationsTest, WhatIsToldIsOfATicketAndCountsFromZero) {
  EXPECT_THAT(
      Complaint(
          "tell",
          {{"ticket", "t-1"},
           {"usage",
            {{"input_tokens", -1}, {"cost_usd", -0.5}, {"output_token", 3}}}}),
      AllOf(StartsWith("ticket: is none that ask gave; "),
            HasSubstr("usage.input_tokens: expected a whole number from 0"),
            HasSubstr("usage.cost_usd: expected a number from 0.0"),
            HasSubstr("usage.output_token: there is no such argument; did you "
                      "mean output_tokens?")));
  EXPECT_THAT(Complaint("tell", {{"ticket", kTicket}, {"usage", 3}}),
              HasSubstr("usage: expected an object"));
}

TEST_F(OutsideOperationsTest, ATicketThatNobodyGaveIsTheCallersMistake) {
  for (const char* name : {"tell", "renew"}) {
    EXPECT_THAT(Complaint(name, {{"ticket", kTicket}}), HasSubstr(kTicket))
        << name;
  }
  EXPECT_EQ(Complaint("renew", {{"ticket", ""}, {"lease_s", -1}}),
            "ticket: is none that ask gave; lease_s: expected a number from "
            "0.0 to 86400.0");
}

// A model costs money, a command or a policy of a file runs what it says.
TEST_F(OutsideOperationsTest, ACallerStartsNothingThatItMayNot) {
  const auto said = [&](const Json& more) {
    Json request = {{"task", "sim:basic"}, {"budget", 1}};
    request.update(more);
    return Complaint("start_campaign", request);
  };
  EXPECT_EQ(said({{"agent", "openai:gpt"}}),
            "cap_usd: say what the model may cost");
  EXPECT_THAT(said({{"agent", "exec:rm"}, {"cap_usd", 1}}),
              StartsWith("agent: a command is started by `coppice run` alone"));
  EXPECT_EQ(said({{"policy", "python:a.py:A"}}),
            "policy: a file is run by `coppice run` alone");
  EXPECT_EQ(said({{"budget", 0}}),
            "budget: expected a whole number from 1 to 1000000; budget: say "
            "how many attempts");
  EXPECT_THAT(said({{"task", "sim:none"}}), Not(HasSubstr("budget")));
}

TEST_F(OutsideOperationsTest, ARootIsMeasuredOnceItIsThere) {
  OutsideHosts hosts(service_.service().config(), service_.service().runner(),
                     service_.service().clock());
  Must(store::Campaigns(database_).Create(store::SpecNamed("later")));
  EXPECT_FALSE(*hosts.IsMeasured("later"));
  store::Plant(database_, "a");
  EXPECT_TRUE(*hosts.IsMeasured("a"));
  EXPECT_EQ(hosts.IsMeasured("zz").error().code, Errc::kUsage);
  EXPECT_EQ(hosts.OfCampaign("zz").error().code, Errc::kUsage);
}

// A campaign whose attempts are outside agents': points of a landscape, which
// are judged in no time.
class OutsideFlowTest : public ::testing::Test {
 protected:
  Json Ask(const char* name, const Json& request) {
    return Json::parse(Must(service_.Ask(name, request.dump())));
  }
  Error Refused(const char* name, const Json& request) {
    const auto answer = service_.Ask(name, request.dump());
    EXPECT_FALSE(answer) << *answer;
    return answer ? Error{} : answer.error();
  }
  Json Offer(const Json& more = Json::object()) {
    Json wish = {{"campaign", campaign_}, {"agent", "ana"}, {"wait_s", 50}};
    wish.update(more);
    return Ask("ask", wish);
  }
  Json TellNone(const Json& offer, const char* why = "no idea") {
    return Ask(
        "tell",
        {{"ticket", offer["ticket"]}, {"none_reason", why}, {"wait_s", 55}});
  }

  TestService service_;
  const std::string campaign_ =
      Ask("start_campaign",
          {{"task", "sim:basic"}, {"budget", 2}, {"agent", "outside"}})
          .at("campaign");
};

TEST_F(OutsideFlowTest, ARequestThatIsAskedAgainGetsItsTicket) {
  const Json first = Offer({{"request", "r1"}});
  EXPECT_EQ(Offer({{"request", "r1"}})["ticket"], first["ticket"]);
  EXPECT_NE(Offer({{"request", "r2"}})["ticket"], first["ticket"]);
  EXPECT_EQ(first["request"], "r1");
  EXPECT_EQ(first["decision"], 0);
  EXPECT_EQ(first["role"], "plan");
}

TEST_F(OutsideFlowTest, SeveralAttemptsAreGivenOutAtOnce) {
  const Json offer = Offer({{"count", 2}});
  EXPECT_EQ(offer["decision"], 0);
  ASSERT_EQ(offer["more"].size(), 1u);
  EXPECT_EQ(offer["more"][0]["decision"], 1);
  EXPECT_NE(offer["more"][0]["ticket"], offer["ticket"]);
}

TEST_F(OutsideFlowTest, ALeaseThatIsRenewedRunsFromNow) {
  const Json offer = Offer({{"lease_s", 60}});
  const Json renewed =
      Ask("renew", {{"ticket", offer["ticket"]}, {"lease_s", 3600}});
  EXPECT_EQ(renewed["state"], "open");
  EXPECT_GT(renewed["deadline_s"].get<double>(),
            offer["deadline_s"].get<double>() + 3000.0);
}

// Nobody is kept from an attempt for longer by whoever died with it.
TEST_F(OutsideFlowTest, ALeaseIsADayAtMost) {
  const Json offer = Offer({{"lease_s", 86400}});
  EXPECT_THAT(
      Refused("renew", {{"ticket", offer["ticket"]}, {"lease_s", 86401}}).what,
      HasSubstr("lease_s: expected a number from 0.0 to 86400.0"));
  EXPECT_EQ(Ask("renew", {{"ticket", offer["ticket"]}, {"lease_s", 86400}})
                .at("state"),
            "open");
}

TEST_F(OutsideFlowTest, WhatIsGivenUpIsTheFirstToBeAskedForAgain) {
  const Json first = Offer();
  EXPECT_EQ(Ask("renew", {{"ticket", first["ticket"]},
                          {"lease_s", 0},
                          {"reason", "out of money"}})
                .at("state"),
            "given_up");
  const Json again = Offer();
  EXPECT_EQ(again["decision"], first["decision"]);
  EXPECT_EQ(again["parent"], first["parent"]);
  EXPECT_NE(again["ticket"], first["ticket"]);
  EXPECT_THAT(Refused("tell", {{"ticket", first["ticket"]},
                               {"none_reason", "too late"}})
                  .what,
              HasSubstr("was given up: ask for another"));
}

// Code is for what somebody has planned, and nobody has.
TEST_F(OutsideFlowTest, WhoTakesNoSuchRoleIsToldThatThereIsNone) {
  Json wish = {{"campaign", campaign_}, {"agent", "ana"}, {"roles", "code"}};
  const Json none = Ask("ask", wish);
  EXPECT_EQ(none["ticket"], nullptr);
  EXPECT_EQ(none["spent"], false);
  EXPECT_EQ(none["reason"], "nothing is open for the roles code");
  EXPECT_EQ(Offer({{"roles", "plan+debug"}})["roles"], "plan+debug");
}

TEST_F(OutsideFlowTest, WhatWasToldMayBeToldAgainAndNotOtherwise) {
  const Json offer = Offer();
  const Json told = TellNone(offer);
  EXPECT_EQ(told["state"], "done");
  EXPECT_EQ(told["ticket_state"], "told");
  EXPECT_EQ(told["node"], 1);
  EXPECT_EQ(told["verdict"], "no_candidate");
  EXPECT_EQ(TellNone(offer)["node"], 1);
  const Error other = Refused(
      "tell", {{"ticket", offer["ticket"]}, {"none_reason", "another"}});
  EXPECT_EQ(other.code, Errc::kUsage);
  EXPECT_THAT(other.what, StartsWith("already told: "));
}

TEST_F(OutsideFlowTest, AnExtraIsOfALostTicketAlone) {
  const Json offer = Offer();
  EXPECT_THAT(Refused("tell", {{"ticket", offer["ticket"]},
                               {"source", "tile 1"},
                               {"as_extra", true}})
                  .what,
              HasSubstr("is open, not lost"));
}

TEST_F(OutsideFlowTest, AParentMayBeNamedIfItIsThere) {
  EXPECT_EQ(Offer({{"parent", 0}})["parent"], 0);
  EXPECT_EQ(Refused("ask",
                    {{"campaign", campaign_}, {"agent", "ana"}, {"parent", 99}})
                .code,
            Errc::kUsage);
}

TEST_F(OutsideFlowTest, ASpentBudgetIsSaidAndGivesNoTicket) {
  TellNone(Offer());
  TellNone(Offer());
  const Json none = Offer();
  EXPECT_EQ(none["ticket"], nullptr);
  EXPECT_EQ(none["spent"], true);
  EXPECT_NE(none["reason"], "");
}

std::size_t OpenOf(Service& service) {
  return Must(HostsOf(service))->CountOpen();
}

// A training run has a campaign for each episode, and one that stayed open
// would keep its processes and descriptors.
TEST_F(OutsideFlowTest, ACampaignThatIsFinishedIsClosed) {
  const Json first = Offer();
  EXPECT_EQ(OpenOf(service_.service()), 1u);
  TellNone(first);
  TellNone(Offer());
  EXPECT_EQ(OpenOf(service_.service()), 0u);
  EXPECT_EQ(TellNone(first)["node"], 1) << "it is opened anew";
}

TEST_F(OutsideFlowTest, OfManyUnfinishedOnesEightStayOpenAndNoTicketIsLost) {
  const Json first = Offer();
  for (int i = 0; i < 12; ++i) {
    const std::string next = Ask("start_campaign", {{"task", "sim:basic"},
                                                    {"budget", 1},
                                                    {"agent", "outside"},
                                                    {"seed", 10 + i}})
                                 .at("campaign");
    const Json offer = Offer({{"campaign", next}, {"wait_s", 5}});
    EXPECT_NE(offer["ticket"], nullptr) << offer;
    EXPECT_LE(OpenOf(service_.service()), 9u) << "eight, and who asks";
  }
  EXPECT_EQ(TellNone(first)["node"], 1);
  EXPECT_EQ(Offer()["decision"], 1);
}

TEST(ServiceWithoutAHistoryTest, SaysHowToGiveItOne) {
  TestService with;
  Service service(
      {.config = with.service().config(), .runner = with.service().runner()},
      with.service().clock());
  const auto path = service.database();
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().what,
            "this service has no database: start it with --db FILE");
  const auto asked = FindOperation("ask")->answer(
      service, {"test", {}, {}}, R"({"campaign":"a","agent":"b"})");
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().what, path.error().what);
}

}  // namespace
}  // namespace coppice::service
