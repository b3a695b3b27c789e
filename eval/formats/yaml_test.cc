#include "eval/formats/yaml.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace coppice::eval {
namespace {

std::string JsonIn(const std::string& text) {
  const auto document = ParseYaml(text, "t.yml");
  return document ? document->dump() : document.error().what;
}

TEST(YamlTest, BlocksAndFlowsAreRead) {
  EXPECT_EQ(JsonIn("# A comment.\n"
                   "lang: py\n"
                   "tests:\n"
                   "  - {\"size\": 127, \"case\": \"dense\"}\n"
                   "  - size: 128\n"
                   "    ks: [1, 2]\n"
                   "text: |\n"
                   "  One\n"
                   "  two\n"),
            R"({"lang":"py","tests":[{"size":127,"case":"dense"},)"
            R"({"size":128,"ks":[1,2]}],"text":"One\ntwo\n"})");
}

// What is in quotes is a text.
TEST(YamlTest, ScalarsHaveTheTypesOfTheCoreSchema) {
  EXPECT_EQ(
      JsonIn("[1, -2, 0.5, 1e-3, true, False, null, ~, py, \"1\", 'true']"),
      R"([1,-2,0.5,0.001,true,false,null,null,"py","1","true"])");
}

TEST(YamlTest, WhatIsNoneSaysTheLine) {
  EXPECT_EQ(JsonIn("a: 1\nb: [1, 2\n"),
            "t.yml:3: not YAML: end of sequence flow not found");
  EXPECT_EQ(JsonIn("a: 1\nb: 2\na: 3\n"),
            "t.yml:3: not YAML: \"a\" is there twice");
  EXPECT_EQ(JsonIn("a: &x [*x]\n"),
            "t.yml:1: not YAML: nested over 200 deep, or too large");
}

// 10^9 texts, of a hundred bytes.
TEST(YamlTest, AliasesDoNotMultiplyWithoutEnd) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k == 0 ? "" : ", ") + before;
    text += "]\n";
  }
  EXPECT_NE(JsonIn(text).find("or too large"), std::string::npos);
}

}  // namespace
}  // namespace coppice::eval
