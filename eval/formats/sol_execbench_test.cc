#include "eval/formats/sol_execbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "eval/formats/test_documents.h"
#include "eval/formats/trace_directory.h"
#include "eval/formats/trace_set.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// 24 = 3 * 8; a workload has tokens = batch * 2 rows.
const char kGating[] = R"({
  "name": "gating",
  "axes": {"batch": {"type": "var"},
           "heads": {"type": "const", "value": 3},
           "dim": {"type": "const", "value": 8},
           "width": {"type": "expr", "expression": "heads * dim"},
           "tokens": {"type": "expr", "expression": "batch * 2"}},
  "custom_inputs_entrypoint": "make",
  "inputs": {"x": {"shape": ["tokens", "width"], "dtype": "float32"},
             "pair": {"shape": ["2"], "dtype": "int64"},
             "eps": {"shape": null, "dtype": "float32"}},
  "outputs": {"y": {"shape": ["tokens", "width"], "dtype": "bfloat16"}},
  "reference": "def make(sizes, device):\n    return {}\n\ndef run(x, pair, eps):\n    return x"
})";

const char kGatingWorkload[] = R"({"uuid": "w1", "axes": {"batch": 5}, )"
                               R"("inputs": {"x": {"type": "custom"}, )"
                               R"("pair": {"type": "custom"}, )"
                               R"("eps": {"type": "scalar", "value": 0.5}}, )"
                               R"("tolerance": {"max_atol": 0.1}})";

const char kGatingSolution[] = R"({
  "name": "gating_cuda", "definition": "gating", "author": "ann",
  "spec": {"languages": ["cutlass", "cuda_cpp"], "target_hardware": ["LOCAL"],
           "entry_point": "main.cpp::run",
           "compile_options": {"cuda_cflags": ["-O3"], "ld_flags": ["-lm"]}},
  "sources": [{"path": "main.cpp", "content": "#include <a>"},
              {"path": "kernel.cu", "content": "void f();"}]
})";

class SolExecBenchTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    Write("L1/one/definition.json", kGating);
    Write("L1/one/workload.jsonl", kGatingWorkload);
    Write("L1/one/solution_cuda.json", kGatingSolution);
    Write("L1/one/config.json", R"({"iterations": 5})");
  }

  void Write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  // After the place of the set.
  std::string Complaint() const {
    const Result<Task> task = LoadTask(root_, "gating");
    return task ? "none" : task.error().what.substr(root_.string().size());
  }

  fs::path root_;
};

TEST_F(SolExecBenchTest, AProblemFolderIsATaskByAnyOfItsNames) {
  for (const Result<Task>& task :
       {LoadTaskOf(root_ / "L1/one"), LoadTask(root_, "gating"),
        LoadTaskOf(root_ / "L1/one/definition.json")}) {
    ASSERT_TRUE(task) << task.error().what;
    EXPECT_EQ(task->format, TaskFormat::kFlashInferBench);
    EXPECT_EQ(task->definition.name, "gating");
    EXPECT_EQ(task->definition.op_type, "unspecified");
    EXPECT_EQ(task->workloads.size(), 1U);
    EXPECT_EQ(task->root.author, "reference");
  }
  EXPECT_THAT(LoadTaskOf(root_).error().what,
              HasSubstr("name a definition, as " +
                        (root_ / "L1/one/definition.json").string()));
  EXPECT_THAT(*ListDefinitions(root_), ElementsAre("gating"));
}

TEST_F(SolExecBenchTest, AxesThatAreExpressionsHaveSizes) {
  const Result<Task> task = LoadTask(root_, "gating");
  ASSERT_TRUE(task) << task.error().what;
  const std::vector<Axis>& axes = task->definition.axes;
  ASSERT_EQ(axes.size(), 6U);
  EXPECT_EQ(axes[3].constant, 24);
  EXPECT_EQ(axes[4].constant, std::nullopt);
  EXPECT_EQ(axes[5].name, "2");
  EXPECT_EQ(axes[5].constant, 2);
  EXPECT_THAT(task->definition.constraints, ElementsAre("tokens == batch * 2"));
  using Size = std::pair<std::string, std::int64_t>;
  EXPECT_THAT(task->workloads[0].axes,
              ElementsAre(Size("batch", 5), Size("tokens", 10)));
}

