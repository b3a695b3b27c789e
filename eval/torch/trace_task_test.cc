#include "eval/torch/trace_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "eval/formats/trace_set.h"

namespace coppice::eval {
namespace {

using testing::HasSubstr;

// gemm_k8: A [M, 8] from a file, B [8, 5] random, alpha = 0.5; C [M, 5].
Task Gemm() {
  auto task =
      LoadTask(std::string(COPPICE_SOURCE_DIR) + "/tests/trace_set", "gemm_k8");
  EXPECT_TRUE(task) << task.error().what;
  return *task;
}

Solution Written() {
  Solution solution;
  solution.name = "s";
  solution.definition = "gemm_k8";
  solution.language = Language::kPython;
  solution.entry_file = "pkg/main.py";
  solution.entry_symbol = "go";
  solution.sources = {{"pkg/main.py", "def go(): \"\xc3\xa9\""}};
  return solution;
}

TEST(TraceTaskTest, AProblemDrawsEachInputAsItsWorkloadSays) {
  const Task task = Gemm();
  const auto source = ProblemSource(task.definition, task.workloads[0]);
  ASSERT_TRUE(source) << source.error().what;
  EXPECT_THAT(*source, testing::StartsWith(task.definition.reference));
  // After 8 bytes and a header of 64; M = 4: 32 floats.
  EXPECT_THAT(*source, HasSubstr("_stored(\"/stored/0\", 72, 128, "
                                 "[4, 8, ], _torch.float32)"));
  EXPECT_THAT(*source, HasSubstr("AS_THEY_ARE = (0, )\n"));
  EXPECT_THAT(*source, HasSubstr("_random([8, 5, ], _torch.float32)"));
  EXPECT_THAT(*source, HasSubstr("        float(\"0.5\"),\n"));
  EXPECT_THAT(*source,
              HasSubstr("Model = _module_of(globals(), [\"float32\"])\n"));
  EXPECT_THAT(*source, HasSubstr("OUTPUTS_OF_RUN = 1\n"));
}

TEST(TraceTaskTest, ARandomNumberIsNoTensorAndProbabilitiesSumToOne) {
  Task task = Gemm();
  Workload workload = task.workloads[0];
  for (auto& [name, input] : workload.inputs) input = RandomInput{};
  task.definition.op_type = "sampling";
  task.definition.inputs[0].name = "probs";
  const auto source = ProblemSource(task.definition, workload);
  EXPECT_THAT(*source, HasSubstr("_torch.softmax(_random([4, 8, ], "
                                 "_torch.float32), dim=-1)"));
  EXPECT_THAT(*source, HasSubstr("_random([], _torch.float32).item()"));
}

// JSON has no such numbers, and would say null, which Python takes for none.
TEST(TraceTaskTest, AScalarMayBeNoNumberOrHaveNoBound) {
  const Task task = Gemm();
  const auto scalar = [&](std::variant<std::int64_t, double, bool> value) {
    Workload workload = task.workloads[0];
    workload.inputs[2].second = ScalarInput{value};
    return ProblemSource(task.definition, workload).value();
  };
  EXPECT_THAT(scalar(std::nan("")), HasSubstr("        float(\"NaN\"),\n"));
  EXPECT_THAT(scalar(HUGE_VAL), HasSubstr("        float(\"Infinity\"),\n"));
  EXPECT_THAT(scalar(-HUGE_VAL), HasSubstr("        float(\"-Infinity\"),\n"));
  EXPECT_THAT(scalar(-0.0), HasSubstr("        float(\"-0.0\"),\n"));
  EXPECT_THAT(scalar(true), HasSubstr("        True,\n"));
  EXPECT_THAT(scalar(std::int64_t{-7}), HasSubstr("        -7,\n"));
}

// The maker is told the sizes of all axes, and the scalars.
TEST(TraceTaskTest, CustomInputsAreMadeAndStayAsTheyAre) {
  Task task = Gemm();
  task.definition.custom_inputs_entrypoint = "make";
  Workload workload = task.workloads[0];
  workload.inputs[0].second = CustomInput{};
  workload.inputs[1].second = RandomInput{Draw::kWeight};
  const auto source = ProblemSource(task.definition, workload);
  ASSERT_TRUE(source) << source.error().what;
  EXPECT_THAT(*source, HasSubstr("    _made = make({\"K\": 8, \"M\": 4, "
                                 "\"N\": 5, \"alpha\": float(\"0.5\"), }, "
                                 "_torch.empty(0).device)\n    return ["));
  EXPECT_THAT(*source, HasSubstr("        _made[\"A\"],\n"));
  EXPECT_THAT(*source, HasSubstr("AS_THEY_ARE = (0, )\n"));
  EXPECT_THAT(*source,
              HasSubstr("_drawn(\"weight\", [8, 5, ], _torch.float32)"));
}

TEST(TraceTaskTest, WhatCannotBeDrawnIsNamed) {
  Task task = Gemm();
  Workload workload = task.workloads[0];
  workload.inputs[0].second = SafetensorsInput{"nowhere.safetensors", "A"};
  EXPECT_THAT(ProblemSource(task.definition, workload).error().what,
              HasSubstr("nowhere.safetensors"));
  workload = task.workloads[0];
  workload.axes[0].second = 1 << 20;
  EXPECT_THAT(ProblemSource(task.definition, workload).error().what,
              HasSubstr("A: dtype or shape is not that of input A"));
  task.definition.inputs[1].dtype = DType::kFloat4E2M1;
  EXPECT_EQ(ProblemSource(task.definition, task.workloads[0]).error().what,
            "gemm_k8: B: tensors of float4_e2m1 cannot be judged");
  workload.axes.clear();
  EXPECT_EQ(ProblemSource(task.definition, workload).error().what,
            "gemm_k8: workload w1 has no axis M");
}

TEST(TraceTaskTest, ASolutionThatIsPassedItsOutputsGetsRoomForThem) {
  const Task task = Gemm();
  const auto source = FunctionSource(task.definition, Written());
  ASSERT_TRUE(source) << source.error().what;
  EXPECT_THAT(*source, HasSubstr("\"pkg.main\":\"def go(): \\\"\\u00e9\\\"\""));
  EXPECT_THAT(*source, HasSubstr("from pkg.main import go as _entry"));
  EXPECT_THAT(*source, HasSubstr("_torch.empty((inputs[0].shape[0], 5, )"));
}

// No input tells W; it is made of R, which in turn is 2 M.
TEST(TraceTaskTest, AConstraintTellsTheSizeOfAnOutput) {
  Task task = Gemm();
  Definition& definition = task.definition;
  for (const char* axis : {"R", "W"}) {
    definition.axes.push_back(
        {.name = axis, .constant = {}, .description = {}});
  }
  definition.outputs[0].shape = {"W"};
  definition.constraints = {"R == 2 * M", "W == R + K"};
  const auto source = FunctionSource(definition, Written());
  ASSERT_TRUE(source) << source.error().what;
  EXPECT_THAT(*source,
              HasSubstr("_torch.empty((((2 * inputs[0].shape[0]) + 8), )"));
  definition.constraints = {"R == W", "W == R"};
  EXPECT_THAT(FunctionSource(definition, Written()).error().what,
              HasSubstr("does not follow from the inputs"));
}

TEST(TraceTaskTest, ASolutionThatReturnsIsCalledAsItIs) {
  Solution solution = Written();
  solution.destination_passing_style = false;
  const auto source = FunctionSource(Gemm().definition, solution);
  EXPECT_THAT(*source, testing::EndsWith("\nrun = _entry\n"));
}

TEST(TraceTaskTest, WhatCannotBeCalledIsNamed) {
  Task task = Gemm();
  Solution solution = Written();
  solution.language = Language::kTilelang;
  EXPECT_EQ(FunctionSource(task.definition, solution).error().what,
            "s: solutions in Python, Triton, C++ and CUDA C++ can be judged on "
            "a task whose reference is Python");
  solution.definition = "gemm_k9";
  EXPECT_EQ(FunctionSource(task.definition, solution).error().what,
            "s: is a solution of gemm_k9, not of gemm_k8");
  solution.definition = "gemm_k8";
  solution.language = Language::kTriton;
  task.definition.outputs[0].shape.reset();
  EXPECT_THAT(FunctionSource(task.definition, solution).error().what,
              HasSubstr("C: a number cannot be passed to be filled"));
  task = Gemm();
  task.definition.axes.push_back({"Q", {}, {}});
  task.definition.outputs[0].shape = {{"Q"}};
  EXPECT_EQ(FunctionSource(task.definition, solution).error().what,
            "gemm_k8: the size of axis \"Q\" does not follow from the inputs");
}

Candidate CandidateOf(const std::string& source, Language language) {
  return {.language = language, .source = source, .entry_symbol = "run"};
}

TEST(TraceTaskTest, ACandidateIsAModuleOfItsTask) {
  const Task task = Gemm();
  const auto module =
      TraceModule(task, CandidateOf("def run(): pass", Language::kTriton));
  ASSERT_TRUE(module) << module.error().what;
  EXPECT_EQ(module->language, Language::kPython);
  EXPECT_EQ(module->entry_symbol, "ModelNew");
  EXPECT_THAT(module->source, testing::StartsWith("def run(): pass\n"));
  EXPECT_THAT(
      module->source,
      testing::EndsWith("ModelNew = _module_of(globals(), [\"float32\"])\n"));
  // Who is one already stays as it is.
  EXPECT_EQ(TraceModule(task, *module)->source, module->source);
}

TEST(TraceTaskTest, ACandidateMayBeTheDocumentOfASolution) {
  const Task task = Gemm();
  Solution solution = Written();
  solution.author = "a";
  solution.target_hardware = {"cpu"};
  const auto of = [&] {
    return TraceModule(task, CandidateOf("\n " + SerialiseSolution(solution),
                                         Language::kCuda));
  };
  ASSERT_TRUE(of()) << of().error().what;
  EXPECT_THAT(of()->source, HasSubstr("from pkg.main import go as _entry"));
  solution.definition = "other";
  EXPECT_EQ(of().error().what, "s: is a solution of other, not of gemm_k8");
}

TEST(TraceTaskTest, ACandidateInAnotherLanguageIsTold) {
  for (const Language language : {Language::kCpp, Language::kCuda}) {
    const auto none = TraceModule(Gemm(), CandidateOf("int x;", language));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Errc::kUsage);
    EXPECT_EQ(none.error().what,
              "gemm_k8: a candidate of this task is in Python, or the document "
              "of a solution");
  }
}

TEST(TraceTaskTest, AProblemIsOfOneWorkload) {
  Task task = Gemm();
  task.workloads.push_back(task.workloads[0]);
  task.workloads[1].uuid = "other";
  const auto problem = TraceProblem(task, 1);
  ASSERT_TRUE(problem) << problem.error().what;
  EXPECT_EQ(problem->definition.name, "gemm_k8 other");
  ASSERT_EQ(problem->workloads.size(), 1U);
  EXPECT_EQ(problem->workloads[0].uuid, "other");
  EXPECT_EQ(problem->root.entry_symbol, "ModelNew");
  EXPECT_THAT(problem->root.sources.at(0).content,
              testing::StartsWith(task.definition.reference));
}

// Compiled by the worker; tensors that are not torch's are made torch's.
TEST(TraceTaskTest, ACompiledSolutionIsLoadedAsItsBindingSays) {
  Solution solution = Written();
  solution.language = Language::kCuda;
  solution.sources = {{"k.cu", "// \"k\""}};
  solution.compile_options.cflags = {"-O2"};
  solution.destination_passing_style = false;
  const auto by = [&](std::optional<std::string> binding) {
    solution.binding = std::move(binding);
    return FunctionSource(Gemm().definition, solution).value();
  };
  EXPECT_THAT(by(std::nullopt),
              HasSubstr("    {\"k.cu\":\"// \\\"k\\\"\"},\n    True, True, "
                        "\"go\", {\"extra_cflags\":[\"-O2\"],"));
  EXPECT_THAT(by("tvm-ffi"), HasSubstr("return _tensors_of(_entry(*inputs))"));
  EXPECT_THAT(by("torch"), HasSubstr(",\n    True, False, \"go\""));
  EXPECT_THAT(by("torch"), testing::EndsWith("\nrun = _entry\n"));
  solution.language = Language::kCpp;
  EXPECT_THAT(by("torch"), HasSubstr(",\n    False, False, \"go\""));
}

}  // namespace
}  // namespace coppice::eval
