#include "eval/formats/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "eval/formats/test_documents.h"
#include "eval/formats/trace_json.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Result<Trace> ReadTraceText(const std::string& text) {
  TRY(json, ParseJson(text, "t.jsonl:1"));
  return ReadTrace(Cursor(json, "t.jsonl:1"));
}

// What ReadTrace complains of, less the place of the file.
std::string ComplaintOfTrace(const std::string& text) {
  const Result<Trace> trace = ReadTraceText(text);
  if (trace) return "";
  return trace.error().what.substr(std::string("t.jsonl:1: ").size());
}

const char kPassed[] =
    R"({"definition":"axpy","workload":{"axes":{"N":7},"inputs":{)"
    R"("x":{"type":"random"},"a":{"type":"scalar","value":0.5}},)"
    R"("uuid":"w1"},"solution":"s1","evaluation":{"status":"PASSED",)"
    R"("environment":{"hardware":"NVIDIA H200","libs":{"torch":"2.11"}},)"
    R"("timestamp":"2026-01-02T03:04:05.123456","log":"","correctness":{)"
    R"("max_relative_error":0.00001,"max_absolute_error":1e-7,)"
    R"("extra":{"tvd":0.1,"counts":[1,2.0,null]}},"performance":{)"
    R"("latency_ms":0.008,"reference_latency_ms":0.019,)"
    R"("speedup_factor":2.375}}})";

TEST(TraceTest, ALineIsReadAndWrittenByteForByte) {
  EXPECT_EQ(DocumentText(ToJson(*ReadTraceText(kPassed))), kPassed);
}

TEST(TraceTest, WhatIsLeftOutIsWrittenWithItsDefault) {
  const Trace trace = *ReadTraceText(
      R"({"workload":{"uuid":"w","inputs":{"x":{}},"axes":{"b":"2","a":1.0}},)"
      R"("evaluation":{"environment":{"hardware":"h"},"status":"PASSED",)"
      R"("correctness":{},"timestamp":"t","performance":{"latency_ms":1}},)"
      R"("unknown":[1],"definition":"d"})");
  EXPECT_EQ(DocumentText(ToJson(trace)),
            R"({"definition":"d","workload":{"axes":{"b":2,"a":1},)"
            R"("inputs":{"x":{"type":"random"}},"uuid":"w"},)"
            R"("solution":null,"evaluation":{"status":"PASSED",)"
            R"("environment":{"hardware":"h","libs":{}},"timestamp":"t",)"
            R"("log":"","correctness":{"max_relative_error":0.0,)"
            R"("max_absolute_error":0.0,"extra":null},"performance":{)"
            R"("latency_ms":1.0,"reference_latency_ms":0.0,)"
            R"("speedup_factor":0.0}}})");
}

TEST(TraceTest, AWorkloadHasNeitherSolutionNorEvaluation) {
  const std::string line =
      R"({"definition":"d","workload":{"axes":{},"inputs":{},"uuid":"u"},)"
      R"("solution":null,"evaluation":null})";
  EXPECT_TRUE(ReadTraceText(line)->IsWorkload());
  EXPECT_EQ(DocumentText(ToJson(*ReadTraceText(line))), line);
  EXPECT_FALSE(ReadTraceText(kPassed)->IsWorkload());
}

