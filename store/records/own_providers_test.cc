#include "store/records/own_providers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace coppice {
namespace {

using ::testing::ElementsAre;

// The names of those of which something is true.
std::vector<std::string> Those(bool (*is_so)(const OwnProvider&)) {
  std::vector<std::string> names;
  for (const OwnProvider& own : kOwnProviders) {
    if (is_so(own)) names.emplace_back(own.name);
  }
  return names;
}

TEST(OwnProvidersTest, EachNameStandsOnce) {
  std::set<std::string_view> names;
  for (const OwnProvider& own : kOwnProviders) {
    EXPECT_TRUE(names.insert(own.name).second) << own.name;
    EXPECT_EQ(OwnProviderOf(own.name).help, own.help);
    EXPECT_NE(own.answerer, Answerer::kListed) << own.name;
  }
}

TEST(OwnProvidersTest, AnyOtherNameIsInTheList) {
  for (const char* name : {"", "openai", "replay:x.jsonl", "Exec"}) {
    const OwnProvider other = OwnProviderOf(name);
    EXPECT_EQ(other.answerer, Answerer::kListed) << name;
    EXPECT_TRUE(other.IsAsked());
    EXPECT_FALSE(other.IsRepeatable());
    EXPECT_FALSE(other.RunsCommand());
  }
}

TEST(OwnProvidersTest, WhatIsTrueOfThemIsInTheirRows) {
  EXPECT_THAT(Those([](const auto& own) { return own.IsAsked(); }),
              ElementsAre("replay", "exec", "session"));
  EXPECT_THAT(Those([](const auto& own) { return own.IsRepeatable(); }),
              ElementsAre("catalogue", "replay"));
  EXPECT_THAT(Those([](const auto& own) { return own.RunsCommand(); }),
              ElementsAre("exec", "session"));
  EXPECT_THAT(Those([](const auto& own) { return own.has_sessions; }),
              ElementsAre("session"));
  EXPECT_THAT(Those([](const auto& own) { return own.help.empty(); }),
              ElementsAre("outside"));
}

TEST(OwnProvidersTest, TheFirstThatAnswersSoGivesTheName) {
  EXPECT_EQ(NameOf(Answerer::kCatalogue), "catalogue");
  EXPECT_EQ(NameOf(Answerer::kCassette), "replay");
  EXPECT_EQ(NameOf(Answerer::kCommand), "exec");
  EXPECT_EQ(NameOf(Answerer::kOutside), "outside");
}

}  // namespace
}  // namespace coppice
