#include "eval/formats/shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/formats/test_tasks.h"

namespace coppice::eval {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Definition TwoVaryingAxes() {
  Definition definition;
  definition.name = "example";
  definition.axes = {{"N", std::nullopt, std::nullopt},
                     {"H", 8, std::nullopt},
                     {"M", std::nullopt, std::nullopt}};
  definition.inputs = {Tensor("x", {"M", "H"}), Scalar("s", DType::kInt32)};
  definition.outputs = {Tensor("y", {"N", "M"}), Tensor("z", {})};
  return definition;
}

TEST(ShapesTest, NumbersEveryDimension) {
  auto shapes =
      Resolve(TwoVaryingAxes(), MakeWorkload("w", {{"M", 3}, {"N", 5}}));
  ASSERT_TRUE(shapes) << shapes.error().what;
  EXPECT_THAT(shapes->inputs[0].dims, ElementsAre(3, 8));
  EXPECT_EQ(shapes->inputs[0].elements, 24u);
  EXPECT_FALSE(shapes->inputs[0].scalar);
  EXPECT_TRUE(shapes->inputs[1].scalar);
  EXPECT_EQ(shapes->outputs[0].elements, 15u);
  EXPECT_EQ(shapes->outputs[1].elements, 1u);  // Rank 0 is one element.
  // The varying ones alone, in the definition's order, not the workload's.
  EXPECT_THAT(shapes->varying_axes, ElementsAre(5, 3));
}

std::string Complaint(const Definition& definition, const Workload& workload) {
  auto shapes = Resolve(definition, workload);
  EXPECT_FALSE(shapes);
  if (shapes) return "";
  EXPECT_EQ(shapes.error().code, Errc::kUsage);
  return shapes.error().what;
}

TEST(ShapesTest, NamesWhatIsMalformed) {
  const Workload good = MakeWorkload("w", {{"M", 3}, {"N", 5}});
  EXPECT_THAT(Complaint(TwoVaryingAxes(), MakeWorkload("w", {{"M", 3}})),
              HasSubstr("workload w: axis N"));
  EXPECT_THAT(
      Complaint(TwoVaryingAxes(), MakeWorkload("w", {{"M", 3}, {"N", 0}})),
      HasSubstr("axis N"));
  Definition definition = TwoVaryingAxes();
  definition.inputs[0].shape = {{"M", "Q"}};
  EXPECT_THAT(Complaint(definition, good),
              HasSubstr("tensor x: unknown axis Q"));
  definition = TwoVaryingAxes();
  definition.outputs[0].dtype = DType::kFloat8E5M2;
  EXPECT_THAT(Complaint(definition, good), HasSubstr("tensor y: its dtype"));
  definition = TwoVaryingAxes();
  definition.inputs[1].dtype = DType::kFloat16;
  EXPECT_THAT(Complaint(definition, good), HasSubstr("passed by value"));
  definition = TwoVaryingAxes();
  definition.outputs[1].shape = std::nullopt;
  EXPECT_THAT(Complaint(definition, good), HasSubstr("output z: a scalar"));
  definition.outputs.clear();
  EXPECT_THAT(Complaint(definition, good), HasSubstr("no output"));
}

TEST(ShapesTest, RefusesSizesThatOverflow) {
  EXPECT_THAT(Complaint(TwoVaryingAxes(),
                        MakeWorkload("w", {{"M", std::int64_t{1} << 62},
                                           {"N", std::int64_t{1} << 62}})),
              HasSubstr("more than 2^31 elements"));
}

}  // namespace
}  // namespace coppice::eval