TEST(TraceTest, EveryMalformedTraceIsNamed) {
  const Malformed cases[] = {
      {"\"definition\":\"axpy\"", "\"definition\":\"\"",
       "/definition: expected a string that is not empty"},
      {"\"workload\":", "\"load\":", "\"workload\" is missing"},
      {"\"uuid\":\"w1\"", "\"uuid\":\"\"", "/workload/uuid: expected a string"},
      {"\"N\":7", "\"N\":-7", "/workload/axes/N: expected an integer >= 0"},
      {"\"random\"", "\"zeros\"", "/workload/inputs/x: /type \"zeros\" is"},
      {"\"s1\"", "1", "/solution: expected a string"},
      {"PASSED", "passed", "/evaluation/status: unknown value \"passed\""},
      {"\"status\":\"PASSED\",", "", "/evaluation: \"status\" is missing"},
      {"NVIDIA H200", "", "/evaluation/environment/hardware: expected a"},
      {"\"2.11\"", "2.11", "/evaluation/environment/libs/torch: expected a"},
      {"{\"torch\":\"2.11\"}", "null",
       "/evaluation/environment/libs: expected"},
      {"2026-01-02T03:04:05.123456", "", "/evaluation/timestamp: expected a"},
      {"\"log\":\"\"", "\"log\":null", "/evaluation/log: expected a string"},
      {"0.00001", "-0.5",
       "/evaluation/correctness: /max_relative_error is negative"},
      {"0.00001", "\"-Infinity\"",
       "/evaluation/correctness: /max_relative_error is negative"},
      {"1e-7", "null",
       "/evaluation/correctness/max_absolute_error: expected a number"},
      {"{\"tvd\":0.1,\"counts\":[1,2.0,null]}", "[]",
       "/evaluation/correctness/extra: expected an object"},
      {"0.008", "-1",
       "/evaluation/performance: /latency_ms: expected a number >= 0"},
      {"0.019", "\"NaN\"",
       "/evaluation/performance: /reference_latency_ms: expected a number"},
      {"2.375", "\"fast\"",
       "/evaluation/performance/speedup_factor: expected a number"},
      {"{\"latency_ms\":0.008,\"reference_latency_ms\":0.019,"
       "\"speedup_factor\":2.375}",
       "null", "/evaluation: PASSED has performance"},
      {"{\"max_relative_error\":0.00001,\"max_absolute_error\":1e-7,"
       "\"extra\":{\"tvd\":0.1,\"counts\":[1,2.0,null]}}",
       "null", "/evaluation: PASSED has correctness"},
      {"PASSED", "INCORRECT_NUMERICAL",
       "/evaluation: INCORRECT_NUMERICAL has no performance"},
      {"PASSED", "TIMEOUT", "/evaluation: TIMEOUT has no correctness"},
      {"\"evaluation\":{", "\"evaluation\":5,\"x\":{",
       "/evaluation: expected an object"},
  };
  for (const Malformed& bad : cases) {
    EXPECT_THAT(ComplaintOfTrace(Replaced(kPassed, bad.from, bad.to)),
                StartsWith(bad.complaint));
  }
  EXPECT_EQ(ComplaintOfTrace("[]"), "expected an object");
}

TEST(TraceTest, NumbersThatJsonLacksAreStringsBothWays) {
  for (const char* text : {"\"NaN\"", "\"Infinity\""}) {
    const std::string line = Replaced(kPassed, "0.00001", text);
    EXPECT_EQ(DocumentText(ToJson(*ReadTraceText(line))), line);
  }
  EXPECT_EQ(ReadTraceText(Replaced(kPassed, "0.00001", "\"inf\""))
                ->evaluation->correctness->max_relative_error,
            std::numeric_limits<double>::infinity());
}

// pydantic 2.13 prints them so.
TEST(DocumentTextTest, NumbersHaveTheFewestDigits) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {3.0, "3.0"},
      {0.1, "0.1"},
      {12.34, "12.34"},
      {1e-5, "0.00001"},
      {1.5e-5, "0.000015"},
      {1.2345678e-5, "0.000012345678"},
      {1e-6, "1e-6"},
      {1.25e-7, "1.25e-7"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},
      {1.5e16, "1.5e+16"},
      {5e-324, "5e-324"},
      {123456789012345680.0, "1.2345678901234568e+17"},
      {-2.5, "-2.5"},
  };
  for (const auto& [number, text] : cases) {
    EXPECT_EQ(DocumentText(number), text);
  }
}

TEST(DocumentTextTest, FilesAreIndentedByTwo) {
  EXPECT_EQ(
      DocumentText({{"a", {1, 2}}, {"b", Json::object()}, {"c", "\n"}}, 2),
      "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n"
      "  \"c\": \"\\n\"\n}");
  EXPECT_EQ(DocumentText(Json::array()), "[]");
}