TEST_F(SolExecBenchTest, ATaskComesBackFromItsDocument) {
  const Result<Task> task = LoadTask(root_, "gating");
  ASSERT_TRUE(task) << task.error().what;
  const Result<Task> back = ParseTask(SerialiseTask(*task));
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(back->definition.custom_inputs_entrypoint, "make");
  EXPECT_TRUE(
      std::holds_alternative<CustomInput>(back->workloads[0].inputs[1].second));
  EXPECT_EQ(SerialiseTask(*back), SerialiseTask(*task));
}

TEST_F(SolExecBenchTest, SolutionsBecomeThoseOfOneLanguage) {
  const auto language = [](const char* from, const char* to) {
    const auto solution =
        ParseSolution(Replaced(kGatingSolution, from, to), "s");
    EXPECT_TRUE(solution) << solution.error().what;
    return solution->language;
  };
  const auto solution = ParseSolution(kGatingSolution, "s");
  ASSERT_TRUE(solution) << solution.error().what;
  EXPECT_EQ(solution->language, Language::kCuda);
  EXPECT_EQ(solution->binding, "torch");
  EXPECT_THAT(solution->compile_options.cuda_cflags, ElementsAre("-O3"));
  EXPECT_THAT(solution->compile_options.ld_flags, ElementsAre("-lm"));
  EXPECT_EQ(language("kernel.cu", "other.cpp"), Language::kCpp);
  const char* all = R"("cutlass", "cuda_cpp")";
  EXPECT_EQ(language(all, R"("pytorch")"), Language::kPython);
  EXPECT_EQ(language(all, R"("pytorch", "triton")"), Language::kTriton);
  EXPECT_EQ(language(all, R"("triton", "pytorch")"), Language::kTriton);
  EXPECT_EQ(language(all, R"("cutile")"), Language::kPython);
}

TEST_F(SolExecBenchTest, MalformedDefinitionsAreNamed) {
  const Malformed definitions[] = {
      {"heads * dim", "heads * rows",
       "/axes/width: /expression \"heads * rows\": no axis is called rows"},
      {"heads * dim", "heads *",
       "/axes/width: /expression \"heads *\": a name or number is missing"},
      {"batch * 2", "batch // 0",
       "/axes/tokens: /expression \"batch // 0\": it divides by zero"},
      {"batch * 2", "tokens * 2",
       "/axes/tokens: /expression \"tokens * 2\": no axis is called tokens"},
      {"heads * dim", "heads / dim",
       "/axes/width: /expression \"heads / dim\": its value is no whole "
       "number below 2^53"},
      {"heads * dim", "heads - dim",
       "/axes/width: /expression \"heads - dim\": its value is -5"},
      {"heads * dim", "heads - 3",
       "/axes/width: is 0, so that output y has no element by which a kernel "
       "could be judged"},
      {"\"make\"", "\"made\"",
       "/custom_inputs_entrypoint: /reference has no top-level `def made(`"},
      {"\"heads\": {\"type\": \"const\"", "\"heads\": {\"type\": \"some\"",
       "/axes/heads: /type is neither \"const\" nor \"var\""},
      {"float32", "uint64", "/inputs/x/dtype: unknown value \"uint64\""}};
  for (const auto& [from, to, complaint] : definitions) {
    Write("L1/one/definition.json", Replaced(kGating, from, to));
    EXPECT_EQ(Complaint(),
              "/L1/one/definition.json: " + std::string(complaint));
  }
  Write("L1/one/definition.json", Replaced(kGating, "float32", "float64"));
  EXPECT_EQ(Complaint(),
            ": gating: tensor x: its dtype is one of kernels in C++");
}

TEST_F(SolExecBenchTest, MalformedWorkloadsAreNamed) {
  const Malformed workloads[] = {
      {"\"batch\": 5", "\"batch\": 0",
       "/axes: tokens is batch * 2: 0; expected an integer > 0"},
      {"\"batch\": 5", "\"batch\": -5",
       "/axes/batch: expected an integer >= 0"},
      {"\"batch\": 5", "\"batch\": 5, \"rows\": 5",
       "/axes/rows: not a varying axis of gating"},
      {"\"batch\": 5", "\"rows\": 5",
       "/axes: tokens is batch * 2: no axis is called batch"},
      {"\"type\": \"custom\"", "\"type\": \"costum\"",
       "/inputs/x: /type \"costum\" is none of random, scalar, "
       "safetensors"}};
  for (const auto& [from, to, complaint] : workloads) {
    Write("L1/one/workload.jsonl", Replaced(kGatingWorkload, from, to));
    EXPECT_EQ(Complaint(),
              "/L1/one/workload.jsonl:1: " + std::string(complaint));
  }
}

