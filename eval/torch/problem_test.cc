#include "eval/torch/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eval/judge/call_channel.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/verdicts.h"

namespace coppice::eval::torch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// DType 0 is float32, 6 is int64; an input without a shape is a number.
Task Described(const std::string& inputs, const std::string& outputs,
               const std::string& more = "") {
  const auto task = TaskOf(R"({"description": "", "root": "class ModelNew",
      "inputs": )" + inputs + R"(, "outputs": )" +
                               outputs + more + "}",
                           {.name = "p.py", .source = "class Model"});
  EXPECT_TRUE(task) << task.error().what;
  return *task;
}

TEST(ProblemTest, ItsSizesAreAxes) {
  const Task task = Described(
      R"([{"name": "x", "dtype": 0, "shape": [64, 3]},
          {"name": "n", "dtype": 6, "shape": null}])",
      R"([{"dtype": 0, "shape": [3, 64]}])");
  const Definition& definition = task.definition;
  ASSERT_EQ(definition.inputs.size(), 2U);
  EXPECT_THAT(*definition.inputs[0].shape, ElementsAre("n64", "n3"));
  EXPECT_FALSE(definition.inputs[1].shape);
  EXPECT_EQ(definition.inputs[1].dtype, DType::kInt64);
  ASSERT_EQ(definition.outputs.size(), 1U);
  EXPECT_EQ(definition.outputs[0].name, "output");
  ASSERT_EQ(definition.axes.size(), 2U);  // Each size once.
  EXPECT_EQ(definition.axes[0].name, "n3");
  EXPECT_EQ(definition.axes[0].constant, 3);
  EXPECT_EQ(definition.axes[1].name, "n64");
  EXPECT_EQ(task.workloads.front().inputs.size(), 2U);
  EXPECT_EQ(task.root.sources.front().content, "class ModelNew");
  EXPECT_EQ(definition.reference, "class Model");
}

TEST(ProblemTest, NoTwoTensorsHaveOneName) {
  const char* tensor = R"({"name": "output1", "dtype": 0, "shape": []})";
  const Task task =
      Described(std::string("[") + tensor + ", " + tensor + ", " + tensor + "]",
                R"([{"dtype": 0, "shape": []}, {"dtype": 0, "shape": [0]}])");
  EXPECT_EQ(task.definition.inputs[0].name, "output1");
  EXPECT_EQ(task.definition.inputs[1].name, "output1_");
  EXPECT_EQ(task.definition.inputs[2].name, "output1__");
  EXPECT_EQ(task.definition.outputs[0].name, "output1___");
  EXPECT_EQ(task.definition.outputs[1].name, "output2");
  EXPECT_EQ(task.definition.axes[0].constant, 0);
}

TEST(ProblemTest, ItMaySayHowCloseIsCloseEnough) {
  EXPECT_THAT(Described("[]", "[]").definition.tags, testing::IsEmpty());
  EXPECT_THAT(Described("[]", "[]",
                        R"(, "closeness": {"relative": 0.5, "absolute": 0.25})")
                  .definition.tags,
              ElementsAre("rtol:0.5", "atol:0.25"));
}

TEST(ProblemTest, WhatDescribesNothingIsNamed) {
  for (const char* text : {"", "[]", "{", "null"}) {
    const auto task = TaskOf(text, {.name = "p.py", .source = ""});
    ASSERT_FALSE(task) << text;
    EXPECT_EQ(task.error().code, Errc::kUnavailable);
    EXPECT_EQ(task.error().what, "p.py: cannot be described");
  }
  const auto large =
      TaskOf(R"({"input_bytes": 5000000000})", {.name = "p.py", .source = ""});
  EXPECT_EQ(large.error().code, Errc::kUnfit);
  EXPECT_THAT(large.error().what, HasSubstr("p.py: its inputs are 5.0 GB"));
}

constexpr const char* kRight = R"({"wrong": 0, "worst_error_ratio": "0.5",
    "max_absolute_error": "0.25", "max_relative_error": "nan"})";
constexpr const char* kWrongElement = R"({"wrong": 2, "element": 1,
    "got": "nan", "expected": "2.0", "allowed": "0.1",
    "worst_error_ratio": "inf", "max_absolute_error": "inf",
    "max_relative_error": "0.5"})";

std::string FoundBy(const std::vector<std::string>& findings,
                    const char* changed = "false") {
  std::string all;
  for (const std::string& one : findings) all += (all.empty() ? "" : ",") + one;
  return std::string(R"({"changed_input": )") + changed + R"(, "findings": [)" +
         all + "]}";
}

// Two outputs of two elements each.
std::vector<Returned> TwoOutputs() {
  const Returned pair{.dtype = DType::kFloat32, .sizes = {2}, .bytes = {}};
  return {pair, pair};
}

TEST(ProblemTest, AKeepersFindingsAreAJudgement) {
  const Judgement right = JudgementOf(FoundBy({kRight, kRight}), TwoOutputs());
  EXPECT_EQ(right.verdict, Verdict::kPassed);
  EXPECT_EQ(right.worst_error_ratio, 0.5);
  EXPECT_EQ(right.max_absolute_error, 0.25);
  EXPECT_EQ(right.max_relative_error, 0.0);  // What is no number is no error.
  EXPECT_EQ(JudgementOf(FoundBy({}), {}).verdict, Verdict::kPassed);
}