TEST(CanonicalTest, OnlyWhatIsSetInTheModelsOrder) {
  const Json definition = Json::parse(
      R"({"x":1,"constraints":[],"description":null,"reference":"r","axes":{)"
      R"("N":{"description":null,"value":"4"},"M":{"value":1,"type":"var"}},)"
      R"("outputs":{},"inputs":{"t":{"dtype":"int8","shape":null,"y":2}},)"
      R"("op_type":"o","name":"n"})");
  EXPECT_EQ(DocumentText(CanonicalDefinition(definition)),
            R"({"name":"n","op_type":"o","axes":{"N":{"value":4,)"
            R"("description":null},"M":{"type":"var"}},"inputs":{)"
            R"("t":{"shape":null,"dtype":"int8"}},"outputs":{},)"
            R"("reference":"r","description":null,"constraints":[]})");
  const Json solution = Json::parse(
      R"({"sources":[{"content":"c","path":"p","z":0}],"spec":{"binding":null,)"
      R"("destination_passing_style":"no","entry_point":"p::f",)"
      R"("target_hardware":[""],"language":"cpp"},"author":"a",)"
      R"("definition":"d","name":"n"})");
  EXPECT_EQ(DocumentText(CanonicalSolution(solution)),
            R"({"name":"n","definition":"d","author":"a","spec":{)"
            R"("language":"cpp","target_hardware":[""],"entry_point":"p::f",)"
            R"("destination_passing_style":false,"binding":null},)"
            R"("sources":[{"path":"p","content":"c"}]})");
}

TEST(TraceStatusTest, TheLogTellsHowAnOutputIsWrong) {
  EXPECT_EQ(StatusOf(Verdict::kWrongOutput, "output y has shape [1], not [2]"),
            TraceStatus::kIncorrectShape);
  EXPECT_EQ(StatusOf(Verdict::kWrongOutput,
                     "output y has another type of elements: float64, not "
                     "float32\nit printed: has shape [1]"),
            TraceStatus::kIncorrectDtype);
  EXPECT_EQ(StatusOf(Verdict::kWrongOutput, "output y[0] = 1\n has shape "),
            TraceStatus::kIncorrectNumerical);
  EXPECT_EQ(StatusOf(Verdict::kCrashed, "output y has shape [1], not [2]"),
            TraceStatus::kRuntimeError);
}

// Traces of an evaluation of a task with two workloads.
class EvaluationTraceTest : public testing::Test {
 protected:
  EvaluationTraceTest() {
    task_.definition.name = "axpy";
    task_.workloads = {{"w1", {{"N", 7}}, {{"x", RandomInput{}}}},
                       {"w2", {{"N", 9}}, {{"x", RandomInput{}}}}};
    evaluation_.environment = {.hardware = "AMD EPYC",
                               .threads = 2,
                               .system = "Linux 6.1",
                               .driver = "580.1",
                               .facts = "2 cores",
                               .compiler = "g++ 12",
                               .flags = "-O3",
                               .libraries = {{"blas", "3.11"}}};
    evaluation_.compile_s = 0.25;
    evaluation_.check_s = 0.5;
    evaluation_.timing_s = 1.5;
    evaluation_.device_s = 0.125;
    evaluation_.tier = Tier::kFull;
    evaluation_.profile = "Memory bound.";
    evaluation_.log = "first\nsecond\n";
  }

  // A workload that was timed, with everything set.
  static WorkloadResult Timed(const std::string& workload, Verdict verdict) {
    WorkloadResult result;
    result.workload = workload;
    result.verdict = verdict;
    result.samples_s = {0.003, 0.001, 0.002};
    result.root_samples_s = {0.008, 0.008, 0.0081};
    result.control_samples_s = {0.0079, 0.008, 0.0082};
    result.between_processes = {1e-4, 6.5};
    result.readings = {{0, 2, 0.0031, {}, 1980.0},
                       {1, 1, {}, 0.002, {}},
                       {1, 3, 0.01, 0.02, 1995.5}};
    result.discarded_samples = 4;
    result.floor_s = 0.0005;
    result.temperature_c = 41.0;
    result.worst_error_ratio = 0.5;
    result.max_absolute_error = 0.25;
    result.max_relative_error = 0.125;
    result.calls_verified = 9;
    return result;
  }

  std::vector<Trace> Traces() {
    const auto traces = TracesOf(task_, "s1", evaluation_, "2026-01-02");
    EXPECT_TRUE(traces) << traces.error().what;
    return *traces;
  }

