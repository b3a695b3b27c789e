#include "eval/formats/eval_config.h"

#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

Definition Called(const std::string& name, const std::string& op_type) {
  Definition definition;
  definition.name = name;
  definition.op_type = op_type;
  return definition;
}

constexpr char kLayers[] =
    "use_isolated_runner: true\n"
    "atol: 1e-3\n"
    "op_type_config:\n"
    "  moe: {required_matched_ratio: 0.9, rtol: 0.05, atol: 0.5}\n"
    "  gemm:\n"
    "    warmup_runs: 0\n"
    "    iterations: 7\n"
    "definition_config:\n"
    "  moe_small:\n"
    "    rtol: 0.25\n"
    "    num_trials: 2\n"
    "    extra: {anything: 1}\n";

TEST(EvalConfigTest, TheNearerLayerWinsAndTheTopOverAll) {
  const auto of = [](const std::string& name, const std::string& op_type) {
    return *EvalConfigOf(kLayers, "c.yaml", Called(name, op_type));
  };
  EXPECT_EQ(of("moe_small", "moe"),
            (EvalConfig{.num_trials = 2,
                        .rtol = 0.25,
                        .atol = 1e-3,
                        .required_matched_ratio = 0.9}));
  EXPECT_EQ(
      of("moe_large", "moe"),
      (EvalConfig{.rtol = 0.05, .atol = 1e-3, .required_matched_ratio = 0.9}));
  EXPECT_EQ(of("any", "gemm"),
            (EvalConfig{.warmup_runs = 0, .iterations = 7, .atol = 1e-3}));
  EXPECT_EQ(of("any", "norm"), (EvalConfig{.atol = 1e-3}));
}

TEST(EvalConfigTest, WithoutAFileMixturesMayMissSome) {
  EXPECT_EQ(BundledEvalConfig(Called("a", "moe")).required_matched_ratio, 0.95);
  EXPECT_EQ(BundledEvalConfig(Called("a", "gemm")), EvalConfig{});
}

TEST(EvalConfigTest, AFileThatDoesNotNameAnOperatorLeavesItsRule) {
  const auto ratio = [](const std::string& yaml) {
    return EvalConfigOf(yaml, "c.yaml", Called("a", "moe"))
        ->required_matched_ratio;
  };
  EXPECT_EQ(ratio("op_type_config: {gemm: {rtol: 0.5}}"), 0.95);
  EXPECT_EQ(ratio("definition_config: {a: {rtol: 0.5}}"), 0.95);
  EXPECT_EQ(ratio("op_type_config:\nrtol: 0.5"), 0.95);
  EXPECT_EQ(ratio("op_type_config: {moe: {rtol: 0.5}}"), std::nullopt);
  EXPECT_EQ(ratio("op_type_config: {moe: null}"), std::nullopt);
  EXPECT_EQ(ratio("definition_config: {a: {required_matched_ratio: 1}}"), 1.0);
  EXPECT_EQ(ratio("required_matched_ratio: 0.5"), 0.5);
}

TEST(EvalConfigTest, AKeyThatNobodyKnowsIsNamedWithTheNearest) {
  const auto complaint = [](const std::string& yaml) {
    const auto config = EvalConfigOf(yaml, "c.yaml", Called("a", "b"));
    return config ? "none" : config.error().what;
  };
  EXPECT_EQ(complaint("rotl: 0.5"),
            "c.yaml: /rotl: unknown key; did you mean 'rtol'?");
  EXPECT_EQ(complaint("op_type_confg: {moe: {}}"),
            "c.yaml: /op_type_confg: unknown key; did you mean "
            "'op_type_config'?");
  EXPECT_EQ(complaint("definition_config: {c: {iteration: 3}}"),
            "c.yaml: /definition_config/c/iteration: unknown key; did you "
            "mean 'iterations'?");
  EXPECT_EQ(complaint("op_type_config: {b: {timeout_seconds: 3}}"),
            "c.yaml: /op_type_config/b/timeout_seconds: unknown key");
  EXPECT_EQ(complaint("gemm: {rtol: 0.5}"), "c.yaml: /gemm: unknown key");
  EXPECT_EQ(complaint("timeout_seconds: 3"), "none");
  EXPECT_EQ(complaint("op_type_config: {b: {extra: {rotl: 3}}}"), "none");
}

TEST(EvalConfigTest, AFileHasSomething) {
  for (const char* text : {"", "# A comment.\n", "null", "---\n"}) {
    const auto config = EvalConfigOf(text, "c.yaml", Called("a", "b"));
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().what, "c.yaml: is empty");
  }
  const auto list = EvalConfigOf("[rtol]", "c.yaml", Called("a", "b"));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().what, "c.yaml: expected an object");
}

TEST(EvalConfigTest, WhatIsOutOfRangeIsNamed) {
  const auto complaint = [](const std::string& yaml) {
    return EvalConfigOf(yaml, "c.yaml", Called("a", "b")).error().what;
  };
  EXPECT_EQ(complaint("warmup_runs: -1"),
            "c.yaml: /warmup_runs: expected an integer >= 0");
  EXPECT_EQ(complaint("iterations: 0"),
            "c.yaml: /iterations: expected an integer from 1 to 10^6");
  EXPECT_EQ(complaint("rtol: 0"), "c.yaml: /rtol: expected a number above 0");
  EXPECT_EQ(complaint("atol: nan"), "c.yaml: /atol: expected a number above 0");
  EXPECT_EQ(complaint("op_type_config: {c: {required_matched_ratio: 1.1}}"),
            "c.yaml: /op_type_config/c/required_matched_ratio: expected a "
            "number above 0 and up to 1");
  EXPECT_EQ(complaint("definition_config: 3"),
            "c.yaml: /definition_config: expected an object");
}

}  // namespace
}  // namespace coppice::eval
