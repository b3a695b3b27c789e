// Prompts, differences and complaints as a terminal or a file gets them; and
// what `coppice prompt` refuses.
#include "engine/cli/prompt_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/cli/actions.h"
#include "engine/cli/cli_fixture.h"
#include "engine/cli/diff_text.h"
#include "engine/cli/user_name.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What `print` puts out, on a terminal or not.
template <class Print>
std::string PrintedBy(const Print& print, bool is_terminal,
                      bool has_colour = false) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err};
  streams.out_is_terminal = is_terminal;
  streams.colour = has_colour;
  print(streams);
  EXPECT_EQ(err.str(), "");
  return out.str();
}

TEST(PromptTextTest, APromptIsAsItIsButOnATerminal) {
  const auto print = [](Streams& streams) {
    PrintPrompt(Role::kDebug, "Be\033[2J bold.\n", "No\aw", streams);
  };
  EXPECT_EQ(PrintedBy(print, false),
            "==== debug agent: system\nBe\033[2J bold.\n"
            "==== debug agent: user\nNo\aw\n");
  EXPECT_EQ(PrintedBy(print, true),
            "==== debug agent: system\nBe?[2J bold.\n"
            "==== debug agent: user\nNo?w\n");
}

TEST(PromptTextTest, AnEmptyPromptIsALineOfItsOwn) {
  const auto print = [](Streams& streams) {
    PrintPrompt(Role::kPlan, "", "\n", streams);
  };
  EXPECT_EQ(PrintedBy(print, false),
            "==== plan agent: system\n\n==== plan agent: user\n\n");
}

TEST(PromptTextTest, ARoleIsOneOfThree) {
  const auto role = [](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"1"};
    all.insert(all.end(), words.begin(), words.end());
    return RoleOf(AsTyped(ShowVerb(), all));
  };
  EXPECT_EQ(role({}), std::nullopt);
  EXPECT_EQ(role({"--role", "plan"}), Role::kPlan);
  EXPECT_EQ(role({"--role", "code"}), Role::kCode);
  EXPECT_EQ(role({"--role", "debug"}), Role::kDebug);
}

TEST(PromptTextTest, AWindowIsAListOfNodes) {
  EXPECT_EQ(WindowJson({}).dump(), "[]");
  EXPECT_EQ(
      WindowJson(
          {{kRootNode, Kinship::kSelected}, {NodeId{4}, Kinship::kChild}})
          .dump(),
      R"([{"node":0,"kinship":"selected"},{"node":4,"kinship":"child"}])");
}

constexpr const char* kDiff =
    "--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-o\033ld\n+new\n";

TEST(DiffTextTest, AFileGetsTheBytes) {
  const auto print = [](Streams& streams) { PrintDiff(kDiff, streams); };
  EXPECT_EQ(PrintedBy(print, false), kDiff);
  EXPECT_EQ(PrintedBy(print, true),
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-o?ld\n+new\n");
  EXPECT_EQ(PrintedBy(print, true, true),
            "\033[31m--- a\033[0m\n\033[32m+++ b\033[0m\n"
            "\033[36m@@ -1,2 +1,2 @@\033[0m\n same\n"
            "\033[31m-o?ld\033[0m\n\033[32m+new\033[0m\n");
  EXPECT_EQ(PrintedBy([](Streams& streams) { PrintDiff("", streams); }, true),
            "");
}

TEST(ActionsTest, WhatIsNoActionIsAnsweredWithTheNearest) {
  Verb verb = {.name = "grow", .summary = ""};
  verb.actions = {{.name = "grow upwards", .summary = ""}};
  EXPECT_EQ(MissingAction(verb).what, "missing ACTION; there is: grow upwards");
  EXPECT_EQ(MissingAction(verb).code, Errc::kUsage);
  EXPECT_EQ(UnknownAction(verb, "upward").what,
            "unknown 'upward'; did you mean 'grow upwards'?");
  EXPECT_EQ(UnknownAction(verb, "sideways.db").what,
            "unknown 'sideways.db'; there is: grow upwards; a database is "
            "named by --db sideways.db");
  verb.actions.push_back({.name = "grow out", .summary = ""});
  EXPECT_EQ(UnknownAction(verb, "x").what,
            "unknown 'x'; there are: grow upwards, grow out");
  EXPECT_EQ(HintOfDatabase("x.dbx"), "");
  EXPECT_EQ(HintOfDatabase(""), "");
}

TEST(UserNameTest, EverybodyHasOne) { EXPECT_NE(UserName(), ""); }

// What an agent of a campaign on what is simulated would be asked.
class PromptVerbTest : public ::testing::Test, protected Rehearsal {
 protected:
  PromptVerbTest() {
    Install();
    SayIn("new.db",
          {"run", "sim:basic", "--budget", "3", "--progress", "none"});
  }
  Said Prompt(std::vector<std::string> words) {
    words.insert(words.begin(), "prompt");
    return SayIn("new.db", words);
  }
};

TEST_F(PromptVerbTest, OfWhatPassedThePlanAgentIsAskedFirst) {
  const Said said = Prompt({"root"});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("==== plan agent: system\n"),
                              HasSubstr("\n==== plan agent: user\n"),
                              HasSubstr("# Task: sim:basic")));
  const auto json = nlohmann::json::parse(Prompt({"root", "--json"}).out);
  EXPECT_EQ(json["role"], "plan");
  EXPECT_EQ(json["node"], 0);
  EXPECT_EQ(json["decision"], 3);
  EXPECT_EQ(json["nodes_cut"], 0);
  EXPECT_THAT(json["user"].get<std::string>(), HasSubstr("vectorise 0"));
}