  // Through the text of their lines.
  std::vector<Trace> ReadBack() {
    std::vector<Trace> again;
    for (const Trace& trace : Traces()) {
      again.push_back(*ReadTraceText(DocumentText(ToJson(trace))));
    }
    return again;
  }

  // What stands in the lines is all there is to compare.
  void ExpectLossless() {
    const auto back = EvaluationOf(ReadBack());
    ASSERT_TRUE(back) << back.error().what;
    const auto text = [&](const Evaluation& evaluation) {
      const auto traces = TracesOf(task_, "s1", evaluation, "2026-01-02");
      std::string lines;
      for (const Trace& trace : *traces) {
        lines += DocumentText(ToJson(trace)) + "\n";
      }
      return lines;
    };
    EXPECT_EQ(text(*back), text(evaluation_));
    EXPECT_EQ(back->verdict, evaluation_.verdict);
    EXPECT_EQ(back->log, evaluation_.log);
    EXPECT_EQ(back->environment, evaluation_.environment);
    EXPECT_EQ(back->workloads.size(), evaluation_.workloads.size());
  }

  Task task_;
  Evaluation evaluation_;
};

// Median of {3, 1, 2} ms is 2 ms; of the root's it is 8: 4 times.
TEST_F(EvaluationTraceTest, APassHasCorrectnessAndPerformance) {
  evaluation_.verdict = Verdict::kPassed;
  evaluation_.workloads = {Timed("w1", Verdict::kPassed)};
  const std::vector<Trace> traces = Traces();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0].definition, "axpy");
  EXPECT_EQ(traces[0].workload.uuid, "w1");
  EXPECT_EQ(traces[0].solution, "s1");
  const TraceEvaluation& traced = *traces[0].evaluation;
  EXPECT_EQ(traced.status, TraceStatus::kPassed);
  EXPECT_EQ(traced.hardware, "AMD EPYC");
  EXPECT_EQ(traced.log, "first\nsecond\n");
  EXPECT_EQ(traced.correctness->max_relative_error, 0.125);
  EXPECT_EQ(traced.correctness->max_absolute_error, 0.25);
  EXPECT_EQ(traced.performance->latency_ms, 2.0);
  EXPECT_EQ(traced.performance->reference_latency_ms, 8.0);
  EXPECT_EQ(traced.performance->speedup_factor, 4.0);
}

TEST_F(EvaluationTraceTest, AnEvaluationComesBackWhole) {
  evaluation_.verdict = Verdict::kPassed;
  evaluation_.workloads = {Timed("w1", Verdict::kPassed),
                           Timed("w2", Verdict::kPassed)};
  evaluation_.workloads[1].readings.clear();
  evaluation_.workloads[1].floor_s.reset();
  Summarise(evaluation_);
  ExpectLossless();
  const Evaluation back = *EvaluationOf(ReadBack());
  EXPECT_EQ(back.runtime_s, evaluation_.runtime_s);
  EXPECT_EQ(back.root_runtime_s, evaluation_.root_runtime_s);
  EXPECT_EQ(back.tier, Tier::kFull);
  const WorkloadResult& first = back.workloads[0];
  EXPECT_EQ(first.samples_s, evaluation_.workloads[0].samples_s);
  ASSERT_EQ(first.readings.size(), 3u);
  EXPECT_EQ(first.readings[0].cpu_s, std::nullopt);
  EXPECT_EQ(first.readings[2].clock_mhz, 1995.5);
}

