#include "engine/compare/contender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Spelling(const std::string& text) {
  const auto contender = ParseContender(text);
  return contender ? NameOf(*contender) : contender.error().what;
}

TEST(ContenderTest, AllWaysToSayTheSameHaveOneSpelling) {
  EXPECT_EQ(Spelling("stark"), "stark");
  EXPECT_EQ(Spelling("stark:n_root=8,epsilon=0.30"), "stark:n_root=8");
  EXPECT_EQ(Spelling("stark:epsilon=0.4.alone"), "stark:epsilon=0.4.alone");
  EXPECT_EQ(Spelling("stark.alone@grounding=off,window_history=05"),
            "stark.alone@window_history=5,grounding=off");
  EXPECT_EQ(Spelling("greedy@window_history=1,window_history=2"),
            "greedy@window_history=2");
}

TEST(ContenderTest, AgentsAreASettingLikeOthers) {
  EXPECT_EQ(Spelling("stark@window_history=5,agents=alone"),
            "stark.alone@window_history=5");
  EXPECT_EQ(Spelling("stark.alone@agents=team"), "stark");
  EXPECT_THAT(Varied({"stark"}, "agents=team,alone").value(),
              ElementsAre("stark", "stark.alone"));
}

TEST(ContenderTest, MemoryIsItsOwnAndItChangesNoLibrary) {
  EXPECT_EQ(Spelling("stark@memory=old.db"), "stark@memory=old.db");
  EXPECT_THAT(Spelling("stark@remember=yes"),
              HasSubstr("'remember' is no setting"));
  const config::Settings own =
      OwnSettings(ContenderOf("stark.alone@memory=old.db,window_history=2"), {})
          .value();
  EXPECT_EQ(own.memory, "old.db");
  EXPECT_EQ(own.window_history, 2);
  EXPECT_EQ(own.agents, config::Agents::kAlone);
}

TEST(ContenderTest, ItsPartsAreReadFromItsName) {
  const Contender contender =
      ContenderOf("stark:epsilon=0.4.alone@window_history=5,grounding=off");
  EXPECT_EQ(contender.policy, "stark:epsilon=0.4");
  EXPECT_TRUE(contender.alone);
  ASSERT_EQ(contender.settings.size(), 2u);
  EXPECT_EQ(contender.settings[1].key, "grounding");
  EXPECT_EQ(contender.settings[1].value, "off");
  EXPECT_EQ(NameOf(contender),
            "stark:epsilon=0.4.alone@window_history=5,grounding=off");
}

// Both a file and the name that is stored have signs that part the others.
TEST(ContenderTest, AFileInPythonKeepsItsDotsAndItsHash) {
  const Contender stored =
      ContenderOf("python:Mine@0123abcd.alone@window_history=5");
  EXPECT_EQ(stored.policy, "python:Mine@0123abcd");
  EXPECT_TRUE(stored.alone);
  ASSERT_EQ(stored.settings.size(), 1u);
  EXPECT_EQ(stored.settings[0].key, "window_history");
  EXPECT_EQ(NameOf(stored), "python:Mine@0123abcd.alone@window_history=5");
  const Contender typed = ContenderOf("python:./a.alone/b@c.py:Mine");
  EXPECT_EQ(typed.policy, "python:./a.alone/b@c.py:Mine");
  EXPECT_FALSE(typed.alone);
  EXPECT_TRUE(typed.settings.empty());
}

TEST(ContenderTest, WhatIsNoneIsSaidInALine) {
  EXPECT_THAT(Spelling("stark@window_histroy=5"),
              HasSubstr("'window_histroy' is no setting that contenders differ "
                        "in; did you mean window_history?"));
  EXPECT_THAT(Spelling("stark@record=x"), HasSubstr("'record' is no setting"));
  EXPECT_THAT(Spelling("stark@window_history=many"),
              HasSubstr("window_history=many: expected a whole number"));
  EXPECT_THAT(Spelling("stark:eps=1"), HasSubstr("it has epsilon=0.3"));
}

TEST(ContenderTest, EachContenderIsVariedByEachCombination) {
  EXPECT_THAT(
      Varied({"stark", "greedy"}, "window_history=0,5,grounding=used,off")
          .value(),
      ElementsAre("stark@window_history=0,grounding=used",
                  "stark@window_history=0,grounding=off",
                  "stark@window_history=5,grounding=used",
                  "stark@window_history=5,grounding=off",
                  "greedy@window_history=0,grounding=used",
                  "greedy@window_history=0,grounding=off",
                  "greedy@window_history=5,grounding=used",
                  "greedy@window_history=5,grounding=off"));
  EXPECT_EQ(Varied({"stark"}, "5,6").error().what,
            "5: expected KEY=VALUE,VALUE,...");
}

// Whoever types a name may type anything: it is refused in a line.
TEST(ContenderTest, ANameThatIsNoneIsRefusedInOneLine) {
  for (const char* text : {"",
                           ".alone",
                           "@",
                           "stark@=",
                           "stark@window_history",
                           "stark@window_history=",
                           "stark@window_history=-1",
                           "stark@window_history=1e99",
                           "stark:epsilon",
                           "stark:epsilon=",
                           "stark:epsilon=nan",
                           "stark:epsilon=inf",
                           "stark:epsilon=1e999",
                           "stark.alone.alone",
                           "stark@agents=both",
                           "stark@policy=greedy",
                           "stark@seed=3",
                           "stark@db=x",
                           "stark@on_done=rm",
                           "stark@openai_key_command=x",
                           "stark\n",
                           "sta rk"}) {
    const auto contender = ParseContender(text);
    EXPECT_FALSE(contender) << text << " is " << NameOf(*contender);
    if (!contender) {
      EXPECT_EQ(contender.error().code, Errc::kUsage) << text;
    }
  }
}

// The one spelling of the one spelling is itself.
TEST(ContenderTest, ASpellingStaysAsItIs) {
  for (const char* text :
       {"stark", "stark.alone", "stark:epsilon=0.4", "greedy@window_history=0",
        "stark:epsilon=0.4.alone@window_history=5,grounding=off",
        "stark@memory=old.db"}) {
    const std::string once = Spelling(text);
    EXPECT_EQ(once, text);
    EXPECT_EQ(NameOf(ContenderOf(once)), once);
  }
}

// No axis runs a command of the user's, sends a key or writes for others, nor
// is one what makes campaigns comparable.
TEST(ContenderTest, AnAxisIsASettingThatOnlyChangesTheSearch) {
  const std::vector<std::string_view> axes = Axes();
  for (const std::string_view key :
       {"db", "budget", "budget_s", "cap_usd", "seed", "record", "remember",
        "on_done", "on_best", "python", "policy_python", "openai_base_url",
        "openai_api_key_env", "openai_key_command", "anthropic_key_command",
        "models_file", "stop_at_speedup", "policy"}) {
    EXPECT_EQ(std::ranges::find(axes, key), axes.end()) << key;
  }
  EXPECT_NE(std::ranges::find(axes, "window_history"), axes.end());
}

TEST(ContenderTest, AxesMayHaveOneValueAndNoneComesTwice) {
  EXPECT_THAT(Varied({"stark"}, "window_history=0").value(),
              ElementsAre("stark@window_history=0"));
  EXPECT_THAT(Varied({}, "window_history=0,5").value(), ElementsAre());
  for (const char* axes : {",", "=", "window_history=", "=5",
                           "window_history=0,window_history=many"}) {
    EXPECT_FALSE(Varied({"stark"}, axes)) << axes;
  }
}

}  // namespace
}  // namespace coppice::engine
