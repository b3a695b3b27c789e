#include "engine/own/task_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/own/complex_text.h"

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

Drafting Named(const std::string& name) {
  Drafting drafting;
  drafting.name = name;
  drafting.file = name + ".c";
  return drafting;
}

Task Drafted(const std::string& text, const std::string& form = "") {
  Wishes wishes;
  wishes.function = "scale";
  if (!form.empty()) wishes.forms["x"] = form;
  const auto pieces = CutSource(text);
  const auto reading = Read(pieces, wishes);
  EXPECT_TRUE(reading) << reading.error().what;
  auto task = DraftTask(pieces, *reading, Named("mine"));
  EXPECT_TRUE(task) << task.error().what;
  return task ? *std::move(task) : Task{};
}

TEST(TaskDraftTest, WhatIsUpdatedIsAnInputAndAnOutput) {
  const Task task = Drafted(kScale);
  ASSERT_EQ(task.definition.inputs.size(), 2u);
  EXPECT_EQ(task.definition.inputs[0].name, "a");
  EXPECT_EQ(task.definition.inputs[1].name, "x_before");
  EXPECT_EQ(task.definition.outputs.front().name, "x");
  const std::string root = task.root.sources.front().content;
  EXPECT_THAT(root, HasSubstr("void run(float a, const float* x_before, "
                              "float* x, int64_t n)"));
  EXPECT_THAT(root, HasSubstr(") {\n  for"));  // Nobody copies.
  EXPECT_THAT(task.definition.tags, Contains("starts:x=x_before"));
  EXPECT_THAT(root, testing::EndsWith(";\n}\n"));  // On a line of its own.
  EXPECT_THAT(root, Not(HasSubstr("unused")));
}

TEST(TaskDraftTest, TheOracleComputesWithNumbersThatKeepTheirError) {
  const std::string oracle = Drafted(kScale).oracle.sources.front().content;
  EXPECT_THAT(oracle, HasSubstr("static void kernel_(int n, Real_<24> a, "
                                "Real_<24>* x)"));
  EXPECT_THAT(oracle,
              HasSubstr("void oracle(double a, const double* "
                        "x_before, double* x, double* x_m, int64_t n)"));
}

// Each complex number has two elements, which the root sees as one.
TEST(TaskDraftTest, ComplexNumbersArePairs) {
  const auto pieces = CutSource(WithNamedComplex(
      "#include <complex.h>\n"
      "void scale(int n, const float complex* x, float complex* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = 2 * I * x[i];\n}\n"));
  const auto reading = Read(pieces, {});
  ASSERT_TRUE(reading) << reading.error().what;
  const auto task = DraftTask(pieces, *reading, Named("m"));
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_THAT(task->definition.inputs[0].shape,
              testing::Optional(testing::ElementsAre("n", "K2")));
  EXPECT_EQ(task->definition.inputs[0].dtype, DType::kFloat32);
  const std::string root = task->root.sources.front().content;
  EXPECT_THAT(root, HasSubstr("void run(const float* x_raw, float* y_raw"));
  EXPECT_THAT(root, HasSubstr("auto* y = reinterpret_cast<ComplexFloat*>"
                              "(y_raw);"));
  const std::string oracle = task->oracle.sources.front().content;
  EXPECT_THAT(oracle, HasSubstr("x_own = Pairs_<ComplexFloat>(x, n)"));
  EXPECT_THAT(oracle, HasSubstr("Give_(y_own[i_], &y[2 * i_], &y_m[2 * i_]"));
}

// What is computed has 64 bits; an index has as many as its array.
TEST(TaskDraftTest, SixtyFourBitsWithoutSignAreTwoHalvesUnlessTheyAreSmall) {
  const auto pieces = CutSource(
      "void pick(size_t n, const size_t* at, const uint64_t* x, uint64_t* y) {"
      "\n  for (size_t i = 0; i < n; ++i) y[i] = x[at[i]] * 3;\n}\n");
  Wishes wishes;
  wishes.shapes["x"] = {"n"};
  const auto reading = Read(pieces, wishes);
  ASSERT_TRUE(reading) << reading.error().what;
  const auto task = DraftTask(pieces, *reading, Named("m"));
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(task->definition.inputs[0].dtype, DType::kInt64);
  EXPECT_EQ(task->definition.inputs[1].dtype, DType::kUInt32);
  EXPECT_THAT(task->root.sources.front().content,
              HasSubstr("void run(const int64_t* at_raw, const uint32_t* x_raw,"
                        " uint32_t* y_raw, int64_t n)"));
  EXPECT_THAT(task->oracle.sources.front().content,
              HasSubstr("GivePair_(y_own[i_], &y[2 * i_]"));
}