// FlashInfer-Bench's rule: PASSED has both, INCORRECT_NUMERICAL correctness
// only, all others neither.
TEST_F(EvaluationTraceTest, EveryVerdictHasItsStatusAndComesBack) {
  const std::pair<Verdict, const char*> cases[] = {
      {Verdict::kPassed, "PASSED +c +p"},
      {Verdict::kWrongOutput, "INCORRECT_NUMERICAL +c -p"},
      {Verdict::kCompileFailed, "COMPILE_ERROR -c -p"},
      {Verdict::kNoCandidate, "COMPILE_ERROR -c -p"},
      {Verdict::kTimedOut, "TIMEOUT -c -p"},
      {Verdict::kCrashed, "RUNTIME_ERROR -c -p"},
      {Verdict::kRejected, "RUNTIME_ERROR -c -p"},
      {Verdict::kInconclusive, "RUNTIME_ERROR -c -p"},
  };
  ASSERT_EQ(std::size(cases), kVerdictNames.size());
  for (const auto& [verdict, expected] : cases) {
    SCOPED_TRACE(expected);
    evaluation_.verdict = verdict;
    evaluation_.workloads = {Timed("w1", verdict)};
    const TraceEvaluation traced = *Traces()[0].evaluation;
    EXPECT_EQ(std::string(Name(traced.status)) +
                  (traced.correctness ? " +c" : " -c") +
                  (traced.performance ? " +p" : " -p"),
              expected);
    ExpectLossless();
  }
}

TEST_F(EvaluationTraceTest, EveryStatusOfOthersHasItsVerdict) {
  const std::pair<TraceStatus, Verdict> cases[] = {
      {TraceStatus::kPassed, Verdict::kPassed},
      {TraceStatus::kIncorrectShape, Verdict::kWrongOutput},
      {TraceStatus::kIncorrectNumerical, Verdict::kWrongOutput},
      {TraceStatus::kIncorrectDtype, Verdict::kWrongOutput},
      {TraceStatus::kRuntimeError, Verdict::kCrashed},
      {TraceStatus::kCompileError, Verdict::kCompileFailed},
      {TraceStatus::kTimeout, Verdict::kTimedOut},
  };
  ASSERT_EQ(std::size(cases), kTraceStatusNames.size());
  for (const auto& [status, verdict] : cases) {
    EXPECT_EQ(VerdictOf(status), verdict) << Name(status);
  }
}

TEST_F(EvaluationTraceTest, WhatDidNotCompileIsTracedOnEveryWorkload) {
  evaluation_.verdict = Verdict::kCompileFailed;
  const std::vector<Trace> traces = Traces();
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[1].workload.uuid, "w2");
  EXPECT_THAT(traces[1].evaluation->log,
              StartsWith("coppice: {\"verdict\":\"compile_failed\""));
  EXPECT_THAT(traces[1].evaluation->log, EndsWith("\nfirst\nsecond\n"));
  ExpectLossless();
}

TEST_F(EvaluationTraceTest, ErrorsThatJsonLacksComeBack) {
  evaluation_.verdict = Verdict::kWrongOutput;
  evaluation_.workloads = {Timed("w1", Verdict::kWrongOutput)};
  WorkloadResult& result = evaluation_.workloads[0];
  result.worst_error_ratio = std::numeric_limits<double>::infinity();
  result.max_absolute_error = std::nan("");
  ExpectLossless();
  const Evaluation back = *EvaluationOf(ReadBack());
  EXPECT_TRUE(std::isinf(back.workloads[0].worst_error_ratio));
  EXPECT_TRUE(std::isnan(back.workloads[0].max_absolute_error));
}

TEST_F(EvaluationTraceTest, ALogIsCutAndMadeUtf8) {
  evaluation_.verdict = Verdict::kCrashed;
  evaluation_.log = "bad byte \xff";
  EXPECT_THAT(ReadBack()[0].evaluation->log, EndsWith("bad byte \xef\xbf\xbd"));
  evaluation_.log = std::string(6 << 20, 'x');
  const std::string log = Traces()[0].evaluation->log;
  EXPECT_EQ(log.size(), (5u << 20) + std::string("[log truncated]").size());
}

// 8 and 19 us: their only samples.
TEST_F(EvaluationTraceTest, WhatOthersMeasuredIsOneSample) {
  const Evaluation theirs = *EvaluationOf({*ReadTraceText(kPassed)});
  EXPECT_EQ(theirs.verdict, Verdict::kPassed);
  EXPECT_EQ(theirs.environment.hardware, "NVIDIA H200");
  ASSERT_EQ(theirs.workloads.size(), 1u);
  EXPECT_THAT(theirs.workloads[0].samples_s, testing::ElementsAre(8e-6));
  EXPECT_THAT(theirs.workloads[0].root_samples_s, testing::ElementsAre(19e-6));
  EXPECT_DOUBLE_EQ(*theirs.runtime_s, 8e-6);

  const auto untimed =
      EvaluationOf({*ReadTraceText(Replaced(kPassed, "0.019", "0"))});
  ASSERT_FALSE(untimed);
  EXPECT_EQ(untimed.error().what,
            "s1: passed without a latency of its own or of the reference");
}