// The third finding is of the second set's first output.
TEST(ProblemTest, TheFirstWrongOutputOfAnySetIsTold) {
  const Judgement second = JudgementOf(
      FoundBy({kRight, kRight, kWrongElement, kRight}), TwoOutputs());
  EXPECT_EQ(second.verdict, Verdict::kWrongOutput);
  EXPECT_THAT(second.log, HasSubstr("output y1[1] (element 1): got nan"));
  EXPECT_THAT(second.log, HasSubstr("expected 2"));
  EXPECT_EQ(second.worst_error_ratio, HUGE_VAL);
  EXPECT_EQ(second.max_relative_error, 0.5);
  EXPECT_THAT(
      JudgementOf(FoundBy({kRight, kWrongElement, kWrongElement}), TwoOutputs())
          .log,
      HasSubstr("output y2[1]"));
}

// It is rejected, whatever its outputs are.
TEST(ProblemTest, AChangedInputIsABreach) {
  const Judgement changed =
      JudgementOf(FoundBy({kWrongElement}, "true"), TwoOutputs());
  EXPECT_EQ(changed.verdict, Verdict::kRejected);
  EXPECT_EQ(changed.breach, Breach::kWroteInput);
  EXPECT_EQ(changed.log, "it changed an input");
}

Reaction Ended(Verdict verdict, const std::string& log) {
  Reaction reaction;
  reaction.verdict = verdict;
  reaction.log = log;
  return reaction;
}

TEST(ProblemTest, WantOfTimeOrMemorySaysWhatToDo) {
  const Error late = UnusableFor(
      "p",
      "its root: ", Ended(Verdict::kTimedOut, "did not return within 60 s"),
      "compile-timeout-s");
  EXPECT_EQ(late.code, Errc::kUnfit);
  EXPECT_EQ(
      late.what,
      "p: its root: did not return within 60 s; --compile-timeout-s "
      "allows more, and a copy of its file with smaller sizes needs less");
  for (const char* log : {"out of memory", "line 7: CUDA error: out of memory",
                          "killed: most likely there was no memory left"}) {
    const Error large =
        UnusableFor("p", "", Ended(Verdict::kCrashed, log), "x");
    EXPECT_EQ(large.code, Errc::kUnfit) << log;
    EXPECT_EQ(large.what, std::string("p: ") + log +
                              "; a copy of its file with smaller sizes needs "
                              "less");
  }
}

TEST(ProblemTest, WhateverElseIsWrongIsTheFiles) {
  const Error wrong = UnusableFor(
      "p", "", Ended(Verdict::kCrashed, "line 7: ran out of memory cards"),
      "x");
  EXPECT_EQ(wrong.code, Errc::kUsage);
  EXPECT_EQ(wrong.what, "p: line 7: ran out of memory cards");
}

// The order is in mutated_outputs.py's words; tolerances are by DType.
nlohmann::json OrderOf(const Rule& rule) {
  return nlohmann::json::parse(NullsOrder(rule));
}

TEST(ProblemTest, NullCandidatesAreJudgedByTheTasksRule) {
  const auto own = OrderOf({});
  EXPECT_EQ(own["has_variants"], true);
  EXPECT_EQ(own["rule"]["is_exact"], false);
  EXPECT_TRUE(own["rule"]["scale"].is_null());
  EXPECT_TRUE(own["rule"]["matching"].is_null());
  // float32, float16, bfloat16, two of 8 bits, and seven that are exact.
  EXPECT_EQ(own["rule"]["tolerances"],
            nlohmann::json({1e-4, 1e-2, 0x1p-6, 0.125, 0.25, 0.0, 0.0, 0.0, 0.0,
                            0.0, 0.0}));
  const auto published =
      OrderOf({.protocol = Protocol::kBenchmark, .precision = DType::kFloat16});
  EXPECT_EQ(published["has_variants"], false);
  EXPECT_EQ(published["rule"]["is_exact"], true);
  EXPECT_EQ(published["rule"]["tolerances"][0], 1e-2);
  EXPECT_EQ(published["rule"]["tolerances"][6], 1e-2);
}

TEST(ProblemTest, ARuleOfTheTasksOwnIsToldAsItIs) {
  // 2^-3 over 2^-2.
  const auto close =
      OrderOf({.closeness = Closeness{.relative = 0.25, .absolute = 0.125}});
  EXPECT_EQ(close["rule"]["scale"], 0.5);
  EXPECT_EQ(close["rule"]["tolerances"][1], 0.25);
  EXPECT_EQ(close["rule"]["tolerances"][6], 0.0);
  const auto matching = OrderOf(
      {.matching = Matching{.least = 0.5, .absolute = 0.25, .relative = 2.0}});
  EXPECT_EQ(
      matching["rule"]["matching"],
      nlohmann::json({{"least", 0.5}, {"absolute", 0.25}, {"relative", 2.0}}));
}

TEST(ProblemTest, ARootIsABaselineOfItsTask) {
  const Solution root =
      RootOf("p", "model_new.py", "ModelNew", "class ModelNew");
  EXPECT_EQ(root.name, "p_root");
  EXPECT_EQ(root.definition, "p");
  EXPECT_EQ(root.author, "baseline");
  EXPECT_EQ(root.language, Language::kPython);
  EXPECT_EQ(root.entry_file, root.sources.at(0).path);
  EXPECT_EQ(root.entry_symbol, "ModelNew");
}

}  // namespace
}  // namespace coppice::eval::torch
