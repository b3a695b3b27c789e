#include "eval/formats/kernelbench_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/records/evaluation.h"

namespace coppice::eval {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const auto parsed = ParseEvalResults(text, "r.json");
  return parsed ? "none" : parsed.error().what;
}

std::string BaselineErrorOf(const std::string& text) {
  const auto parsed = ParseBaselineTimes(text, "b.json");
  return parsed ? "none" : parsed.error().what;
}

Evaluation Judged(Verdict verdict, std::vector<double> samples_s) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.log = "line 3";
  evaluation.environment.hardware = "NVIDIA H200";
  evaluation.environment.driver = "580";
  if (samples_s.empty()) return evaluation;
  WorkloadResult workload;
  workload.samples_s = std::move(samples_s);
  evaluation.workloads = {workload};
  evaluation.runtime_s = Median(evaluation.workloads[0].samples_s);
  return evaluation;
}

TEST(KernelBenchFilesTest, ResultsAreWrittenAsTheirsAre) {
  // Mean 2 ms; deviations -1, 1, so that std is 1 ms.
  EXPECT_EQ(EvalResultsText(
                {ToKernelBench(19, 1, Judged(Verdict::kCompileFailed, {})),
                 ToKernelBench(19, 0, Judged(Verdict::kPassed, {1e-3, 3e-3})),
                 ToKernelBench(2, 0, Judged(Verdict::kWrongOutput, {}))}),
            R"({
    "2": [
        {
            "sample_id": 0,
            "compiled": true,
            "correctness": false,
            "metadata": {
                "correctness_issue": "wrong_output: line 3"
            },
            "runtime": -1.0,
            "runtime_stats": {}
        }
    ],
    "19": [
        {
            "sample_id": 0,
            "compiled": true,
            "correctness": true,
            "metadata": {
                "hardware": "NVIDIA H200",
                "device": "cuda:0"
            },
            "runtime": 2.0,
            "runtime_stats": {
                "mean": 2.0,
                "std": 1.0,
                "min": 1.0,
                "max": 3.0,
                "num_trials": 2,
                "hardware": "NVIDIA H200",
                "device": "cuda:0"
            }
        },
        {
            "sample_id": 1,
            "compiled": false,
            "correctness": false,
            "metadata": {
                "compilation_error": "compile_failed: line 3"
            },
            "runtime": -1.0,
            "runtime_stats": {}
        }
    ]
})");
}

TEST(KernelBenchFilesTest, MoreThanTenTimesTheSpeedIsFlagged) {
  const auto flagged = [](double speedup) {
    auto result = ToKernelBench(19, 0, Judged(Verdict::kPassed, {1e-3, 3e-3}));
    Restate(0.022, speedup, result);
    const std::string text = EvalResultsText({result});
    return text.find("\"excessive_speedup\": true") != text.npos;
  };
  EXPECT_TRUE(flagged(11.0));
  EXPECT_FALSE(flagged(10.0));
}

// Its session had a mean of 2 ms; where the root takes 12 ms that is 4 ms.
TEST(KernelBenchFilesTest, ARuntimeIsRestatedInSecondsOfTheRoot) {
  auto result = ToKernelBench(19, 0, Judged(Verdict::kPassed, {1e-3, 3e-3}));
  Restate(0.012, 3.0, result);
  EXPECT_DOUBLE_EQ(result.runtime_s.value(), 4e-3);
  EXPECT_DOUBLE_EQ(result.times->mean_s, 4e-3);
  EXPECT_DOUBLE_EQ(result.times->std_s, 2e-3);
  EXPECT_DOUBLE_EQ(result.times->min_s, 2e-3);
  EXPECT_DOUBLE_EQ(result.times->max_s, 6e-3);
  auto failed = ToKernelBench(19, 0, Judged(Verdict::kCrashed, {}));
  Restate(0.012, 3.0, failed);
  EXPECT_FALSE(failed.runtime_s.has_value());
}