TEST(TaskDraftTest, AFormBecomesTags) {
  EXPECT_THAT(Drafted(kScale, "positive").definition.tags,
              Contains("positive:x_before"));
}

TEST(TaskDraftTest, SizesFollowFromOthers) {
  Reading reading;
  reading.axes = {{"n", std::nullopt, ""}, {"m", std::nullopt, "2*n+1"}};
  const auto workload = WorkloadOf(reading, "w", {{"n", 5}});
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->axes[1].second, 11);  // 2 * 5 + 1
  reading.axes[1].derived = "n-5";
  EXPECT_FALSE(WorkloadOf(reading, "w", {{"n", 5}}));
}

// 64 and 64: (32, 128) with the same product, and odd ones of 13/16.
TEST(TaskDraftTest, ProposesThreeShapes) {
  Reading reading;
  reading.axes = {{"m", std::nullopt, ""}, {"n", std::nullopt, ""}};
  const auto three = ThreeSizes(reading, {}, {{"m", 64}, {"n", 64}});
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three[1].at("m"), 32);
  EXPECT_EQ(three[1].at("n"), 128);
  EXPECT_NE(three[2].at("m") % 2, 0);
  EXPECT_NE(three[2].at("n") % 16, 0);
}

// What a header has besides may be no C++ at all.
TEST(TaskDraftTest, OfAFileOnlyWhatIsNeededIsTaken) {
  const std::string root =
      Drafted(
          "struct other { int scale; };\n"
          "void broken(int n, float x[n][n]);\n"
          "typedef float real;\nstatic const real kHalf = 0.5f;\n"
          "static real half(int n, real x[n]) { return kHalf * x[0]; }\n"
          "void scale(int n, real *x) {\n"
          "  for (int i = 0; i < n; ++i) x[i] = half(1, x + i);\n}\n")
          .root.sources.front()
          .content;
  EXPECT_THAT(root, HasSubstr("typedef float real;\n"
                              "static const real kHalf = 0.5f;\n"
                              "static real half(int n, real x[])"));
  EXPECT_THAT(root, Not(HasSubstr("broken")));
  EXPECT_THAT(root, Not(HasSubstr("other")));
}

// C lets `float *row = x + i` point into an input that is not const.
TEST(TaskDraftTest, AnInputIsAsTheFunctionHasItWhereItsTextNeedsThat) {
  const auto pieces = CutSource(
      "void scale(int n, float *x, float *y) {\n"
      "  for (int i = 0; i < n; ++i) { float *at = x + i; y[i] = *at; }\n}");
  const auto reading = Read(pieces, {});
  ASSERT_TRUE(reading) << reading.error().what;
  Drafting drafting = Named("mine");
  drafting.sizes = SizeTypes::kOfFunction;
  const auto task = DraftTask(pieces, *reading, drafting);
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_THAT(task->root.sources.front().content,
              HasSubstr("const float* x_raw, float* y, int64_t n_) {\n"
                        "  const int n = static_cast<int>(n_);\n"
                        "  auto* x = (float*)x_raw;\n"));
  EXPECT_THAT(task->oracle.sources.front().content,
              HasSubstr("kernel_(int n, Real_<24>* x, Real_<24>* y)"));
}

TEST(TaskDraftTest, AComplexNumberByItselfIsReadFromAnArray) {
  const Task task = Drafted(
      "void scale(int n, ComplexFloat a, ComplexFloat *x) {\n"
      "  for (int i = 0; i < n; i++) x[i] = a * x[i];\n}");
  EXPECT_THAT(task.root.sources.front().content,
              HasSubstr("ComplexFloat a = *reinterpret_cast<const "
                        "ComplexFloat*>(a_raw);"));
  EXPECT_THAT(task.oracle.sources.front().content,
              HasSubstr("kernel_(static_cast<int>(n), a_own[0], x_own.get())"));
}

TEST(TaskDraftTest, SizesOfEachShapeAreTakenAsTheyAre) {
  Wishes wishes;
  wishes.function = "scale";
  const auto reading = Read(CutSource(kScale), wishes);
  ASSERT_TRUE(reading) << reading.error().what;
  wishes.sizes["n"] = 64;
  wishes.all_sizes["n"] = {64, 32, 128};
  const auto three = ThreeSizes(*reading, wishes, {{"n", 64}});
  EXPECT_THAT(three,
              testing::ElementsAre(AxisSizes{{"n", 64}}, AxisSizes{{"n", 32}},
                                   AxisSizes{{"n", 128}}));
}

}  // namespace
}  // namespace coppice::engine::own
