#include "config/model_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::config {
namespace {

using ::testing::ElementsAre;

// The names of what is read, or why nothing is.
std::vector<std::string> Read(std::string_view text) {
  const auto models = ParseModelList(text);
  if (!models) return {models.error().what};
  std::vector<std::string> names;
  for (const ModelChoice& model : *models) names.push_back(NameOf(model));
  return names;
}

TEST(ModelListTest, CommasPartModels) {
  EXPECT_THAT(Read("openai:a"), ElementsAre("openai:a"));
  EXPECT_THAT(Read("openai:a,ollama:b:7b,catalogue"),
              ElementsAre("openai:a", "ollama:b:7b", "catalogue"));
  EXPECT_EQ(ParseModelList("openai:qwen:7b")->front(),
            (ModelChoice{"openai", "qwen:7b"}));
}

TEST(ModelListTest, ACommaThatNoProviderFollowsIsTheCommands) {
  EXPECT_THAT(Read("exec:awk '{print $1,$2}',exec:cat"),
              ElementsAre("exec:awk '{print $1,$2}'", "exec:cat"));
  EXPECT_THAT(Read("exec:./agent a\\,b,catalogue"),
              ElementsAre("exec:./agent a,b", "catalogue"));
}

TEST(ModelListTest, WhatIsNoListIsSaidInALine) {
  const auto empty = "expected models with commas between, but one is empty";
  for (const char* text : {"openai:a,,openai:b", "openai:a,", ",openai:a"}) {
    EXPECT_THAT(Read(text), ElementsAre(empty)) << text;
  }
  EXPECT_THAT(Read("openai:a,catalogue,openai:a"),
              ElementsAre("expected each model once, but openai:a is there "
                          "twice"));
  for (const char* text : {"", ":x", "openai:", "openai:a,ollama:",
                           "catalogue,open ai:a", "openai:a,,."}) {
    EXPECT_THAT(Read(text), ElementsAre("expected PROVIDER or PROVIDER:MODEL"))
        << text;
  }
}

TEST(ModelListTest, IsReadBackAsItIsPrinted) {
  const ModelList models = {{"exec", "sh -c 'a,b,c:d'"}, {"catalogue", ""}};
  EXPECT_EQ(Print(models), "exec:sh -c 'a\\,b\\,c:d',catalogue");
  EXPECT_EQ(ParseModelList(Print(models)).value(), models);
  EXPECT_TRUE(RunsCommand(models));
  EXPECT_FALSE(RunsCommand({{"catalogue", ""}}));
}

// A comma parts where a name, and then a colon, a comma or the end follow it.
TEST(ModelListTest, WhatFollowsACommaSaysWhetherItParts) {
  EXPECT_THAT(Read("exec:a,b"), ElementsAre("exec:a", "b"));
  EXPECT_THAT(Read("exec:a, b"), ElementsAre("exec:a, b"));
  EXPECT_THAT(Read("exec:a,b c"), ElementsAre("exec:a,b c"));
  EXPECT_THAT(Read("exec:a,b:c d"), ElementsAre("exec:a", "b:c d"));
  EXPECT_THAT(Read("exec:a,b_2-C:c"), ElementsAre("exec:a", "b_2-C:c"));
  EXPECT_THAT(Read("exec:a,b.c:d"), ElementsAre("exec:a,b.c:d"));
  EXPECT_THAT(Read("exec:a\\,b"), ElementsAre("exec:a,b"));
  EXPECT_THAT(Read("exec:a\\\\,b"), ElementsAre("exec:a\\,b"));
  EXPECT_THAT(Read("exec:a\\b"), ElementsAre("exec:a\\b"));
}

TEST(ModelListTest, TheFirstColonPartsProviderAndModel) {
  EXPECT_EQ(ParseModelList("exec:sh -c 'a:b'")->front(),
            (ModelChoice{"exec", "sh -c 'a:b'"}));
  EXPECT_EQ(ParseModelList("a::b")->front(), (ModelChoice{"a", ":b"}));
  EXPECT_EQ(NameOf({"a", ":b"}), "a::b");
}

// Whatever can be read is printed so that the same is read again.
TEST(ModelListTest, EveryListThatIsReadIsReadBack) {
  constexpr std::string_view kLetters = "ab:,\\ ";
  int lists = 0;
  for (unsigned number = 0; number < 6 * 6 * 6 * 6 * 6 * 6; ++number) {
    std::string text = "p:m";
    for (unsigned rest = number; rest > 0; rest /= 6) {
      text += kLetters[rest % 6];
    }
    const auto models = ParseModelList(text);
    if (!models) continue;
    ++lists;
    ASSERT_EQ(ParseModelList(Print(*models)).value_or(ModelList{}), *models)
        << text << " as " << Print(*models);
  }
  EXPECT_GT(lists, 10'000);
}

}  // namespace
}  // namespace coppice::config
