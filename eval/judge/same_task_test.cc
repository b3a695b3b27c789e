#include "eval/judge/same_task.h"

#include <gtest/gtest.h>

#include <functional>

#include "eval/formats/test_tasks.h"

namespace coppice::eval {
namespace {

// The task has an input of each kind.
Task Known() {
  Task task = RowSumTask();
  task.definition.reference = "def run(x): return x.sum(-1)";
  task.definition.tags = {"level:1"};
  task.workloads[0].inputs = {{"x", RandomInput{Draw::kPositive}},
                              {"a", ScalarInput{2.0}},
                              {"s", SafetensorsInput{"/here/s.st", "s"}},
                              {"c", CustomInput{}}};
  return task;
}

struct Change {
  const char* what;
  std::function<void(Task&)> make;
};

void PrintTo(const Change& change, std::ostream* out) { *out << change.what; }

class ChangedTaskTest : public testing::TestWithParam<Change> {};

TEST_P(ChangedTaskTest, IsAnother) {
  Task changed = Known();
  GetParam().make(changed);
  EXPECT_FALSE(SameTask(Known(), changed));
  EXPECT_FALSE(SameTask(changed, Known()));
}

const Change kChanges[] = {
    {"name", [](Task& task) { task.definition.name += "2"; }},
    {"axis", [](Task& task) { task.definition.axes[0].name = "M"; }},
    {"constant", [](Task& task) { task.definition.axes[1].constant = 301; }},
    {"varies", [](Task& task) { task.definition.axes[1].constant.reset(); }},
    {"fewer_axes", [](Task& task) { task.definition.axes.pop_back(); }},
    {"input", [](Task& task) { task.definition.inputs[0].name = "z"; }},
    {"input_type",
     [](Task& task) { task.definition.inputs[0].dtype = DType::kFloat16; }},
    {"input_shape",
     [](Task& task) {
       task.definition.inputs[0].shape = {{"C", "R"}};
     }},
    {"scalar", [](Task& task) { task.definition.inputs[0].shape.reset(); }},
    {"output_type",
     [](Task& task) { task.definition.outputs[0].dtype = DType::kFloat16; }},
    {"two_outputs",
     [](Task& task) { task.definition.outputs.push_back(Tensor("z", {"R"})); }},
    {"tags", [](Task& task) { task.definition.tags = {"level:2"}; }},
    {"workload", [](Task& task) { task.workloads[0].uuid = "columns"; }},
    {"size", [](Task& task) { task.workloads[0].axes[0].second = 34; }},
    {"fewer_workloads", [](Task& task) { task.workloads.clear(); }},
    {"another_workload",
     [](Task& task) { task.workloads.push_back(task.workloads[0]); }},
    {"draw",
     [](Task& task) {
       task.workloads[0].inputs[0].second = RandomInput{Draw::kOnes};
     }},
    {"scalar_value",
     [](Task& task) { task.workloads[0].inputs[1].second = ScalarInput{3.0}; }},
    {"whole_scalar",
     [](Task& task) {
       task.workloads[0].inputs[1].second = ScalarInput{std::int64_t{2}};
     }},
    {"key_of_file",
     [](Task& task) {
       task.workloads[0].inputs[2].second = SafetensorsInput{"/here/s.st", "t"};
     }},
    {"kind_of_input",
     [](Task& task) { task.workloads[0].inputs[3].second = RandomInput{}; }},
    {"name_of_input",
     [](Task& task) { task.workloads[0].inputs[3].first = "d"; }},
    {"fewer_inputs", [](Task& task) { task.workloads[0].inputs.pop_back(); }},
    {"root", [](Task& task) { task.root.sources[0].content += " "; }},
    {"entry", [](Task& task) { task.root.entry_symbol = "go"; }},
    {"oracle", [](Task& task) { task.oracle.sources[0].content += " "; }},
    {"entry_of_oracle", [](Task& task) { task.oracle.entry_symbol = "go"; }},
    {"format", [](Task& task) { task.format = TaskFormat::kGpuMode; }},
    {"protocol", [](Task& task) { task.protocol = Protocol::kBenchmark; }},
    {"delegation",
     [](Task& task) { task.delegation = Delegation::kOwnKernels; }},
    {"tolerance", [](Task& task) { task.tolerance.factor = 9.0; }},
    {"eval_config", [](Task& task) { task.eval_config.iterations = 51; }},
};

INSTANTIATE_TEST_SUITE_P(, ChangedTaskTest, testing::ValuesIn(kChanges),
                         [](const auto& tested) { return tested.param.what; });

TEST(SameTaskTest, WhatOnlyExplainsMayChange) {
  Task changed = Known();
  changed.definition.description = "sums of rows";
  changed.definition.axes[0].description = "rows";
  changed.definition.inputs[0].description = "terms";
  changed.root.author = "somebody";
  changed.expert = changed.root;
  EXPECT_TRUE(SameTask(Known(), changed));
}

TEST(SameTaskTest, AFileMayHaveMoved) {
  Task changed = Known();
  changed.workloads[0].inputs[2].second = SafetensorsInput{"/there/s.st", "s"};
  EXPECT_TRUE(SameTask(Known(), changed));
}

// An oracle judges a native task, and its reference nobody.
TEST(SameTaskTest, AReferenceCountsWhereItJudges) {
  Task before = Known();
  Task after = Known();
  after.definition.reference += "  # anew";
  EXPECT_TRUE(SameTask(before, after));
  before.format = after.format = TaskFormat::kKernelBench;
  EXPECT_FALSE(SameTask(before, after));
}

TEST(SourceOfTest, IsOfTheEntryFile) {
  Solution solution = MakeSolution("run", "int x;");
  solution.sources.insert(solution.sources.begin(), {"other.h", "int y;"});
  EXPECT_EQ(SourceOf(solution), "int x;");
  solution.entry_file = "kernel.cu";
  EXPECT_EQ(SourceOf(solution), "");
}

}  // namespace
}  // namespace coppice::eval
