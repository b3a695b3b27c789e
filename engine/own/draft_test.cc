#include "engine/own/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace coppice::engine::own {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kScale =
    "#include <math.h>\n"
    "float unused(float x) { return x; }\n"
    "void scale(int n, float a, float* x) {\n"
    "  for (int i = 0; i < n; ++i) x[i] = sqrtf(x[i]) * a;\n}\n";

Task Drafted(const std::string& text, const std::string& form = "") {
  Wishes wishes;
  wishes.function = "scale";
  if (!form.empty()) wishes.forms["x"] = form;
  const auto pieces = CutSource(text);
  const auto reading = Read(pieces, wishes);
  EXPECT_TRUE(reading) << reading.error().what;
  Drafting drafting;
  drafting.name = "mine";
  drafting.file = "scale.c";
  auto task = DraftTask(pieces, *reading, drafting);
  EXPECT_TRUE(task) << task.error().what;
  return task ? *std::move(task) : Task{};
}

TEST(DraftTest, WhatIsUpdatedIsAnInputAndAnOutput) {
  const Task task = Drafted(kScale);
  ASSERT_EQ(task.definition.inputs.size(), 2u);
  EXPECT_EQ(task.definition.inputs[0].name, "a");
  EXPECT_EQ(task.definition.inputs[1].name, "x_before");
  EXPECT_EQ(task.definition.outputs.front().name, "x");
  const std::string root = task.root.sources.front().content;
  EXPECT_THAT(root, HasSubstr("void run(float a, const float* x_before, "
                              "float* x, int64_t n)"));
  EXPECT_THAT(root, HasSubstr("x[i_] = x_before[i_];\n  }\n  for"));
  EXPECT_THAT(root, testing::EndsWith(";\n}\n"));  // On a line of its own.
  EXPECT_THAT(root, Not(HasSubstr("unused")));
}

TEST(DraftTest, TheOracleComputesWithNumbersThatKeepTheirError) {
  const std::string oracle = Drafted(kScale).oracle.sources.front().content;
  EXPECT_THAT(oracle, HasSubstr("static void kernel_(int n, Real_<24> a, "
                                "Real_<24>* x)"));
  EXPECT_THAT(oracle,
              HasSubstr("void oracle(double a, const double* "
                        "x_before, double* x, double* x_m, int64_t n)"));
}

TEST(DraftTest, AFormBecomesTags) {
  EXPECT_THAT(Drafted(kScale, "positive").definition.tags,
              Contains("positive:x_before"));
}

TEST(DraftTest, SizesFollowFromOthers) {
  Reading reading;
  reading.axes = {{"n", std::nullopt, ""}, {"m", std::nullopt, "2*n+1"}};
  const auto workload = WorkloadOf(reading, "w", {{"n", 5}});
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->axes[1].second, 11);  // 2 * 5 + 1
  reading.axes[1].derived = "n-5";
  EXPECT_FALSE(WorkloadOf(reading, "w", {{"n", 5}}));
}

// 64 and 64: (32, 128) with the same product, and odd ones of 13/16.
TEST(DraftTest, ProposesThreeShapes) {
  Reading reading;
  reading.axes = {{"m", std::nullopt, ""}, {"n", std::nullopt, ""}};
  const auto three = ThreeSizes(reading, {}, {{"m", 64}, {"n", 64}});
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three[1].at("m"), 32);
  EXPECT_EQ(three[1].at("n"), 128);
  EXPECT_NE(three[2].at("m") % 2, 0);
  EXPECT_NE(three[2].at("n") % 16, 0);
}

}  // namespace
}  // namespace coppice::engine::own