TEST_F(EvaluationTraceTest, WhatIsDamagedOfOursIsNamed) {
  evaluation_.verdict = Verdict::kWrongOutput;
  evaluation_.workloads = {Timed("w1", Verdict::kWrongOutput)};
  Trace trace = Traces()[0];
  std::string& extra = trace.evaluation->correctness->extra;
  extra = Replaced(extra, "\"session\":[0,1,1]", "\"session\":[0,1]");
  EXPECT_EQ(EvaluationOf({trace}).error().what,
            "w1: coppice: /readings/calls: has another length than its "
            "siblings");
  extra = Replaced(extra, "\"full\"", "\"whole\"");
  EXPECT_EQ(EvaluationOf({trace}).error().what,
            "w1: coppice: /tier: unknown value \"whole\"");
  trace.evaluation->correctness.reset();
  trace.evaluation->log = "coppice: {";
  EXPECT_THAT(EvaluationOf({trace}).error().what,
              StartsWith("coppice: not JSON: "));
}

TEST_F(EvaluationTraceTest, AResultOfAnUnknownWorkloadIsOurMistake) {
  evaluation_.workloads.emplace_back();
  evaluation_.workloads[0].workload = "w9";
  const auto traces = TracesOf(task_, "s1", evaluation_, "t");
  ASSERT_FALSE(traces);
  EXPECT_EQ(traces.error().code, Errc::kUsage);
  EXPECT_EQ(traces.error().what, "axpy: no workload \"w9\"");
}

// Also those that our verdicts do not tell apart.
TEST_F(EvaluationTraceTest, EveryStatusOfOthersComesBack) {
  for (const std::string_view status : kTraceStatusNames) {
    std::string line = Replaced(kPassed, "PASSED", std::string(status));
    Json json = *ParseJson(line, "");
    if (status != "PASSED") json["evaluation"]["performance"] = nullptr;
    if (status != "PASSED" && status != "INCORRECT_NUMERICAL") {
      json["evaluation"]["correctness"] = nullptr;
    }
    json["evaluation"]["log"] = "theirs\n";
    const auto evaluation =
        EvaluationOf({*ReadTrace(Cursor(json, "t.jsonl:1"))});
    ASSERT_TRUE(evaluation) << evaluation.error().what;
    const auto again = TracesOf(task_, "s1", *evaluation, "2026-01-02");
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(Name(again->front().evaluation->status), status);
    EXPECT_THAT(again->front().evaluation->log, EndsWith("theirs\n"));
    EXPECT_EQ(again->front().evaluation->log.find("INCORRECT"),
              std::string::npos);
  }
}

// Older traces of ours say nothing of it, others' have none.
TEST(OccasionTest, IsWhatTheTraceSaysOfItself) {
  TraceEvaluation traced;
  traced.log =
      R"(coppice: {"ordinal": 2, "further": true, "decides": false, "root": true})";
  const auto occasion = OccasionOf(traced);
  ASSERT_TRUE(occasion && *occasion);
  EXPECT_EQ((*occasion)->ordinal, 2);
  EXPECT_TRUE((*occasion)->further);
  EXPECT_FALSE((*occasion)->decides);
  EXPECT_TRUE((*occasion)->is_root);
  traced.log = R"(coppice: {"verdict": "crashed"})";
  EXPECT_EQ(OccasionOf(traced).value()->ordinal, 0);
  EXPECT_TRUE(OccasionOf(traced).value()->decides);
  EXPECT_FALSE(OccasionOf(traced).value()->is_root);
  traced.log = "theirs";
  EXPECT_FALSE(OccasionOf(traced).value());
  traced.log = R"(coppice: {"ordinal": "x"})";
  EXPECT_FALSE(OccasionOf(traced));
}

}  // namespace
}  // namespace coppice::eval
