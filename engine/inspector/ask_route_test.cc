#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/assistant/scripted_model.h"
#include "engine/inspector/inspector.h"
#include "store/scratch.h"
#include "store/write/assistant_turns.h"

namespace coppice::inspector {
namespace {

using nlohmann::json;
using store::Must;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AskRouteTest : public ::testing::Test {
 protected:
  AskRouteTest() {
    store::Grow(database_, campaign_, kRootNode,
                {.source = "a\n", .runtime_s = 2.0});
  }

  // The model's lines are said to who asks next.
  Inspector Serving(std::vector<assistant::Line> lines,
                    bool is_read_only = false) {
    InspectorOptions terms{{path_}, is_read_only, "me"};
    terms.assistant_usd_day = 1.0;
    terms.assistant =
        [lines = std::move(lines)]() -> Result<std::unique_ptr<agents::Model>> {
      return std::make_unique<assistant::ScriptedModel>(lines);
    };
    return Inspector(std::move(terms), clock_);
  }

  static http::Answer Post(Inspector& inspector, const json& question) {
    http::Request request{"POST", "/api/ask"};
    request.body = question.dump();
    return inspector.Answer(request);
  }

  static http::Answer Get(Inspector& inspector, const std::string& target) {
    const std::size_t mark = target.find('?');
    http::Request request{"GET", target.substr(0, mark)};
    if (mark != target.npos) {
      request.query = *http::ParseQuery(target.substr(mark + 1));
    }
    return inspector.Answer(request);
  }

  // Its events: names, and what they say.
  static std::vector<std::pair<std::string, json>> Told(
      const http::Answer& answer) {
    std::string all;
    const std::atomic<bool> is_gone = false;
    answer.pieces([&](const std::string& piece) { all += piece; }, is_gone);
    std::vector<std::pair<std::string, json>> events;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = all.find("\n\n", at);
      const std::string event = all.substr(at, end - at);
      const std::size_t line = event.find('\n');
      // "event: token\ndata: {...}".
      events.emplace_back(event.substr(7, line - 7),
                          json::parse(event.substr(line + 7)));
      at = end + 2;
    }
    return events;
  }

  static std::vector<std::string> NamesOf(
      const std::vector<std::pair<std::string, json>>& events) {
    std::vector<std::string> names;
    for (const auto& [name, data] : events) names.push_back(name);
    return names;
  }

