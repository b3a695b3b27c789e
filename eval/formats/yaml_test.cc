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

// Latin-1 has an e with an accent in one byte.
TEST(YamlTest, WhatIsNoUtf8IsNoYaml) {
  const std::string complaint = "not YAML: a text that is not UTF-8";
  EXPECT_EQ(JsonIn("a: 1\nb: caf\xe9\n"), "t.yml:2: " + complaint);
  EXPECT_EQ(JsonIn("a: [1, \"\xff\"]\n"), "t.yml:1: " + complaint);
  EXPECT_EQ(JsonIn("a: 1\ncaf\xe9: 2\n"), "t.yml:2: " + complaint);
  EXPECT_EQ(JsonIn("caf\xc3\xa9: \"\xe2\x82\xac\"\n"),
            "{\"caf\xc3\xa9\":\"\xe2\x82\xac\"}");
}

TEST(YamlTest, ANameIsAText) {
  EXPECT_EQ(JsonIn("{1: a, true: b, 0.5: c}"),
            R"({"1":"a","true":"b","0.5":"c"})");
  EXPECT_EQ(JsonIn("a: 1\n? [b, c]\n: 2\n").substr(0, 17), "t.yml:2: not YAML");
}

TEST(YamlTest, AnEmptyValueIsNull) {
  EXPECT_EQ(JsonIn(""), "null");
  EXPECT_EQ(JsonIn("a:\nb: ''\n"), R"({"a":null,"b":""})");
}

// What does not fit 64 bits is a number, and what looks like one may be a text.
TEST(YamlTest, NumbersMayBeLarge) {
  EXPECT_EQ(JsonIn("[9223372036854775807, -9223372036854775808]"),
            "[9223372036854775807,-9223372036854775808]");
  EXPECT_EQ(JsonIn("[9223372036854775808]"), "[9.223372036854776e+18]");
  EXPECT_EQ(JsonIn("[1 2, 1.2.3, 1-2]"), R"(["1 2","1.2.3","1-2"])");
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
