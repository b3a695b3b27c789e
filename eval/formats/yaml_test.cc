#include "eval/formats/yaml.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace coppice::eval {
namespace {

std::string Parsed(const std::string& text) {
  const auto parsed = ParseYaml(text, "f.yaml");
  return parsed ? parsed->dump() : parsed.error().what;
}

TEST(YamlTest, MappingsNestByIndentation) {
  EXPECT_EQ(Parsed("---\n"
                   "a: 1\n"
                   "\n"
                   "outer:   # said beside it\n"
                   "    inner:\n"
                   "      x: 0.5\n"
                   "    other: two words\n"
                   "none:\n"
                   "z: ~\n"),
            R"({"a":"1","outer":{"inner":{"x":"0.5"},"other":"two words"},)"
            R"("none":null,"z":null})");
  EXPECT_EQ(Parsed("# nothing\n"), "{}");
}

TEST(YamlTest, ListsAreOfScalars) {
  EXPECT_EQ(Parsed("names:\n- a\n- 'b''s'\nmore:\n  - true\n"),
            R"({"names":["a","b's"],"more":[true]})");
}

TEST(YamlTest, ALineMayHoldAWholeMapping) {
  EXPECT_EQ(Parsed("moe: {rtol: 0.1, extra: {n: [1, 2]}, \"k:\": a#b}\n"),
            R"({"moe":{"rtol":"0.1","extra":{"n":["1","2"]},"k:":"a#b"}})");
  EXPECT_EQ(Parsed("a: []\r\nb: \"x # y\" # z\r\n"), R"({"a":[],"b":"x # y"})");
}

TEST(YamlTest, WhatIsNotReadIsNamedByItsLine) {
  EXPECT_EQ(Parsed("a: 1\n  b: 2\n"),
            "f.yaml:2: is indented as nothing above it is");
  EXPECT_EQ(Parsed("a:\n\tb: 2\n"), "f.yaml:2: is indented by a tab");
  EXPECT_EQ(Parsed("a\n"), "f.yaml:1: \"a\" is no `KEY: VALUE`");
  EXPECT_EQ(Parsed("a: &x 1\n"),
            "f.yaml:1: \"&\" of YAML is not read; write a plain value");
  EXPECT_EQ(Parsed("a:\n- b: 1\n"),
            "f.yaml:2: a list of mappings is not read; write it in braces");
  EXPECT_EQ(Parsed("a: {b: 1\n"), "f.yaml:1: \"}\" is missing in the line");
  EXPECT_EQ(Parsed("a: {b}\n"),
            "f.yaml:1: expected `KEY: VALUE` within braces");
  EXPECT_EQ(Parsed("a: 'b\n"), "f.yaml:1: a quote is not closed in the line");
  EXPECT_EQ(Parsed("a: 'b' c\n"), "f.yaml:1: unexpected \"c\"");
  EXPECT_EQ(Parsed("a: \"\\n\"\n"), "f.yaml:1: escapes in quotes are not read");
  EXPECT_EQ(Parsed("a: " + std::string(200, '[')),
            "f.yaml:1: is nested too deeply");
}

}  // namespace
}  // namespace coppice::eval
