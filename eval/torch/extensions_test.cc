#include "eval/torch/extensions.h"

#include <gtest/gtest.h>

namespace coppice::eval::torch {
namespace {

InlineLibrary MadeWith(Verdict verdict, const std::string& outcome) {
  InlineLibrary made;
  made.compiled.verdict = verdict;
  made.compiled.object = "/cache/extension.so";
  made.compiled.diagnostics = "what the compilers printed";
  made.outcome = outcome;
  return made;
}

Extension Passed(const std::string& outcome) {
  return ExtensionOf(MadeWith(Verdict::kPassed, outcome), "/cache/bridge.so");
}

TEST(ExtensionsTest, OnlyTheFirstLevelNeedsTheBridge) {
  const Extension first =
      Passed(R"({"level": "lookalike", "diagnostics": "a warning"})");
  EXPECT_EQ(first.level, "lookalike");
  EXPECT_EQ(first.diagnostics, "a warning");
  EXPECT_EQ(first.library, "/cache/extension.so");
  EXPECT_EQ(first.bridge, "/cache/bridge.so");
  EXPECT_TRUE(Passed(R"({"level": "full"})").bridge.empty());
}

TEST(ExtensionsTest, WhatDoesNotCompileNeedsNoBridge) {
  const Extension failed = ExtensionOf(
      MadeWith(Verdict::kCompileFailed,
               R"({"level": "lookalike", "diagnostics": "no semicolon"})"),
      "/cache/bridge.so");
  EXPECT_EQ(failed.verdict, Verdict::kCompileFailed);
  EXPECT_EQ(failed.diagnostics, "no semicolon");
  EXPECT_TRUE(failed.bridge.empty());
}

// It ended before it could say.
TEST(ExtensionsTest, WithoutAnOutcomeThereIsWhatWasPrinted) {
  for (const char* outcome : {"", "{", "null", "[]", "7", "\"full\""}) {
    const Extension silent = Passed(outcome);
    EXPECT_EQ(silent.level, "full") << outcome;
    EXPECT_EQ(silent.diagnostics, "what the compilers printed") << outcome;
    EXPECT_TRUE(silent.bridge.empty()) << outcome;
  }
}

TEST(ExtensionsTest, AnOutcomeOfOtherTypesSaysNothing) {
  const Extension odd = Passed(R"({"level": 1, "diagnostics": ["x"]})");
  EXPECT_EQ(odd.verdict, Verdict::kPassed);
  EXPECT_EQ(odd.level, "full");
  EXPECT_EQ(odd.diagnostics, "");
}

}  // namespace
}  // namespace coppice::eval::torch