TEST(KernelBenchFilesTest, EveryVerdictHasItsWord) {
  const auto said = [](Verdict verdict) {
    const KernelBenchResult result = ToKernelBench(1, 0, Judged(verdict, {}));
    return (result.compiled ? "compiled " : "") + result.complaint;
  };
  EXPECT_EQ(said(Verdict::kPassed), "compiled ");
  EXPECT_EQ(said(Verdict::kCompileFailed), "compilation_error");
  EXPECT_EQ(said(Verdict::kCrashed), "compiled runtime_error");
  EXPECT_EQ(said(Verdict::kTimedOut), "compiled other_error");
  EXPECT_EQ(said(Verdict::kWrongOutput), "compiled correctness_issue");
  EXPECT_EQ(said(Verdict::kRejected), "compiled other_error");
  EXPECT_EQ(said(Verdict::kNoCandidate), "other_error");
  EXPECT_EQ(said(Verdict::kInconclusive), "compiled other_error");
}

TEST(KernelBenchFilesTest, WhatIsWrittenIsReadBack) {
  const auto results = ParseEvalResults(
      EvalResultsText(
          {ToKernelBench(19, 7, Judged(Verdict::kPassed, {1e-3, 3e-3}))}),
      "r.json");
  ASSERT_TRUE(results.has_value()) << results.error().what;
  ASSERT_EQ(results->size(), 1u);
  const KernelBenchResult& result = results->front();
  EXPECT_EQ(result.problem, 19);
  EXPECT_EQ(result.sample, 7);
  EXPECT_TRUE(result.correct);
  EXPECT_DOUBLE_EQ(*result.runtime_s, 2e-3);
  ASSERT_TRUE(result.times.has_value());
  EXPECT_DOUBLE_EQ(result.times->max_s, 3e-3);
  EXPECT_EQ(result.times->trials, 2);
  EXPECT_EQ(result.times->hardware, "NVIDIA H200");
}

TEST(KernelBenchFilesTest, SeveralWorkloadsHaveNoTimesInCommon) {
  Evaluation evaluation = Judged(Verdict::kPassed, {1e-3});
  evaluation.workloads.push_back(evaluation.workloads[0]);
  evaluation.runtime_s = 5e-3;
  const KernelBenchResult result = ToKernelBench(1, 0, evaluation);
  EXPECT_EQ(result.runtime_s, 5e-3);
  EXPECT_FALSE(result.times.has_value());
}

TEST(KernelBenchFilesTest, NullMinusOneAndOldEntriesAreRead) {
  const auto results = ParseEvalResults(
      R"({"3": [null, {"sample_id": 1, "compiled": true, "correctness": true,
                       "metadata": {}, "runtime": -1.0, "runtime_stats": {}}],
          "4": null,
          "5": {"compiled": false, "correctness": false, "runtime": null}})",
      "r.json");
  ASSERT_TRUE(results.has_value()) << results.error().what;
  ASSERT_EQ(results->size(), 2u);
  EXPECT_EQ((*results)[0].sample, 1);
  EXPECT_TRUE((*results)[0].correct);
  EXPECT_FALSE((*results)[0].runtime_s.has_value());
  EXPECT_EQ((*results)[1].problem, 5);
  EXPECT_FALSE((*results)[1].compiled);
}

TEST(KernelBenchFilesTest, MalformedResultsSayWhere) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("r.json: not JSON: "));
  EXPECT_EQ(ErrorOf("[]"), "r.json: expected an object");
  EXPECT_EQ(ErrorOf(R"({"x": []})"),
            "r.json: /x: expected the number of a problem");
  EXPECT_EQ(ErrorOf(R"({"1": 5})"), "r.json: /1: expected an array");
  EXPECT_EQ(ErrorOf(R"({"1": [{"correctness": true}]})"),
            "r.json: /1/0: \"compiled\" is missing");
  EXPECT_EQ(ErrorOf(R"({"1": [{"compiled": 1}]})"),
            "r.json: /1/0/compiled: expected a bool");
  EXPECT_EQ(ErrorOf(R"({"1": [{"compiled": true, "correctness": true,
                              "runtime": "fast"}]})"),
            "r.json: /1/0/runtime: expected a number");
}

