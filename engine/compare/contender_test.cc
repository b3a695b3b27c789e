#include "engine/compare/contender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace coppice::engine
