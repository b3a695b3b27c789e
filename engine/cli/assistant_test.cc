#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/cli/rehearsal.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class AskTest : public ::testing::Test, protected Rehearsal {
 protected:
  // A model that looks the leaders up, and then gives the answer.
  std::string ModelThatSays(const std::string& answer) const {
    const std::string script = File("model.sh").string();
    std::ofstream(script) << "if grep -q '\"result_of\"'; then cat <<'END'\n"
                          << answer << "\nEND\nelse\n"
                          << R"(echo '{"tool": "sql", "arguments": {"query": )"
                          << R"("SELECT node, speedup FROM leaderboard"}}')"
                          << "\nfi\n";
    return "exec:sh " + script;
  }

  Said AskModel(const std::string& answer, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"ask", "--model", ModelThatSays(answer),
                                      "--assistant-usd-day", "none"};
    words.insert(words.end(), more.begin(), more.end());
    words.emplace_back("what is fastest?");
    return Say(words);
  }
};

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

TEST_F(AskTest, AModelAnswersWithLinksThatWereChecked) {
  const Said said =
      AskModel("It is [[n:3]] at 4.0x; [[n:9]] would be at 7.5x.");
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(said.out,
              StartsWith("It is node 3 at 4.0x; ~~[[n:9]]~~ would be at "
                         "7.5(not found)x.\n\ncoppice show 3 --campaign a"));
  EXPECT_THAT(said.out, HasSubstr("unknown cost, 2 requests, "));
  EXPECT_THAT(
      said.err,
      HasSubstr(R"(  sql {"query":"SELECT node, speedup FROM leaderboard"}: )"
                "3 rows\n"));
  EXPECT_THAT(
      store::Rows(database(),
                  "SELECT campaign, role, provider, outcome FROM"
                  " assistant_turns"),
      ElementsAre("a|assistant|exec|answered", "a|assistant|exec|answered"));
}

TEST_F(AskTest, OnATerminalWhatIsNotThereIsStruckOut) {
  terminal = true;
  EXPECT_THAT(AskModel("See [[n:9]]. ").out,
              HasSubstr("\033[9m[[n:9]]\033[29m"));
}

TEST_F(AskTest, AModelCannotSteerATerminal) {
  EXPECT_THAT(AskModel("a\033[2Jb").out, Not(HasSubstr("\033[2J")));
}

TEST_F(AskTest, JsonHasAllOfAnAnswer) {
  const auto json =
      nlohmann::json::parse(AskModel("It is [[n:3]] at 7.5x.", {"--json"}).out);
  EXPECT_EQ(json.at("answer"), "It is [[n:3]] at 7.5x.\n");
  EXPECT_EQ(json.at("cites").at(0).at("exists"), true);
  EXPECT_EQ(json.at("not_found"), nlohmann::json::array({"7.5"}));
  EXPECT_EQ(json.at("cost_usd"), nullptr);
}

TEST_F(AskTest, ACapNeedsAPriceAndIsSaidHowToSet) {
  const Said said =
      Say({"ask", "--model", ModelThatSays("x"), "what is fastest?"});
  EXPECT_NE(said.exit, Exit::kDone);
  EXPECT_THAT(said.err, AllOf(HasSubstr("price is not known"),
                              HasSubstr("assistant_usd_day")));
}

TEST_F(AskTest, TypedQuestionsAreOneConversation) {
  terminal = true;
  const std::string model = ModelThatSays("So.");
  const Said said =
      Say({"ask", "--model", model, "--assistant-usd-day", "none"},
          "what is fastest?\n\nsure?\n");
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(store::Rows(database(),
                          "SELECT count(DISTINCT conversation),"
                          " max(question_number) FROM assistant_turns"),
              ElementsAre("1|2"));
}

}  // namespace
}  // namespace coppice::cli