TEST_F(SolExecBenchTest, MalformedSolutionsAreNamed) {
  const Malformed solutions[] = {
      {R"("cutlass")", R"("pytorch")",
       "/spec/languages: C++ and Python cannot be mixed"},
      {R"("cutlass")", R"("cobol")",
       "/spec/languages/0: unknown value \"cobol\""},
      {R"("cutlass", "cuda_cpp")", "", "/spec/languages: is empty"}};
  for (const auto& [from, to, complaint] : solutions) {
    Write("L1/one/solution_cuda.json", Replaced(kGatingSolution, from, to));
    EXPECT_EQ(Complaint(),
              "/L1/one/solution_cuda.json: " + std::string(complaint));
  }
}

TEST_F(SolExecBenchTest, AFolderWithoutWorkloadsIsToldOfThem) {
  fs::remove(root_ / "L1/one/workload.jsonl");
  for (const char* place : {"L1/one", "L1/one/definition.json"}) {
    const auto task = LoadTaskOf(root_ / place);
    ASSERT_FALSE(task) << place;
    EXPECT_EQ(task.error().what,
              (root_ / "L1/one/workload.jsonl").string() +
                  ": No such file; a problem of SOL-ExecBench has its "
                  "workloads there");
  }
}

// An axis that no shape has may be 0, as a count may.
TEST_F(SolExecBenchTest, ACountMayBeZero) {
  Write("L1/one/definition.json",
        Replaced(kGating, "\"dim\":",
                 "\"skipped\": {\"type\": \"const\", \"value\": 0}, \"dim\":"));
  EXPECT_EQ(Complaint(), "none");
}

TEST_F(SolExecBenchTest, InputsAreCustomOnlyWhereAFunctionMakesThem) {
  Write("L1/one/definition.json", Replaced(kGating, "\"make\"", "null"));
  EXPECT_EQ(Complaint(),
            "/L1/one/workload.jsonl:1: /inputs/x: gating names no "
            "custom_inputs_entrypoint");
}

TEST_F(SolExecBenchTest, AProblemThatIsThereTwiceIsOne) {
  Write("L1/two/definition.json", kGating);
  Write("L1/two/workload.jsonl", kGatingWorkload);
  Write("L1/two/solution.json", kGatingSolution);
  EXPECT_EQ(Complaint(), "none");
  Write("L1/two/definition.json",
        Replaced(kGating, "\"value\": 3", "\"value\": 4"));
  EXPECT_EQ(Complaint(),
            "/L1/two/definition.json: /name: \"gating\" is there twice");
}

// What the translation does not understand is left to the reader to name.
TEST_F(SolExecBenchTest, OddDefinitionsAreNamedByTheReader) {
  const Malformed cases[] = {
      {"\"axes\": {\"batch\"", "\"axes\": [], \"was\": {\"batch\"",
       "/axes: expected an object"},
      {"\"name\": \"gating\"", "\"name\": \"gating\", \"constraints\": 3",
       "/axes/width: /type is neither \"const\" nor \"var\""},
      {"\"expression\": \"heads * dim\"", "\"expr\": \"heads * dim\"",
       "/axes/width: \"expression\" is missing"},
      {"\"heads * dim\"", "24", "/axes/width/expression: expected a string"},
      {"\"heads * dim\"", "\"\"",
       "/axes/width/expression: expected a string that is not empty"},
      {"\"heads * dim\"", "\"2 ** 60\"",
       "/axes/width: /expression \"2 ** 60\": its value is no whole number "
       "below 2^53"},
      {"\"value\": 3", "\"value\": -3",
       "/axes/heads/value: expected an integer >= 0"},
      {"{\"type\": \"const\", \"value\": 3}", "3",
       "/axes/heads: expected an object"},
      {"[\"2\"]", "[\"-2\"]", "/inputs/pair/shape: no axis is called \"-2\""},
      {"[\"2\"]", "[2]", "/inputs/pair/shape/0: expected a string"},
      {"[\"2\"]", "[\"99999999999999999999\"]",
       "/inputs/pair/shape: no axis is called \"99999999999999999999\""}};
  for (const auto& [from, to, complaint] : cases) {
    Write("L1/one/definition.json", Replaced(kGating, from, to));
    EXPECT_EQ(Complaint(), "/L1/one/definition.json: " + std::string(complaint))
        << to;
  }
  Write("L1/one/definition.json", "[]");
  EXPECT_EQ(Complaint(), "/L1/one/definition.json: expected an object");
}

