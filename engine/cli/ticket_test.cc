// coppice ticket: attempts of a campaign on what is simulated, of which this
// test is the agent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

// Two attempts are done, and three are left to whoever asks.
class TicketTest : public ::testing::Test, protected Rehearsal {
 protected:
  TicketTest() {
    Install();
    Run({"run", "sim:basic", "--budget", "2", "--progress", "none"});
    Run({"steer", "budget", "attempts", "5"});
  }

  Said Run(const Words& words, const std::string& input = {}) {
    return SayIn("new.db", words, input);
  }

  nlohmann::json Ask(const Words& more = {}) {
    Words words = {"ticket", "ask", "--agent", "me", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = Run(words);
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    return nlohmann::json::parse(said.out, nullptr, false);
  }
  std::string Ticket(const Words& more = {}) { return Ask(more)["ticket"]; }

  // A file with a plan that marks all of the parent's source.
  std::string PlanFor(const nlohmann::json& asked) const {
    return Put("plan.md",
               "Technique: tile\nCut the loop.\n```\n"
               "// <<<IMPROVE BEGIN>>>\n" +
                   asked["annotate"].get<std::string>() +
                   "// <<<IMPROVE END>>>\n```\n");
  }

  std::string Refused(const Words& words, const std::string& input = {}) {
    const Said said = Run(words, input);
    EXPECT_EQ(said.exit, Exit::kUsage) << said.out;
    EXPECT_EQ(said.out, "");
    return said.err;
  }
};

TEST_F(TicketTest, WhoAsksIsToldOfAnAttemptAndWhatToAnswer) {
  const auto asked = Ask();
  EXPECT_EQ(asked["agent"], "me");
  EXPECT_EQ(asked["state"], "open");
  EXPECT_EQ(asked["decision"], 2);
  EXPECT_EQ(asked["request"], nullptr);
  const Said said = Run({"ticket", "ask", "--agent", "you"});
  EXPECT_THAT(said.out, StartsWith("ticket "));
  EXPECT_THAT(said.out, HasSubstr(" of decision 3, on node "));
  EXPECT_THAT(said.out, HasSubstr("# Task: sim:basic"));
}

// With several there is no room for prompts.
TEST_F(TicketTest, SeveralAreALineEach) {
  const Said said = Run({"ticket", "ask", "--agent", "me", "--count", "2"});
  EXPECT_EQ(std::ranges::count(said.out, '\n'), 2) << said.out;
  EXPECT_THAT(said.out, HasSubstr(" of decision 2, "));
  EXPECT_THAT(said.out, HasSubstr(" of decision 3, "));
}

TEST_F(TicketTest, TheSameRequestGetsTheSameTicket) {
  const std::string first = Ticket({"--request", "step-1"});
  EXPECT_EQ(Ticket({"--request", "step-1"}), first);
  EXPECT_NE(Ticket({"--request", "step-2"}), first);
}

TEST_F(TicketTest, WhoHasNoCandidateSaysWhyAndItIsANode) {
  const std::string ticket = Ticket();
  const Said told = Run({"ticket", "tell", ticket, "--none", "no idea"});
  EXPECT_EQ(told.exit, Exit::kNoImprovement);
  EXPECT_EQ(told.out, "node 3: no_candidate\nno idea\n");
  // Who says the same again is told the same.
  EXPECT_EQ(Run({"ticket", "tell", ticket, "--none", "no idea"}).out, told.out);
  EXPECT_THAT(Refused({"ticket", "tell", ticket, "--none", "another"}),
              HasSubstr("already told"));
}

// The source is read from standard input, and its plan from a file.
TEST_F(TicketTest, ASourceIsJudgedHere) {
  const std::string root = Run({"show", "root", "--source"}).out;
  std::string faster = root;
  faster.replace(faster.find("vectorise 0"), 11, "vectorise 3");
  const auto tell = [&](const std::string& source, const Words& more) {
    const auto asked = Ask({"--parent", "0"});
    Words words = {"ticket", "tell",         asked["ticket"],
                   "--plan", PlanFor(asked), "--source",
                   "-"};
    words.insert(words.end(), more.begin(), more.end());
    return Run(words, source);
  };
  const Said told = tell(faster, {"--model", "mine:1"});
  EXPECT_EQ(told.exit, Exit::kDone) << told.err;
  EXPECT_THAT(told.out, StartsWith("node 3: passed, 1."));
  EXPECT_EQ(Run({"show", "3", "--source"}).out, faster);
  const Said bad = tell("no point\n", {"--json"});
  EXPECT_EQ(bad.exit, Exit::kNoImprovement) << bad.err;
  const auto receipt = nlohmann::json::parse(bad.out);
  EXPECT_EQ(receipt["node"], 4);
  EXPECT_EQ(receipt["verdict"], "compile_failed");
}

TEST_F(TicketTest, APlanIsToldBeforeTheSourceAndWhatFollowsIsPrinted) {
  const auto asked = Ask({"--parent", "0"});
  ASSERT_EQ(asked["role"], "plan");
  EXPECT_THAT(Refused({"ticket", "tell", asked["ticket"], "--source", "-"},
                      "no point\n"),
              HasSubstr("a plan comes before the source, or with it"));
  const Said told =
      Run({"ticket", "tell", asked["ticket"], "--plan", PlanFor(asked)});
  EXPECT_EQ(told.exit, Exit::kDone) << told.err;
  EXPECT_THAT(told.out, StartsWith("the ticket is open, its attempt planned\n"
                                   "\n"));
  EXPECT_THAT(told.out, HasSubstr("Cut the loop."));
}

TEST_F(TicketTest, WhatIsGivenUpIsTheNextOnesAttempt) {
  const auto first = Ask();
  const Said left =
      Run({"ticket", "give-up", first["ticket"], "--reason", "out of money"});
  EXPECT_EQ(left.exit, Exit::kDone);
  EXPECT_THAT(left.out, StartsWith("the ticket is given_up, "));
  const auto next = Ask({"--request", "other"});
  EXPECT_EQ(next["decision"], first["decision"]);
  EXPECT_NE(next["ticket"], first["ticket"]);
}

TEST_F(TicketTest, ALeaseMayRunAnew) {
  const auto asked = Ask({"--lease", "50"});
  EXPECT_EQ(Run({"ticket", "renew", asked["ticket"]}).out, "renewed\n");
  const Said said =
      Run({"ticket", "renew", asked["ticket"], "--lease", "1000", "--json"});
  const auto renewed = nlohmann::json::parse(said.out);
  EXPECT_EQ(renewed["ticket"], asked["ticket"]);
  EXPECT_GT(renewed["deadline_s"].get<double>(),
            asked["deadline_s"].get<double>() + 900.0);
}

TEST_F(TicketTest, WhenTheBudgetIsSpentThereIsNone) {
  for (int i = 0; i < 3; ++i) {
    Run({"ticket", "tell", Ticket(), "--none", "no idea"});
  }
  const Said said = Run({"ticket", "ask", "--agent", "me"});
  EXPECT_EQ(said.exit, Exit::kNoImprovement);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("no ticket: the budget of 5 attempts is "
                                  "spent: 5 were begun\n"));
  const Said json = Run({"ticket", "ask", "--agent", "me", "--json"});
  EXPECT_EQ(json.exit, Exit::kNoImprovement);
  EXPECT_EQ(nlohmann::json::parse(json.out)["ticket"], nullptr);
}

TEST_F(TicketTest, WhatCannotBeIsTold) {
  const std::string some = "01a21e9b-e73b-7476-ac5a-bc7a88446467";
  const struct {
    Words words;
    const char* what;
  } kCases[] = {
      {{"ticket", "ask", "other", "--agent", "me"}, "no campaign 'other'"},
      {{"ticket", "ask", "c", "--campaign", "c", "--agent", "me"},
       "--campaign: c is a campaign already"},
      {{"ticket", "ask", "--agent", "me", "--count", "5000"}, "count"},
      {{"ticket", "ask", "--agent", "me", "--parent", "99"}, "99"},
      {{"ticket", "tell", some, "--none", "no"}, some.c_str()},
      {{"ticket", "renew", some}, some.c_str()},
      {{"ticket", "give-up", some}, some.c_str()},
      {{"ticket", "give-up", some, "--progress", "loud"}, "--progress loud"},
  };
  for (const auto& [words, what] : kCases) {
    EXPECT_THAT(Refused(words), HasSubstr(what)) << what;
  }
}

}  // namespace
}  // namespace coppice::cli
