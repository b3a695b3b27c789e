#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SteerTest : public ::testing::Test, protected Rehearsal {
 protected:
  nlohmann::json Listed() {
    return nlohmann::json::parse(Say({"steer", "list", "--json"}).out);
  }
};

TEST_F(SteerTest, NobodyHasSteeredYet) {
  EXPECT_EQ(Say({"steer", "list"}).out, "nobody has steered a\n");
  EXPECT_EQ(Listed(), nlohmann::json::array());
}

// The campaign has made three decisions, so the next is number 3.
TEST_F(SteerTest, EachKindTakesWhatItNeeds) {
  EXPECT_EQ(
      Say({"steer", "advise", "Tile.", "--node", "1", "--role", "plan"}).exit,
      Exit::kDone);
  Say({"steer", "forbid", "header", "mma.h"});
  Say({"steer", "boost", "best", "2", "--from", "9"});
  Say({"steer", "budget", "usd", "2.5"});
  Say({"steer", "temperature", "0.7"});
  const auto all = Listed();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0]["node"], 1);
  EXPECT_EQ(all[0]["role"], "plan");
  EXPECT_TRUE(all[0]["aspect"].is_null());
  EXPECT_EQ(all[1]["aspect"], "header");
  EXPECT_TRUE(all[1]["role"].is_null());
  EXPECT_EQ(all[2]["node"], 3);
  EXPECT_EQ(all[2]["amount"], 2.0);
  EXPECT_EQ(all[2]["not_before"], 9);
  EXPECT_EQ(all[3]["aspect"], "usd");
  EXPECT_EQ(all[3]["amount"], 2.5);
  EXPECT_EQ(all[4]["kind"], "temperature");
  EXPECT_EQ(all[4]["amount"], 0.7);
}

// Attempts are counted of those that a person makes the search spend some on.
TEST_F(SteerTest, PeopleSeeTheStateAndTheAttempts) {
  Say({"steer", "pin", "1"});
  Say({"steer", "boost", "1", "2", "--from", "9"});
  const std::string said = Say({"steer", "list"}).out;
  EXPECT_THAT(said, HasSubstr("directive  author"));
  EXPECT_THAT(said, HasSubstr("noted                        -  pin node 1\n"));
  EXPECT_THAT(said,
              HasSubstr("waits for decision 9         0  boost node 1 2\n"));
}

TEST_F(SteerTest, WhatWaitsIsWithdrawn) {
  Say({"steer", "pause", "--from", "9"});
  EXPECT_EQ(Say({"steer", "withdraw", "1"}).out, "directive 1 is withdrawn\n");
  EXPECT_EQ(Listed()[0]["outcome"], "withdrawn");
  EXPECT_EQ(Say({"steer", "withdraw", "7"}).exit, Exit::kUsage);
}

TEST_F(SteerTest, RefusesWhatIsNoNumber) {
  EXPECT_THAT(Say({"steer", "temperature", "hot"}).err,
              HasSubstr("'hot' is no number"));
  EXPECT_THAT(Say({"steer", "withdraw", "0"}).err,
              HasSubstr("'0' is no directive"));
}

class SteerRefusalTest : public SteerTest {
 protected:
  std::string Refused(std::vector<std::string> words) {
    words.insert(words.begin(), "steer");
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kUsage) << said.out;
    EXPECT_EQ(said.out, "");
    return said.err;
  }
};

// Whatever is refused leaves nothing behind.
TEST_F(SteerRefusalTest, NumbersAreOfTheirKind) {
  const struct {
    std::vector<std::string> words;
    const char* why;
  } kCases[] = {
      {{"temperature", "nan"}, "temperature: expected a number of 0 or more"},
      {{"temperature", "inf"}, "temperature: expected a number of 0 or more"},
      {{"temperature", "2.5"}, "temperature: expected 0 to 2"},
      {{"temperature", ""}, "'' is no number"},
      {{"temperature", "0,7"}, "'0,7' is no number"},
      {{"budget", "attempts", "2.5"}, "budget: expected a whole number"},
      {{"budget", "tokens", "0.5"}, "budget: expected a whole number"},
      {{"budget", "usd", "1e13"}, "budget: expected a number of 0 or more"},
      {{"budget", "usd", "$5"}, "'$5' is no number"},
      {{"budget", "coffee", "5"}, "budget: "},
      {{"approve", "seconds", "5"}, "approve: "},
      {{"approve", "attempts", "1.5"}, "approve: expected a whole number"},
      {{"boost", "1", "0"}, "boost: expected 1 to 1000 attempts"},
      {{"boost", "1", "1001"}, "boost: expected 1 to 1000 attempts"},
      {{"boost", "1", "many"}, "'many' is no number"},
  };
  for (const auto& [words, why] : kCases) {
    EXPECT_THAT(Refused(words), HasSubstr(why));
  }
  EXPECT_EQ(Listed(), nlohmann::json::array());
}

TEST_F(SteerRefusalTest, NodesAreThoseOfTheCampaign) {
  for (const char* action : {"freeze", "unfreeze", "judge", "pin"}) {
    EXPECT_THAT(Refused({action, "4"}), HasSubstr("a: no node 4; it has 4"));
    EXPECT_THAT(Refused({action, "leaf"}),
                HasSubstr("'leaf' is no node: expected a number, root or"));
    EXPECT_THAT(Refused({action}), HasSubstr("missing NODE"));
  }
  EXPECT_THAT(Refused({"advise", "Tile.", "--node", "4"}),
              HasSubstr("no node 4"));
  EXPECT_EQ(Listed(), nlohmann::json::array());
}

