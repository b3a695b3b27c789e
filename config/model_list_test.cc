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
  for (const char* text : {"", ":x", "openai:", "openai:a,ollama:"}) {
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

}  // namespace
}  // namespace coppice::config