  store::ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  store::Database database_ = store::NewFile(path_);
  CampaignId campaign_ = store::Plant(database_, "a b");
  const engine::SystemClock clock_{};
};

TEST_F(AskRouteTest, AnAnswerComesInEvents) {
  Inspector inspector =
      Serving({{"I look.",
                {{"node", R"({"n":1})"},
                 {"propose", R"({"kind":"pin","subject":"n:1","why":"!"})"}}},
               {"It is [[n:1]] by [[d:0]] at 2x, not [[n:9]] at 7.5x.", {}}});
  const http::Answer answer =
      Post(inspector, {{"db", 0}, {"c", "a b"}, {"question", "Which?"}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.type, "text/event-stream");
  const auto events = Told(answer);
  EXPECT_THAT(NamesOf(events),
              ElementsAre("token", "tool", "tool", "card", "token", "done"));
  EXPECT_EQ(events[0].second["text"], "I look.");
  EXPECT_EQ(events[1].second["name"], "node");
  EXPECT_EQ(events[1].second["rows"], 1);
  EXPECT_EQ(events[3].second["kind"], "pin");
  const json& done = events[5].second;
  EXPECT_EQ(
      done["cites"],
      json({{{"text", "[[n:1]]"}, {"href", "/c/a%20b/n/1"}, {"exists", true}},
            {{"text", "[[d:0]]"},
             {"href", "/c/a%20b/n/1?tab=decision"},
             {"exists", true}},
            {{"text", "[[n:9]]"}, {"href", nullptr}, {"exists", false}}}));
  EXPECT_EQ(done["not_found"], json({"7.5"}));
  EXPECT_EQ(done["cost_usd"], 0.5);  // Two requests of 0.25.
  EXPECT_EQ(done["cap_usd_day"], 1.0);
  EXPECT_EQ(done["conversation"].get<std::string>().size(), 36U);
}

TEST_F(AskRouteTest, UnderReadOnlyNothingIsAsked) {
  Inspector inspector = Serving({{"Never.", {}}}, true);
  EXPECT_EQ(Post(inspector, {{"c", "a b"}, {"question", "Which?"}}).status,
            405);
  EXPECT_EQ(Get(inspector, "/api/questions").status, 200);
}

TEST_F(AskRouteTest, WithoutAModelItSaysWhatToDo) {
  Inspector inspector({{path_}, false, "me"}, clock_);
  const http::Answer answer =
      Post(inspector, {{"c", "a b"}, {"question", "Which?"}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("assistant_model"));
  EXPECT_EQ(json::parse(Get(inspector, "/api/state").body)["has_assistant"],
            false);
}

TEST_F(AskRouteTest, WhatIsNoQuestionIsRefusedBeforeAWordIsTold) {
  Inspector inspector = Serving({{"Never.", {}}});
  for (const json& bad :
       {json(1), json::object(), json{{"c", "a b"}, {"question", " "}},
        json{{"c", "a b"}, {"question", 1}},
        json{{"c", "a b"}, {"question", "Q"}, {"conversation", "x"}},
        json{{"c", "a b"}, {"question", std::string(30000, 'q')}}}) {
    EXPECT_EQ(Post(inspector, bad).status, 400) << bad.dump().substr(0, 80);
  }
  EXPECT_EQ(Post(inspector, {{"c", "b"}, {"question", "Q"}}).status, 404);
  EXPECT_EQ(
      Post(inspector, {{"db", 7}, {"c", "a b"}, {"question", "Q"}}).status,
      404);
}

TEST_F(AskRouteTest, AModelThatFailsIsAnEvent) {
  Inspector inspector = Serving({});
  const auto events =
      Told(Post(inspector, {{"c", "a b"}, {"question", "Which?"}}));
  ASSERT_THAT(NamesOf(events), ElementsAre("error"));
  EXPECT_EQ(events[0].second["error"], "the script is at its end");
}

TEST_F(AskRouteTest, CannedQuestionsNeedNoModel) {
  Inspector inspector({{path_}, true, "me"}, clock_);
  const json all = json::parse(Get(inspector, "/api/questions").body);
  EXPECT_GE(all.size(), 10U);
  EXPECT_EQ(all[0]["name"], "why_failed");
  EXPECT_EQ(all[0]["numbers"], 1);
  const json answer = json::parse(
      Get(inspector, "/api/questions?c=a+b&q=what+is+fastest").body);
  EXPECT_EQ(answer["question"], "What is fastest?");
  EXPECT_EQ(answer["rows"][0][1], 1);  // Its column `node`.
  EXPECT_EQ(Get(inspector, "/api/questions?c=a+b&q=hello").status, 400);
}

TEST_F(AskRouteTest, TurnsAreListed) {
  store::TurnIntent intent;
  intent.origin = {store::NextUuid(), 1, campaign_, "Which?"};
  intent.provider = "openai";
  intent.model = "m";
  intent.request = "{}";
  intent.sent_at_s = 1000.0;
  store::AssistantTurns kept(database_);
  TransportResult end;
  end.answer = "[[n:1]] beats [[n:77]].";
  Must(kept.End(Must(kept.Begin(intent, {})), end));
  Inspector inspector({{path_}, true, "me"}, clock_);
  const json turns = json::parse(Get(inspector, "/api/turns").body);
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0]["question"], "Which?");
  EXPECT_EQ(turns[0]["c"], "a b");
  EXPECT_EQ(turns[0]["at_s"], 1000.0);
  // There is no node 77.
  EXPECT_EQ(
      turns[0]["cites"],
      json({{{"text", "[[n:1]]"}, {"href", "/c/a%20b/n/1"}, {"exists", true}},
            {{"text", "[[n:77]]"}, {"href", nullptr}, {"exists", false}}}));
  EXPECT_EQ(json::parse(Get(inspector, "/api/turns?limit=0").body).size(), 0U);
}

}  // namespace
}  // namespace coppice::inspector
