#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AskTest : public ::testing::Test, protected Rehearsal {};

TEST_F(AskTest, ListsWhatNeedsNoModel) {
  const Said said = Say({"ask", "--list"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.out, AllOf(HasSubstr("why_failed"),
                              HasSubstr("Why did node N fail?")));
  EXPECT_GE(nlohmann::json::parse(Say({"ask", "--list", "--json"}).out).size(),
            10u);
}

TEST_F(AskTest, WithoutAModelTheDatabaseAnswers) {
  const Said said = Say({"ask", "what", "is", "fastest?"});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  // Node 3 takes 1 s where the root takes 4.
  EXPECT_THAT(said.out, AllOf(StartsWith("What is fastest?\n\n"),
                              HasSubstr("coppice show 3 --campaign a --db ")));
  EXPECT_THAT(Say({"ask", "why did node 2 fail"}).out,
              AllOf(HasSubstr("Why did node 2 fail?"), HasSubstr("crashed")));
  const auto json =
      nlohmann::json::parse(Say({"ask", "why_failed 2", "--json"}).out);
  EXPECT_EQ(json.at("rows").at(0).at("verdict"), "crashed");
}

TEST_F(AskTest, AQuestionMayComeOnStandardInput) {
  EXPECT_THAT(Say({"ask"}, "what is fastest?\n").out,
              StartsWith("What is fastest?"));
  const Said empty = Say({"ask"}, "\n");
  EXPECT_EQ(empty.exit, Exit::kUsage);
  EXPECT_EQ(empty.err,
            "coppice ask: there is no question; `coppice ask --list` shows "
            "some\n");
}

TEST_F(AskTest, WhatCannotBeAnsweredIsOneLine) {
  EXPECT_EQ(Say({"ask", "hello"}).err,
            "coppice ask: no question like that is known without a model; "
            "`coppice ask --list` shows what can be asked without a model\n");
  EXPECT_EQ(Say({"ask", "why did node 77 fail"}).err,
            "coppice ask: a has no node 77\n");
  EXPECT_EQ(Say({"ask", "--model", "openai:", "why"}).err,
            "coppice ask: --model openai:: expected PROVIDER or "
            "PROVIDER:MODEL\n");
  EXPECT_EQ(Say({"ask", "--model", "exec:a,exec:b", "why"}).err,
            "coppice ask: the assistant has one model, not 2\n");
}

// A question a line, until there are no more; what the last came to counts.
TEST_F(AskTest, OnATerminalQuestionsAreAskedOneByOne) {
  terminal = true;
  const Said said = Say({"ask"}, "what is fastest?\n \nhello\n");
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.out, StartsWith("What is fastest?\n\n"));
  EXPECT_EQ(said.err,
            "? ? ? coppice ask: no question like that is known without a "
            "model; `coppice ask --list` shows what can be asked without a "
            "model\n? \n");
  const Said again = Say({"ask"}, "hello\nwhat is fastest?");
  EXPECT_EQ(again.exit, Exit::kDone);
  EXPECT_THAT(again.out, StartsWith("What is fastest?"));
  EXPECT_EQ(Say({"ask"}, "").exit, Exit::kDone);
}

TEST_F(AskTest, BlanksAreNoQuestion) {
  for (const char* blank : {"", " ", "\t", "\n"}) {
    EXPECT_EQ(Say({"ask", blank}).exit, Exit::kUsage);
    EXPECT_EQ(Say({"ask"}, blank).exit, Exit::kUsage);
  }
}

// The last of several campaigns is asked about, unless one is named.
TEST_F(AskTest, AQuestionIsAboutOneCampaign) {
  store::PlantBeside(database());
  EXPECT_THAT(Say({"ask", "what is fastest?", "--campaign", "a"}).out,
              HasSubstr("coppice show 3 --campaign a --db "));
  const Said said = Say({"ask", "why did node 2 fail"});
  EXPECT_THAT(said.err, HasSubstr("campaign beside, the last of 2"));
  EXPECT_THAT(said.out, HasSubstr("--campaign beside --db "));
  EXPECT_EQ(Say({"ask", "why did node 3 fail", "--campaign", "beside"}).err,
            "coppice ask: beside has no node 3\n");
}

}  // namespace
}  // namespace coppice::cli