TEST_F(SolExecBenchTest, OddWorkloadsAreNamedByTheReader) {
  const Malformed cases[] = {
      {"{\"batch\": 5}", "[5]", "/axes: expected an object"},
      {"\"batch\": 5", "\"batch\": \"five\"",
       "/axes/batch: expected an integer >= 0"},
      {"\"batch\": 5", "\"batch\": 9007199254740992",
       "/axes: tokens is batch * 2: its value is no whole number below 2^53"},
      {"\"batch\": 5", "\"batch\": 5, \"tokens\": 0",
       "/axes/tokens: expected an integer > 0"},
      {"\"inputs\"", "\"in\"", "\"inputs\" is missing"},
      {"\"uuid\": \"w1\", ", "", "\"uuid\" is missing"},
      {"0.5", "null", "/inputs/eps/value: expected a number or a bool"},
      {"{\"type\": \"custom\"}", "3", "/inputs/x: expected an object"}};
  for (const auto& [from, to, complaint] : cases) {
    Write("L1/one/workload.jsonl", Replaced(kGatingWorkload, from, to));
    EXPECT_EQ(Complaint(),
              "/L1/one/workload.jsonl:1: " + std::string(complaint))
        << to;
  }
  Write("L1/one/workload.jsonl", "");
  EXPECT_EQ(Complaint(), ": no workload of \"gating\" in workloads/");
}

TEST(SolExecBenchTraceTest, OtherStatusesAreTheirOwn) {
  const auto translated = [](const std::string& text) {
    return TranslatedTrace(Json::parse(text)).dump();
  };
  EXPECT_EQ(
      translated(R"({"evaluation":{"status":"INVALID_REFERENCE"}})"),
      R"({"evaluation":{"status":"RUNTIME_ERROR","log":"INVALID_REFERENCE"}})");
  for (const char* same :
       {R"({"evaluation":{"status":"TIMEOUT","log":"REWARD_HACK"}})",
        R"({"evaluation":null})", R"({"evaluation":[1]})", "[]", "null",
        R"({"evaluation":{"status":7}})"}) {
    EXPECT_EQ(translated(same), same);
  }
}

// Draws follow from names; "softmax output" follows from the description, masks
// from the shape.
TEST(SolExecBenchDrawTest, RandomTensorsAreDrawnByTheirPart) {
  const auto drawn = [](const std::string& name,
                        const std::string& more = R"("dtype": "float32")",
                        const std::string& shape = R"(["n", "n"])") {
    const Json definition = Json::parse(
        R"({"axes": {"n": {"type": "var"}, "m": {"type": "var"}}, "inputs": {")" +
        name + R"(": {"shape": )" + shape + ", " + more + "}}}");
    const Json workload =
        Json::parse(R"({"axes": {"n": 4, "m": 5}, "inputs": {")" + name +
                    R"(": {"type": "random"}}})");
    const auto translated =
        TranslatedWorkload(definition, Cursor(workload, "w"));
    EXPECT_TRUE(translated) << translated.error().what;
    return (*translated)["inputs"][name].value("draw", "plain");
  };
  EXPECT_EQ(drawn("x"), "plain");
  EXPECT_EQ(drawn("q_norm_weight"), "ones");
  EXPECT_EQ(drawn("layernorm2_weight"), "ones");
  EXPECT_EQ(drawn("norm_bias"), "zeros");
  EXPECT_EQ(drawn("bias"), "plain");
  EXPECT_EQ(drawn("attention_mask"), "causal_mask");
  EXPECT_EQ(drawn("attention_mask", R"("dtype": "float32")", R"(["n", "m"])"),
            "bits");
  EXPECT_EQ(drawn("pad_mask", R"("dtype": "float32", "description": "Binary")"),
            "bits");
  EXPECT_EQ(drawn("rope_cos"), "cosine");
  EXPECT_EQ(drawn("sin"), "sine");
  EXPECT_EQ(drawn("running_var"), "positive");
  EXPECT_EQ(drawn("std2"), "positive");
  EXPECT_EQ(drawn("A"), "decay");
  EXPECT_EQ(drawn("A_log"), "log_decay");
  EXPECT_EQ(drawn("A_cumsum"), "decay_sums");
  EXPECT_EQ(drawn("g"), "gate");
  EXPECT_EQ(
      drawn("p", R"("dtype": "float16", "description": "Softmax output")"),
      "softmax");
  EXPECT_EQ(drawn("up_proj"), "weight");
  EXPECT_EQ(drawn("weight"), "weight");
  EXPECT_EQ(drawn("weight", R"("dtype": "float32")", R"(["n"])"), "plain");
  EXPECT_EQ(drawn("weight", R"("dtype": "int32")"), "plain");
}

