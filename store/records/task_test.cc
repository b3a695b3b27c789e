#include "store/records/task.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice {
namespace {

std::string Tag(const Definition& definition, const std::string& key) {
  return TagValue(definition, key).value_or("-");
}

TEST(TaskTest, ATagsValueIsAllBehindItsFirstColon) {
  Definition definition;
  definition.tags = {"level:1", "levels:2", "from:a:b",
                     "level:3", "bare",     "empty:"};
  EXPECT_EQ(Tag(definition, "level"), "1");  // The first of two.
  EXPECT_EQ(Tag(definition, "levels"), "2");
  EXPECT_EQ(Tag(definition, "from"), "a:b");
  EXPECT_EQ(Tag(definition, "empty"), "");
  EXPECT_EQ(Tag(definition, "bare"), "-");
  EXPECT_EQ(Tag(definition, "lev"), "-");
  EXPECT_EQ(Tag({}, "level"), "-");
}

// A task of one axis that varies, whose workload draws its input.
Task Varying() {
  Task task;
  task.definition.axes = {{"K", 16, {}}, {"N", {}, {}}};
  task.workloads = {{"u", {{"N", 4}}, {{"x", RandomInput{}}}}};
  return task;
}

std::string WhyFixed(const Task& task) {
  return WhyShapesAreFixed(task).value_or("they vary");
}

TEST(TaskTest, ShapesVaryWhereAnAxisDoesAndInputsAreDrawn) {
  Task task = Varying();
  EXPECT_EQ(WhyFixed(task), "they vary");
  task.workloads[0].inputs.push_back({"scale", ScalarInput{2.0}});
  EXPECT_EQ(WhyFixed(task), "they vary");
  task.definition.axes.pop_back();
  EXPECT_EQ(WhyFixed(task), "no axis varies");
  task.definition.axes.clear();
  EXPECT_EQ(WhyFixed(task), "no axis varies");
}

// It is any workload, for a shape that is made up has no such file.
TEST(TaskTest, WhatIsStoredOrMadeByAFunctionFixesShapes) {
  Task task = Varying();
  task.workloads.push_back(
      {"v", {{"N", 8}}, {{"x", RandomInput{}}, {"w", SafetensorsInput{}}}});
  EXPECT_EQ(WhyFixed(task), "input w is stored");
  task.workloads[1].inputs[1].second = CustomInput{};
  EXPECT_EQ(WhyFixed(task),
            "input w is made by a function of the definition's");
}

TEST(TaskTest, AConstraintFixesShapes) {
  Task task = Varying();
  task.definition.constraints = {"N % 2 == 0", "N > K"};
  EXPECT_EQ(WhyFixed(task), "the definition has a constraint, N % 2 == 0");
}

// Scalars stand in the workload itself, so that they may be of any shape.
TEST(TaskTest, WhatFixesShapesIsSaidOfTheFirstThatDoes) {
  Task task = Varying();
  task.definition.constraints = {"N > 4"};
  task.workloads[0].inputs = {{"s", ScalarInput{true}},
                              {"a", CustomInput{}},
                              {"b", SafetensorsInput{"f", "k"}}};
  EXPECT_EQ(WhyFixed(task),
            "input a is made by a function of the definition's");
  task.workloads[0].inputs.erase(task.workloads[0].inputs.begin() + 1);
  EXPECT_EQ(WhyFixed(task), "input b is stored");
  task.workloads[0].inputs.pop_back();
  EXPECT_EQ(WhyFixed(task), "the definition has a constraint, N > 4");
  task.definition.axes = {{"K", 16, {}}};
  EXPECT_EQ(WhyFixed(task), "no axis varies");
  task.definition.axes = {{"N", {}, {}}};
  task.definition.constraints.clear();
  task.workloads.clear();
  EXPECT_EQ(WhyFixed(task), "they vary");
}

}  // namespace
}  // namespace coppice
