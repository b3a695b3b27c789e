#include "eval/torch/definition_syntax.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace coppice::eval::torch {
namespace {

// What is said of one definition called f.json, after another that is right.
std::string Wrong(const std::string& reference, const std::string& constraint) {
  Definition good;
  good.reference = "def run(x):\n    return x\n";
  Definition bad = good;
  bad.reference = reference;
  bad.constraints = {"M > 0", constraint};
  const auto checked =
      CheckSyntax("python3", {{"g.json", &good}, {"f.json", &bad}});
  if (checked) return "";
  EXPECT_EQ(checked.error().code, Errc::kCorrupt);
  return checked.error().what;
}

TEST(DefinitionSyntaxTest, WhatIsNoPythonIsNamedByFileAndField) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP();
  const std::string reference = "@f\ndef run(x):\n    return 'x' * 2\n";
  EXPECT_EQ(Wrong(reference, "len(x) == \"M\""), "");
  EXPECT_EQ(Wrong("def run(x):\n    return (x\n", "M").substr(0, 26),
            "f.json: /reference: line 2");
  EXPECT_EQ(Wrong("text = '''\ndef run(x): pass'''\n", "M"),
            "f.json: /reference: defines no function run");
  EXPECT_EQ(Wrong(reference, "M >"),
            "f.json: /constraints/1: line 1: invalid syntax");
  EXPECT_NE(Wrong(reference, ""), "");
  EXPECT_NE(Wrong(std::string("def run(x):\n    return '\0'\n", 27), "M"), "");
}

// More than the kernel takes as an argument.
TEST(DefinitionSyntaxTest, ThereMayBeMuchOfIt) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP();
  Definition large;
  large.reference =
      "def run(x):\n    return x\n" + std::string(3 << 20, '#') + "\n";
  EXPECT_TRUE(CheckSyntax("python3", {{"f.json", &large}}));
}

TEST(DefinitionSyntaxTest, WithoutAPythonNothingIsSaidOfThem) {
  const Definition definition;
  const auto checked = CheckSyntax("/no/python", {{"f.json", &definition}});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, Errc::kUnavailable);
  EXPECT_TRUE(CheckSyntax("/no/python", {}));
}

// A name that is assigned, nested or in a class is no function of the file's.
TEST(DefinitionSyntaxTest, RunIsAFunctionOfTheFilesOwn) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP();
  const char* none = "f.json: /reference: defines no function run";
  for (const char* reference :
       {"", "run = len", "class run: pass", "def runs(x): pass",
        "class A:\n    def run(x): pass", "async def run(x): pass",
        "if True:\n    def run(x): pass"}) {
    EXPECT_EQ(Wrong(reference, "M"), none) << reference;
  }
  EXPECT_EQ(Wrong("x = 1\ndef run(): pass\ndef run(y): pass", "M"), "");
}

TEST(DefinitionSyntaxTest, AConstraintIsAnExpression) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP();
  const std::string reference = "def run(x): pass";
  for (const char* constraint : {"M = 3", "assert M", "M; N", "\"", "M\nN"}) {
    EXPECT_EQ(Wrong(reference, constraint).substr(0, 23),
              "f.json: /constraints/1:")
        << constraint;
  }
  EXPECT_EQ(Wrong(reference, "(M,\n N)"), "");
}

// Places are anything that a file may be called.
TEST(DefinitionSyntaxTest, TheFirstOfSeveralIsNamed) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP();
  Definition none;
  const auto wrong =
      CheckSyntax("python3", {{"it's \"a\"\n{b}", &none}, {"c", &none}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what,
            "it's \"a\"\n{b}: /reference: defines no function run");
}

}  // namespace
}  // namespace coppice::eval::torch