const char kGatingTrace[] =
    R"({"definition": "gating", "solution": "gating_cuda", "workload": )"
    R"({"uuid": "w1", "axes": {"batch": 5}, "inputs": {}}, "evaluation": )"
    R"({"status": "REWARD_HACK", "log": "a thread", "timestamp": "2026", )"
    R"("environment": {"hardware": "NVIDIA B200"}}})";

TEST_F(SolExecBenchTest, TracesAreReadBesideAProblemOrAlone) {
  Write("L1/one/traces.jsonl", kGatingTrace);
  auto set = LoadTraceSet(root_);
  ASSERT_TRUE(set) << set.error().what;
  EXPECT_EQ(set->definitions.size(), 1U);
  EXPECT_EQ(set->solutions.size(), 1U);
  EXPECT_EQ(set->workloads.size(), 1U);
  ASSERT_EQ(set->traces.size(), 1U);
  EXPECT_EQ(set->traces[0].evaluation->status, TraceStatus::kRuntimeError);
  EXPECT_EQ(set->traces[0].evaluation->log, "REWARD_HACK: a thread");
  fs::remove_all(root_);
  Write("out/L1/one/traces.json",
        "[" + Replaced(kGatingTrace, "REWARD_HACK", "TIMEOUT") + "]");
  Write("out/L1/one/solution.json", kGatingSolution);
  set = LoadTraceSet(root_);
  ASSERT_TRUE(set) << set.error().what;
  EXPECT_EQ(set->solutions.size(), 1U);
  ASSERT_EQ(set->traces.size(), 1U);
  EXPECT_EQ(set->traces[0].evaluation->status, TraceStatus::kTimeout);
}

// The second entry is of other sizes than the second workload.
TEST_F(SolExecBenchTest, BoundsAreOfTheWorkloadsInTheirOrder) {
  Write("L1/one/workload.jsonl",
        std::string(kGatingWorkload) + "\n" +
            Replaced(kGatingWorkload, "\"w1\"", "\"w2\""));
  Write("L1/one/metadata.json",
        R"({"sol": {"per_workload": [
              {"axes": {"batch": 5, "tokens": 10, "heads": 3},
               "sol_ms": 0.25, "baseline_latency_ms": 1.5},
              {"axes": {"batch": 6}, "sol_ms": 1, "baseline_latency_ms": 2}
            ]}})");
  const auto set = LoadTraceSet(root_);
  ASSERT_TRUE(set) << set.error().what;
  ASSERT_EQ(set->bounds.at("gating").size(), 1U);
  EXPECT_EQ(set->bounds.at("gating").at("w1").sol_ms, 0.25);
  EXPECT_EQ(set->bounds.at("gating").at("w1").baseline_ms, 1.5);
}

TEST_F(SolExecBenchTest, MadeInputsHaveNoPlaceInATraceSet) {
  const auto set = LoadTraceSet(root_);
  ASSERT_TRUE(set) << set.error().what;
  EXPECT_EQ(WriteTraceSet(*set, root_ / "out").error().what,
            "\"gating\": its reference's make makes its inputs, which trace "
            "sets cannot say");
}

// Paths of tensors are relative to the set, which is the folder or one above
// it.
TEST_F(SolExecBenchTest, TensorsAreFoundWhereTheirSetBegins) {
  Write("data/blob/pair.safetensors", "");
  Write("L1/one/workload.jsonl",
        Replaced(kGatingWorkload, R"("pair": {"type": "custom"})",
                 R"("pair": {"type": "safetensors", "tensor_key": "p",)"
                 R"( "path": "data/blob/pair.safetensors"})"));
  const Result<Task> task = LoadTask(root_, "gating");
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(
      std::get<SafetensorsInput>(task->workloads[0].inputs[1].second).path,
      (root_ / "data/blob/pair.safetensors").string());
}

}  // namespace
}  // namespace coppice::eval
