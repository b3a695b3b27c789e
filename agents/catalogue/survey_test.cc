#include "agents/catalogue/survey.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(SurveyTest, TimeIsWhereTheIterationsAre) {
  const auto kernel =
      ParseKernel(KernelOf("  for (int64_t i = 0; i < M; ++i) {\n"
                           "    c[i] = a[i];\n"
                           "  }\n"
                           "  for (int64_t j = 0; j < N; ++j) {\n"
                           "    c[j] = a[j];\n"
                           "  }\n"));
  ASSERT_TRUE(kernel);
  const Setting setting{1, {{{"M", 10}, {"N", 30}}}, {}};
  const Survey survey(*kernel, setting);
  ASSERT_EQ(survey.Loops().size(), 2U);
  EXPECT_DOUBLE_EQ(survey.Loops()[0].share, 0.25);
  EXPECT_DOUBLE_EQ(survey.Loops()[1].share, 0.75);
  EXPECT_DOUBLE_EQ(survey.Loops()[1].trips, 30.0);
  EXPECT_TRUE(survey.Loops()[0].innermost);
  EXPECT_EQ(survey.Loops()[1].lines, (Lines{7, 9}));
}

TEST(SurveyTest, ABranchNeverTakenCostsNothing) {
  const auto kernel =
      ParseKernel(KernelOf("  if (M >= 8) {\n"
                           "    for (int64_t i = 0; i < M; ++i) {\n"
                           "      c[i] = a[i];\n    }\n"
                           "  } else {\n"
                           "    for (int64_t j = 0; j < M; ++j) {\n"
                           "      c[j] = a[j];\n    }\n"
                           "  }\n"));
  const Setting setting{1, {{{"M", 100}}}, {}};
  const Survey survey(*kernel, setting);
  EXPECT_GT(survey.Loops()[0].share, 0.95);
  EXPECT_DOUBLE_EQ(survey.Loops()[1].share, 0.0);
}

TEST(SurveyTest, LeastTripsAreThoseOfTheSmallestWorkload) {
  const auto kernel = ParseKernel(
      KernelOf("  for (int64_t i = 0; i < M; ++i) {\n    c[i] = a[i];\n  }\n"));
  const Setting setting{1, {{{"M", 100}}, {{"M", 20}}}, {}};
  const Survey survey(*kernel, setting);
  EXPECT_DOUBLE_EQ(survey.Loops()[0].trips, 60.0);
  EXPECT_DOUBLE_EQ(survey.Loops()[0].least_trips, 20.0);
}

// What threads and vectors do is done sooner: 300 iterations of the one loop
// count as the 300 / (3 * 8) of the other.
TEST(SurveyTest, PragmasTakeTimeAway) {
  const auto shares = [](const std::string& pragma) {
    const auto kernel =
        ParseKernel(KernelOf(pragma + "  for (int64_t i = 0; i < M; ++i) {\n"
                                      "    c[i] = a[i];\n  }\n"
                                      "  for (int64_t j = 0; j < M; ++j) {\n"
                                      "    c[j] = a[j];\n  }\n"));
    const Setting setting{3, {{{"M", 300}}}, {}};
    const Survey survey(*kernel, setting);
    return survey.Loops()[1].share / survey.Loops()[0].share;
  };
  EXPECT_NEAR(shares(""), 1.0, 1e-9);
  EXPECT_NEAR(shares("#pragma omp simd\n"), 8.0, 1e-9);
  EXPECT_NEAR(shares("#pragma omp parallel for simd\n"), 24.0, 1e-9);
}

TEST(SurveyTest, LoopsKnowTheirPlace) {
  const auto kernel =
      ParseKernel(KernelOf("#pragma omp parallel for\n"
                           "  for (int64_t i = 0; i < M; ++i) {\n"
                           "    float s = 0.0f;\n"
                           "    for (int64_t j = 0; j < N; ++j) {\n"
                           "      s += a[j];\n    }\n"
                           "#pragma omp simd\n"
                           "    for (int64_t l = 0; l < 8; ++l) {\n"
                           "      c[l] = s;\n    }\n"
                           "  }\n"));
  const Setting setting{2, {}, {}};
  const Survey survey(*kernel, setting);
  ASSERT_EQ(survey.Loops().size(), 3U);
  const LoopView& i = survey.Loops()[0];
  const LoopView& j = survey.Loops()[1];
  const LoopView& l = survey.Loops()[2];
  EXPECT_FALSE(i.innermost);
  EXPECT_TRUE(i.threaded && j.threaded && l.threaded);
  EXPECT_EQ(j.outer, std::vector<const Stmt*>{i.loop});
  EXPECT_EQ(j.position, 1U);
  EXPECT_EQ(j.trips, 64.0);  // Nobody knows.
  EXPECT_EQ(l.trips, 8.0);
  EXPECT_EQ(j.test.reductions.size(), 1U);
  EXPECT_FALSE(j.lanes);
  EXPECT_TRUE(l.lanes);
}

TEST(SurveyTest, CountsLibraryCalls) {
  const auto calls = LibraryCalls(
      ParseStmts("y = std::exp(x) + expf(z) * VectorExp(w) + std::max(a, b);"));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls.at("exp"), 2);
}

}  // namespace
}  // namespace coppice::agents::catalogue
