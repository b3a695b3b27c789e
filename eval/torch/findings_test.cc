#include "eval/torch/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace coppice::eval::torch {
namespace {

using testing::ElementsAre;

TEST(FindingsTest, SayWhatWasExpectedOfACandidateAndWhatItDid) {
  const auto found = ReadFindings("w", R"([{
    "name": "zeros", "expected": "wrong_output", "verdict": "crashed",
    "worst_error_ratio": "12.5", "log": "out of memory"}])");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  const Finding& zeros = found->front();
  EXPECT_EQ(zeros.candidate, "zeros");
  EXPECT_EQ(zeros.workload, "w");
  EXPECT_EQ(zeros.expected, Verdict::kWrongOutput);
  EXPECT_EQ(zeros.found, Verdict::kCrashed);
  EXPECT_EQ(zeros.worst_error_ratio, 12.5);
  EXPECT_EQ(zeros.log, "out of memory");
}

// As Python writes a number that has no bound, or is none.
TEST(FindingsTest, AnErrorMayHaveNoBound) {
  const auto found = ReadFindings("w", R"([{"worst_error_ratio": "inf"},
                                           {"worst_error_ratio": "nan"}])");
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[0].worst_error_ratio, HUGE_VAL);
  EXPECT_TRUE(std::isnan((*found)[1].worst_error_ratio));
}

// What is not said counts for nothing: it decides nothing, and must fail.
TEST(FindingsTest, WhatIsLeftOutIsUndecided) {
  const auto found = ReadFindings("w", R"([{"verdict": "splendid"}])");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().expected, Verdict::kWrongOutput);
  EXPECT_EQ(found->front().found, Verdict::kInconclusive);
  EXPECT_EQ(found->front().worst_error_ratio, HUGE_VAL);
}

// None at all are findings; of a text that is cut, or another's, there are
// none.
TEST(FindingsTest, WhatIsNotToBeUnderstoodIsNothing) {
  EXPECT_TRUE(ReadFindings("w", "[]"));
  for (const char* text : {"", "[", "{}", "null", "[1]", "[[]]", R"(["zeros"])",
                           R"([{"name": "zeros"}, null])", R"([{"name": 1}])",
                           R"([{"worst_error_ratio": 2.0}])"}) {
    EXPECT_FALSE(ReadFindings("w", text)) << text;
  }
}

Finding Of(const std::string& candidate, const std::string& workload) {
  Finding finding;
  finding.candidate = candidate;
  finding.workload = workload;
  return finding;
}

std::vector<std::string> InOrder(std::vector<std::vector<Finding>> found) {
  std::vector<std::string> names;
  for (const Finding& one : ByCandidate(std::move(found))) {
    names.push_back(one.candidate + " on " + one.workload);
  }
  return names;
}

TEST(FindingsTest, ThoseOfOneCandidateStandTogether) {
  EXPECT_THAT(
      InOrder({{Of("a", "1"), Of("b", "1")},
               {Of("a", "2"), Of("b", "2")},
               {Of("a", "3"), Of("b", "3")}}),
      ElementsAre("a on 1", "a on 2", "a on 3", "b on 1", "b on 2", "b on 3"));
  EXPECT_TRUE(ByCandidate({}).empty());
  EXPECT_TRUE(ByCandidate({{}, {}}).empty());
}

// A candidate of fewer bits is judged only where outputs are float32, which
// may be another's matter on each workload.
TEST(FindingsTest, ACandidateMayBeJudgedOnSomeWorkloadsOnly) {
  EXPECT_THAT(InOrder({{Of("a", "1"), Of("bits", "1"), Of("double", "1")},
                       {Of("a", "2"), Of("double", "2")}}),
              ElementsAre("a on 1", "a on 2", "bits on 1", "double on 1",
                          "double on 2"));
  EXPECT_THAT(InOrder({{Of("a", "1")}, {Of("a", "2"), Of("bits", "2")}}),
              ElementsAre("a on 1", "a on 2", "bits on 2"));
}

}  // namespace
}  // namespace coppice::eval::torch