// On a GPU, and without a driver's version: PyTorch is asked for neither.
TEST(KernelBenchFilesTest, TheDeviceIsThatOfPyTorch) {
  Evaluation evaluation = Judged(Verdict::kPassed, {1e-3, 3e-3});
  evaluation.environment.driver = "";
  evaluation.environment.flags = "cuda:1";
  EXPECT_EQ(ToKernelBench(19, 0, evaluation).times->device, "cuda:1");
  evaluation.environment.flags = "cpu";
  EXPECT_EQ(ToKernelBench(19, 0, evaluation).times->device, "cpu");
}

constexpr const char* kBaselines = R"({
    "level1": {
        "2_Two.py": null,
        "19_ReLU.py": {
            "mean": 2.5,
            "std": 0.5,
            "min": 2.0,
            "max": 3.0,
            "num_trials": 100,
            "hardware": "NVIDIA H100 80GB HBM3",
            "device": "cuda:0"
        }
    },
    "level2": {},
    "level3": {}
})";

TEST(KernelBenchFilesTest, BaselinesAreReadAndWrittenTheSame) {
  const auto read = ParseBaselineTimes(kBaselines, "b.json");
  ASSERT_TRUE(read.has_value()) << read.error().what;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_FALSE((*read)[0].times.has_value());
  EXPECT_EQ((*read)[1].problem, "19_ReLU.py");
  EXPECT_DOUBLE_EQ((*read)[1].times->mean_s, 2.5e-3);
  EXPECT_EQ(BaselineTimesText({(*read)[1], (*read)[0]}), kBaselines);
}

TEST(KernelBenchFilesTest, MalformedBaselinesSayWhere) {
  EXPECT_EQ(BaselineErrorOf(R"({"1": {}})"),
            "b.json: /1: expected a level, as \"level1\" is");
  EXPECT_EQ(BaselineErrorOf(R"({"level1": []})"),
            "b.json: /level1: expected an object");
  EXPECT_EQ(BaselineErrorOf(R"({"level1": {"a.py": {"mean": 1}}})"),
            "b.json: /level1/a.py: \"std\" is missing");
  EXPECT_EQ(BaselineErrorOf(R"({"level1": {"a.py": {"mean": -1, "std": 0,
                               "min": 1, "max": 1, "num_trials": 1}}})"),
            "b.json: /level1/a.py: its mean is no time");
}

TEST(KernelBenchFilesTest, KernelsAreNamedByLevelProblemAndSample) {
  EXPECT_EQ(KernelFileName(1, 19, 0, Language::kPython),
            "level_1_problem_19_sample_0_kernel.py");
  EXPECT_EQ(KernelFileName(2, 3, 4, Language::kCuda),
            "level_2_problem_3_sample_4_kernel.cu");
  const auto file = ParseKernelFileName("level_2_problem_3_sample_4_kernel.cu");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->level, 2);
  EXPECT_EQ(file->problem, 3);
  EXPECT_EQ(file->sample, 4);
  for (const char* other :
       {"eval_results.json", "level_2_problem_3_sample_4_kernel.txt",
        "level_x_problem_3_sample_4_kernel.py", "level_2", "",
        "level_-1_problem_3_sample_4_kernel.py"}) {
    EXPECT_FALSE(ParseKernelFileName(other).has_value()) << other;
  }
}

TEST(KernelBenchFilesTest, AProblemIsKnownByItsNumber) {
  EXPECT_EQ(ProblemNumber("19_ReLU.py"), 19);
  EXPECT_EQ(ProblemNumber("19_ReLU"), 19);
  EXPECT_EQ(ProblemNumber("level1_19_ReLU"), 19);
  EXPECT_EQ(TaskName(1, "19_ReLU.py"), "level1_19_ReLU");
  EXPECT_EQ(ProblemOf("level1_19_ReLU"), "19_ReLU.py");
  EXPECT_EQ(ProblemOf("19_ReLU"), "19_ReLU.py");
  for (const char* other : {"gelu_tanh", "19", "", "_x", "1x_y", "-1_x",
                            "level1", "level_1_x", "levelx_1_y"}) {
    EXPECT_FALSE(ProblemNumber(other).has_value()) << other;
  }
}

}  // namespace
}  // namespace coppice::eval