// The code agent realises the plan of a child.
TEST_F(PromptVerbTest, TheCodeAgentIsAskedWithAPlan) {
  const auto json = nlohmann::json::parse(
      Prompt({"root", "--role", "code", "--plan-of", "1", "--json"}).out);
  EXPECT_EQ(json["role"], "code");
  EXPECT_THAT(Prompt({"root", "--role", "debug"}).err,
              HasSubstr("--role debug: node 0 passed, so there is nothing to "
                        "debug\n"));
  EXPECT_THAT(Prompt({"root", "--plan-of", "1"}).err,
              HasSubstr("--plan-of: is for --role code in a team\n"));
  EXPECT_THAT(Prompt({"best", "--role", "code", "--plan-of", "0"}).err,
              HasSubstr("--plan-of 0: node 0 is no child of node "));
}

TEST_F(PromptVerbTest, WhoIsAloneHasNoPlan) {
  SayIn("alone.db", {"run", "sim:basic", "--budget", "1", "--progress", "none",
                     "--agents", "alone"});
  const Said said = SayIn("alone.db", {"prompt", "root", "--json"});
  EXPECT_EQ(nlohmann::json::parse(said.out)["role"], "code");
  EXPECT_THAT(SayIn("alone.db", {"prompt", "root", "--role", "plan"}).err,
              HasSubstr("--role plan: the code agent of this campaign works "
                        "alone\n"));
}

class PromptRefusalTest : public ::testing::Test, protected Rehearsal {};

TEST_F(PromptRefusalTest, ANodeIsOfTheCampaign) {
  EXPECT_THAT(Say({"prompt"}).err, HasSubstr("missing NODE"));
  EXPECT_THAT(Say({"prompt", "4"}).err,
              HasSubstr("a: no node 4; it has 4, counted from 0"));
  EXPECT_THAT(Say({"prompt", "leaf"}).err, HasSubstr("'leaf' is no node"));
  EXPECT_THAT(Say({"prompt", "1", "--role", "boss"}).err,
              HasSubstr("--role boss: expected plan, code or debug"));
  EXPECT_THAT(Say({"prompt", "1", "--campaign", "b"}).err,
              HasSubstr("no campaign 'b'"));
}

// Node 3 was the last, and nothing was tried on it.
TEST_F(PromptVerbTest, WithoutAPlanThereIsNothingToRealise) {
  const Said said = Prompt({"best", "--role", "code"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, HasSubstr(": no attempt on it has a plan for the code "
                                  "agent yet; see --role plan\n"));
  EXPECT_EQ(said.out, "");
}

}  // namespace
}  // namespace coppice::cli
