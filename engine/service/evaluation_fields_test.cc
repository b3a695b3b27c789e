#include "engine/service/evaluation_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/service/json.h"
#include "engine/service/operation_context.h"
#include "engine/service/test_service.h"
#include "eval/host/whole_file.h"
#include "store/records/evaluation.h"
#include "store/records/outcome.h"

namespace coppice::service {
namespace {

using ::testing::EndsWith;

WorkloadResult ResultOf(const std::string& name, Verdict verdict) {
  WorkloadResult result;
  result.workload = name;
  result.verdict = verdict;
  return result;
}

Evaluation EvaluationOf(Verdict verdict, const std::string& log = "") {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.log = log;
  return evaluation;
}

class EvaluationFieldsTest : public ::testing::Test {
 protected:
  std::string Text(const Evaluation& evaluation) {
    return FieldsOf(task_, evaluation, OperationContextOf(service_.service()),
                    "fields-test");
  }
  Json Fields(const Evaluation& evaluation) {
    return Json::parse(Text(evaluation));
  }

  TestService service_;
  Task task_;
};

// The median of 1, 2 and 6 is 2, and of the root's times 4.
TEST_F(EvaluationFieldsTest, APassedKernelHasItsTimes) {
  Evaluation evaluation = EvaluationOf(Verdict::kPassed);
  evaluation.speedup = Speedup{2.0, Interval{1.9, 2.1}};
  evaluation.runtime_s = 2.0;
  evaluation.profile = "Memory bound.\n\nIts loop has 8 lanes.";
  evaluation.workloads = {ResultOf("w", Verdict::kPassed)};
  evaluation.workloads[0].samples_s = {6.0, 1.0, 2.0};
  evaluation.workloads[0].root_samples_s = {4.0, 3.0, 9.0};
  evaluation.workloads[0].floor_s = 0.5;
  const Json fields = Fields(evaluation);
  EXPECT_EQ(fields["verdict"], "passed");
  EXPECT_EQ(fields["passed"], true);
  EXPECT_EQ(fields["rule"], nullptr);
  EXPECT_EQ(fields["speedup"], 2.0);
  EXPECT_EQ(fields["interval"], Json::parse("[1.9,2.1]"));
  EXPECT_EQ(fields["cannot_tell"], false);
  EXPECT_EQ(fields["profile"], "Memory bound.");
  EXPECT_EQ(fields["workloads"][0]["runtime_s"], 2.0);
  EXPECT_EQ(fields["workloads"][0]["root_runtime_s"], 4.0);
  EXPECT_EQ(fields["workloads"][0]["floor_s"], 0.5);
}

// Benchmarks take the mean: (1 + 2 + 6) / 3.
TEST_F(EvaluationFieldsTest, OtherProtocolsTakeTheMean) {
  task_.protocol = Protocol::kBenchmark;
  Evaluation evaluation = EvaluationOf(Verdict::kPassed);
  evaluation.workloads = {ResultOf("w", Verdict::kPassed)};
  evaluation.workloads[0].samples_s = {6.0, 1.0, 2.0};
  evaluation.workloads[0].root_samples_s = {3.0, 3.0, 3.0};
  EXPECT_EQ(Fields(evaluation)["workloads"][0]["runtime_s"], 3.0);
}

TEST_F(EvaluationFieldsTest, ASpeedupNearOneIsClaimedByNobody) {
  Evaluation evaluation = EvaluationOf(Verdict::kPassed);
  evaluation.speedup = Speedup{1.01, Interval{0.9, 1.1}};
  EXPECT_EQ(Fields(evaluation)["cannot_tell"], true);
  evaluation.speedup->interval.reset();
  EXPECT_EQ(Fields(evaluation)["cannot_tell"], true);
  EXPECT_EQ(Fields(evaluation)["interval"], nullptr);
  evaluation.speedup.reset();  // It was checked alone.
  EXPECT_EQ(Fields(evaluation)["cannot_tell"], false);
}

TEST_F(EvaluationFieldsTest, WhatFailedGoesFirstAndSixteenAreEnough) {
  Evaluation evaluation = EvaluationOf(Verdict::kWrongOutput, "off");
  for (int i = 0; i < 20; ++i) {
    evaluation.workloads.push_back(
        ResultOf("w" + std::to_string(i),
                 i == 18 ? Verdict::kWrongOutput : Verdict::kPassed));
  }
  const Json workloads = Fields(evaluation)["workloads"];
  ASSERT_EQ(workloads.size(), 16U);
  EXPECT_EQ(workloads[0]["workload"], "w18");
  EXPECT_EQ(workloads[1]["workload"], "w0");
  EXPECT_EQ(workloads[0]["runtime_s"], nullptr);  // It was not timed.
}

TEST_F(EvaluationFieldsTest, ALongLogIsLeftInAFile) {
  const std::string log(9000, 'x');
  const Json fields = Fields(EvaluationOf(Verdict::kCompileFailed, log));
  EXPECT_EQ(fields["error_head"].get<std::string>().size(), 8000U);
  const std::string file = fields["log_file"];
  EXPECT_THAT(file, EndsWith("fields-test.log"));
  EXPECT_EQ(*eval::ReadWhole(file), log);
  const std::string text = Text(EvaluationOf(Verdict::kCompileFailed, log));
  EXPECT_EQ(WithoutLostFile(text), text);
  std::filesystem::remove(file);
  EXPECT_EQ(Json::parse(WithoutLostFile(text))["log_file"], nullptr);
}

TEST_F(EvaluationFieldsTest, AShortLogOrOneOfAPassIsInNoFile) {
  EXPECT_EQ(Fields(EvaluationOf(Verdict::kCrashed, "signal 11"))["log_file"],
            nullptr);
  const Json passed =
      Fields(EvaluationOf(Verdict::kPassed, std::string(9000, 'x')));
  EXPECT_EQ(passed["log_file"], nullptr);
  EXPECT_EQ(passed["error_head"], "");
}

TEST_F(EvaluationFieldsTest, TheRuleThatWasBrokenIsNamed) {
  Evaluation evaluation = EvaluationOf(Verdict::kRejected, "no");
  evaluation.breach = Breach::kDelegated;
  EXPECT_EQ(Fields(evaluation)["rule"], std::string(Name(Breach::kDelegated)));
}

TEST_F(EvaluationFieldsTest, WhatWasKnownBeforeIsReadAgain) {
  Evaluation evaluation = EvaluationOf(Verdict::kPassed);
  evaluation.speedup = Speedup{2.0, Interval{1.9, 2.1}};
  const auto timed = KnownOf(Text(evaluation));
  ASSERT_TRUE(timed && timed->speedup && timed->speedup->interval);
  EXPECT_EQ(timed->verdict, Verdict::kPassed);
  EXPECT_EQ(timed->speedup->ratio, 2.0);
  EXPECT_EQ(timed->speedup->interval->high, 2.1);
  const auto failed = KnownOf(Text(EvaluationOf(Verdict::kCrashed, "x")));
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->verdict, Verdict::kCrashed);
  EXPECT_FALSE(failed->speedup);
  for (const char* text :
       {"", "[]", "{}", R"({"verdict":7})", R"({"verdict":"nice"})"}) {
    EXPECT_FALSE(KnownOf(text)) << text;
  }
}

// A time limit, an undecided time and a crash may be the machine's doing.
TEST_F(EvaluationFieldsTest, OnlyWhatWouldBeTheSameAgainIsForGood) {
  for (const Verdict verdict :
       {Verdict::kTimedOut, Verdict::kInconclusive, Verdict::kCrashed}) {
    EXPECT_FALSE(IsForGood(EvaluationOf(verdict))) << Name(verdict);
  }
  for (const Verdict verdict : {Verdict::kPassed, Verdict::kCompileFailed,
                                Verdict::kWrongOutput, Verdict::kRejected}) {
    EXPECT_TRUE(IsForGood(EvaluationOf(verdict))) << Name(verdict);
  }
}

TEST_F(EvaluationFieldsTest, TheSchemaHasEachFieldThatIsTold) {
  const Json properties = Json::parse("{" + FieldsSchema() + "}");
  const Json fields = Fields(EvaluationOf(Verdict::kPassed));
  EXPECT_EQ(properties.size(), fields.size());
  for (const auto& [name, value] : fields.items()) {
    EXPECT_TRUE(properties.contains(name)) << name;
  }
}

// What is kept may be damaged, or of another version: it is judged anew, or
// told without what is not there.
TEST_F(EvaluationFieldsTest, OfWhatWasKeptOnlySoundPartsAreRead) {
  struct Case {
    const char* fields;
    bool has_speedup;
    bool has_interval;
  };
  for (const Case& each : {
           Case{R"({"verdict":"passed"})", false, false},
           Case{R"({"verdict":"passed","speedup":"2"})", false, false},
           Case{R"({"verdict":"passed","speedup":2})", true, false},
           Case{R"({"verdict":"passed","speedup":2,"interval":[1]})", true,
                false},
           Case{R"({"verdict":"passed","speedup":2,"interval":["1",3]})", true,
                false},
           Case{R"({"verdict":"passed","speedup":2,"interval":[1,null]})", true,
                false},
           Case{R"({"verdict":"passed","speedup":2,"interval":{"a":1,"b":2}})",
                true, false},
           Case{R"({"verdict":"passed","speedup":2,"interval":[1,3]})", true,
                true},
       }) {
    const auto known = KnownOf(each.fields);
    ASSERT_TRUE(known) << each.fields;
    EXPECT_EQ(known->verdict, Verdict::kPassed);
    EXPECT_EQ(known->speedup.has_value(), each.has_speedup) << each.fields;
    EXPECT_EQ(known->speedup && known->speedup->interval, each.has_interval)
        << each.fields;
  }
  for (const char* text : {"", "[]", "{}", "{\"log_file\":7}", "\xff"}) {
    EXPECT_EQ(WithoutLostFile(text), text);
  }
}

// JSON has no word for them, so that readers get null.
TEST_F(EvaluationFieldsTest, WhatIsNoNumberIsNull) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Evaluation evaluation = EvaluationOf(Verdict::kWrongOutput, "y[0] is nan");
  evaluation.workloads = {ResultOf("w", Verdict::kWrongOutput)};
  evaluation.workloads[0].worst_error_ratio = kInfinity;
  evaluation.workloads[0].floor_s = -kInfinity;
  evaluation.runtime_s = std::numeric_limits<double>::quiet_NaN();
  const Json fields = Fields(evaluation);
  EXPECT_EQ(fields["workloads"][0]["error_ratio"], nullptr);
  EXPECT_EQ(fields["workloads"][0]["floor_s"], nullptr);
  EXPECT_EQ(fields["runtime_s"], nullptr);
}

// A compiler quotes what a kernel has, which need not be UTF-8.
TEST_F(EvaluationFieldsTest, ALogOfOtherBytesIsStillJson) {
  const Json fields =
      Fields(EvaluationOf(Verdict::kCompileFailed, "k.cc:1: stray '\xff'"));
  EXPECT_EQ(fields["error_head"], "k.cc:1: stray '\xef\xbf\xbd'");
}

}  // namespace
}  // namespace coppice::service