TEST_F(SteerRefusalTest, WordsAreNeeded) {
  for (const char* blank : {" ", "\n", "\t"}) {
    EXPECT_THAT(Refused({"advise", blank}), HasSubstr("advise: needs a text"));
    EXPECT_THAT(Refused({"note", blank}), HasSubstr("note: needs a text"));
  }
  EXPECT_THAT(Refused({"forbid", "colour", "red"}), HasSubstr("forbid: "));
  EXPECT_THAT(Refused({"require", "constraint", "no-such-thing"}),
              HasSubstr("no-such-thing"));
  EXPECT_THAT(Refused({"advise", "Tile.", "--role", "boss"}),
              HasSubstr("--role boss: expected plan, code or debug"));
  EXPECT_THAT(Refused({"policy", "strak"}), HasSubstr("did you mean stark?"));
  EXPECT_THAT(Refused({"pause", "now"}), HasSubstr("unexpected 'now'"));
  EXPECT_EQ(Listed(), nlohmann::json::array());
}

TEST_F(SteerRefusalTest, AKernelIsReadFromAFileOrFromStandardInput) {
  EXPECT_THAT(Refused({"insert", "root", File("no.cc").string()}),
              HasSubstr("no.cc"));
  EXPECT_THAT(Refused({"insert", "root", Put("blank.cc", " \n")}),
              HasSubstr("insert: needs a text"));
  EXPECT_EQ(Say({"steer", "insert", "root", "-"}, "void f();\n").exit,
            Exit::kDone);
  EXPECT_EQ(Say({"steer", "insert", "1", Put("k.cc", "void g();\n")}).exit,
            Exit::kDone);
  const auto all = Listed();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["kind"], "insert");
  EXPECT_EQ(all[0]["node"], 0);
  EXPECT_EQ(all[0]["text"], "void f();\n");
  EXPECT_EQ(all[1]["text"], "void g();\n");
}

// Three decisions were made, so that one not before the fifth is to wait.
TEST_F(SteerTest, WhoSteersIsToldWhenItHolds) {
  EXPECT_EQ(Say({"steer", "pause"}).out,
            "directive 1, pause: takes effect at the next decision, when the "
            "campaign is resumed\n");
  EXPECT_THAT(Say({"steer", "freeze", "best", "--from", "5"}).out,
              HasSubstr(": takes effect at decision 5, when the campaign is "
                        "resumed\n"));
  EXPECT_THAT(Say({"steer", "freeze", "1", "--from", "3"}).out,
              HasSubstr(": takes effect at the next decision, "));
  EXPECT_THAT(Say({"steer", "note", "The driver is new."}).out,
              HasSubstr(": noted\n"));
}

// What holds already is lifted by another directive, which holds from the next
// decision on.
TEST_F(SteerTest, WhatHoldsIsLiftedByAnother) {
  Install();
  const auto run = [&](const char* budget) {
    SayIn("new.db", {"run", "sim:basic", "--budget", budget, "--name", "c",
                     "--progress", "none"});
  };
  run("2");
  SayIn("new.db", {"steer", "freeze", "1"});
  run("3");
  EXPECT_THAT(SayIn("new.db", {"steer", "list"}).out,
              HasSubstr("since decision 2"));
  EXPECT_EQ(SayIn("new.db", {"steer", "withdraw", "1"}).out,
            "directive 2, lift directive 1: takes effect at the next decision, "
            "when the campaign is resumed\n");
  const auto all =
      nlohmann::json::parse(SayIn("new.db", {"steer", "list", "--json"}).out);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["outcome"], "applied");
  EXPECT_EQ(all[0]["effective_decision"], 2);
  EXPECT_EQ(all[1]["kind"], "lift");
  EXPECT_EQ(all[1]["target"], 1);
  EXPECT_EQ(all[1]["outcome"], "pending");
}

TEST_F(SteerTest, OneCampaignIsSteeredAndNotTheOther) {
  store::Plant(database(), "b");
  EXPECT_EQ(Say({"steer", "pause", "--campaign", "a"}).exit, Exit::kDone);
  const auto of = [&](const char* campaign) {
    return nlohmann::json::parse(
        Say({"steer", "list", "--json", "--campaign", campaign}).out);
  };
  EXPECT_EQ(of("a").size(), 1u);
  EXPECT_EQ(of("b"), nlohmann::json::array());
  // A directive of another campaign is none of this one's.
  const Said said = Say({"steer", "withdraw", "1", "--campaign", "b"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, HasSubstr("b: no directive 1"));
  EXPECT_EQ(of("a")[0]["outcome"], "pending");
}

TEST_F(SteerTest, WhatWasWithdrawnStaysSo) {
  Say({"steer", "pause"});
  EXPECT_EQ(Say({"steer", "withdraw", "1"}).exit, Exit::kDone);
  EXPECT_NE(Say({"steer", "withdraw", "1"}).exit, Exit::kDone);
  EXPECT_EQ(Listed()[0]["outcome"], "withdrawn");
  EXPECT_EQ(Listed().size(), 1u);
}

TEST_F(SteerTest, AdviceCannotSteerTheTerminal) {
  const std::string text = "Tile\033[2J it\a.";
  EXPECT_THAT(Say({"steer", "advise", text}).out,
              AllOf(HasSubstr("Tile?[2J it?."), Not(HasSubstr("\033"))));
  EXPECT_THAT(Say({"steer", "list"}).out,
              AllOf(HasSubstr("Tile?[2J it?."), Not(HasSubstr("\033"))));
  // Agents and programs get it as it was said.
  EXPECT_EQ(Listed()[0]["text"], text);
}

TEST_F(SteerTest, ANewFileIsMadeByNobody) {
  const std::string db = File("new.db").string();
  EXPECT_EQ(SayBare({"steer", "pause", "--db", db}).exit, Exit::kUsage);
  EXPECT_FALSE(std::filesystem::exists(db));
}

}  // namespace
}  // namespace coppice::cli
