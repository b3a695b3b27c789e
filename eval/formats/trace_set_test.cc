#include "eval/formats/trace_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "eval/formats/test_documents.h"
#include "eval/formats/trace_json.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const char kDefinition[] = R"({
  "name": "axpy_k3",
  "op_type": "blas",
  "axes": {"N": {"type": "var"}, "K": {"type": "const", "value": 3}},
  "inputs": {"z": {"shape": ["N", "K"], "dtype": "float32"},
             "a": {"shape": null, "dtype": "float32"},
             "t": {"shape": [], "dtype": "int32"}},
  "outputs": {"y": {"shape": ["N"], "dtype": "bfloat16"}},
  "reference": "import torch\n\ndef run(z, a, t):\n    return z",
  "tags": ["level:1", "tolerance:2.5"],
  "constraints": ["N > 1"]
})";

const char kWorkload[] =
    R"({"definition": "axpy_k3", "workload": {"uuid": "w1", "axes": {"N": 7},)"
    R"( "inputs": {"z": {"type": "random"}, "a": {"type": "scalar",)"
    R"( "value": 0.5}, "t": {"type": "random"}}},)"
    R"( "solution": null, "evaluation": null})";

const char kRoot[] = R"({
  "name": "axpy_root", "definition": "axpy_k3", "author": "baseline",
  "spec": {"language": "cpp", "target_hardware": ["cpu"],
           "entry_point": "src/root.cc::run", "dependencies": ["blas"],
           "destination_passing_style": true, "binding": "tvm-ffi"},
  "sources": [{"path": "src/root.cc", "content": "void run() {}"}],
  "description": "naive"
})";

const char kOracle[] = R"({
  "name": "axpy_oracle", "definition": "axpy_k3", "author": "oracle",
  "spec": {"language": "cpp", "target_hardware": ["cpu"],
           "entry_point": "oracle.cc::oracle"},
  "sources": [{"path": "oracle.cc", "content": "void oracle() {}"}]
})";

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// A trace set in a directory of its own, made of the documents above.
class TraceSetTest : public testing::Test {
 protected:
  TraceSetTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) /
            (std::string("coppice_trace_set_") + test->name());
    fs::remove_all(root_);
    Write("definitions/blas/axpy_k3.json", kDefinition);
    Write("workloads/blas/axpy_k3.jsonl", kWorkload);
    Write("solutions/baseline/blas/axpy_k3/axpy_root.json", kRoot);
    Write("solutions/oracle/blas/axpy_k3/axpy_oracle.json", kOracle);
  }
  ~TraceSetTest() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  // What LoadTask complains of, less the directory; empty if nothing.
  std::string Complaint(const std::string& definition = "axpy_k3") {
    const Result<Task> task = LoadTask(root_, definition);
    if (task) return "";
    std::string what = task.error().what;
    for (std::size_t at; (at = what.find(root_.string())) != what.npos;) {
      what.erase(at, root_.string().size());
    }
    return what;
  }

  fs::path root_;
};

TEST_F(TraceSetTest, LoadsWhatTheDocumentsSay) {
  const Result<Task> task = LoadTask(root_, "axpy_k3");
  ASSERT_TRUE(task) << task.error().what;

  const Definition& definition = task->definition;
  EXPECT_EQ(definition.op_type, "blas");
  ASSERT_EQ(definition.axes.size(), 2u);
  EXPECT_EQ(definition.axes[0].constant, std::nullopt);
  EXPECT_EQ(definition.axes[1].constant, 3);
  ASSERT_EQ(definition.inputs.size(), 3u);
  EXPECT_EQ(definition.inputs[0].name, "z");  // Not sorted: argument order.
  EXPECT_THAT(*definition.inputs[0].shape, ElementsAre("N", "K"));
  EXPECT_EQ(definition.inputs[1].shape, std::nullopt);  // A scalar.
  EXPECT_TRUE(definition.inputs[2].shape->empty());     // A 0-D tensor.
  EXPECT_EQ(definition.outputs[0].dtype, DType::kBFloat16);
  EXPECT_THAT(definition.constraints, ElementsAre("N > 1"));
  EXPECT_EQ(task->tolerance.factor, 2.5);

  ASSERT_EQ(task->workloads.size(), 1u);
  EXPECT_EQ(task->workloads[0].axes[0].second, 7);
  EXPECT_EQ(
      std::get<double>(
          std::get<ScalarInput>(task->workloads[0].inputs[1].second).value),
      0.5);

  EXPECT_EQ(task->root.entry_file, "src/root.cc");
  EXPECT_EQ(task->root.entry_symbol, "run");
  EXPECT_EQ(task->root.binding, "tvm-ffi");
  EXPECT_EQ(task->root.destination_passing_style, true);
  EXPECT_EQ(task->root.description, "naive");
  EXPECT_EQ(task->oracle.sources[0].content, "void oracle() {}");
  EXPECT_EQ(task->oracle.destination_passing_style, std::nullopt);
}

TEST_F(TraceSetTest, AnExpertIsLoadedIfThereIsOne) {
  EXPECT_FALSE(LoadTask(root_, "axpy_k3")->expert);
  const std::string expert =
      Replaced(Replaced(Replaced(kRoot, "axpy_root", "axpy_expert"), "baseline",
                        "expert"),
               "\"blas\"", "\"coppice-c-abi\", \"cublas\"");
  Write("solutions/expert/axpy_expert.json", expert);
  const Result<Task> task = LoadTask(root_, "axpy_k3");
  ASSERT_TRUE(task) << task.error().what;
  ASSERT_TRUE(task->expert);
  EXPECT_THAT(task->expert->dependencies,
              ElementsAre("coppice-c-abi", "cublas"));
  EXPECT_EQ(ParseTask(SerialiseTask(*task))->expert->name, "axpy_expert");
  Write("solutions/expert/second.json",
        Replaced(expert, "axpy_expert", "second"));
  EXPECT_THAT(Complaint(), HasSubstr("two solutions by author \"expert\""));
}

// A kernel that writes none of no elements is always right.
TEST_F(TraceSetTest, AnOutputHasElements) {
  std::string empty = Replaced(kDefinition, "\"value\": 3", "\"value\": 0");
  Write("definitions/blas/axpy_k3.json", empty);
  EXPECT_EQ(Complaint(), "");  // z is an input.
  empty = Replaced(empty, "\"shape\": [\"N\"]", "\"shape\": [\"N\", \"K\"]");
  Write("definitions/blas/axpy_k3.json", empty);
  EXPECT_EQ(Complaint(),
            "/definitions/blas/axpy_k3.json: /axes/K: is 0, so that output y "
            "has no element by which a kernel could be judged");
}

TEST_F(TraceSetTest, UnknownKeysAreIgnored) {
  Write("definitions/blas/axpy_k3.json",
        Replaced(kDefinition, "\"op_type\"", "\"new\": {}, \"op_type\""));
  EXPECT_EQ(Complaint(), "");
}

TEST_F(TraceSetTest, ATypeThatIsLeftOutIsToldByTheOtherKeys) {
  Write("definitions/blas/axpy_k3.json",
        Replaced(Replaced(kDefinition, R"({"type": "var"})", "{}"),
                 R"({"type": "const", "value": 3})", R"({"value": "3"})"));
  Write("workloads/blas/axpy_k3.jsonl",
        Replaced(Replaced(kWorkload, R"({"type": "scalar", "value": 0.5})",
                          R"({"value": true})"),
                 R"("t": {"type": "random"})",
                 R"("t": {"path": "b.safetensors", "tensor_key": "k"})"));
  const Result<Task> task = LoadTask(root_, "axpy_k3");
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(task->definition.axes[0].constant, std::nullopt);
  EXPECT_EQ(task->definition.axes[1].constant, 3);
  const auto& inputs = task->workloads[0].inputs;
  EXPECT_EQ(std::get<bool>(std::get<ScalarInput>(inputs[1].second).value),
            true);
  const auto& file = std::get<SafetensorsInput>(inputs[2].second);
  EXPECT_EQ(file.tensor_key, "k");
  EXPECT_EQ(file.path, (root_ / "b.safetensors").string());
}

TEST_F(TraceSetTest, AScalarMayBeAStringAndAFileGoesBeforeAValue) {
  const auto scalar = [&](const std::string& value) {
    Write("workloads/blas/axpy_k3.jsonl", Replaced(kWorkload, "0.5", value));
    const Result<Task> task = LoadTask(root_, "axpy_k3");
    EXPECT_TRUE(task) << task.error().what;
    return std::get<ScalarInput>(task->workloads[0].inputs[1].second).value;
  };
  EXPECT_EQ(std::get<std::int64_t>(scalar("\"3.0\"")), 3);
  EXPECT_EQ(std::get<double>(scalar("\"1e3\"")), 1000.0);
  EXPECT_EQ(std::get<double>(scalar("2.0")), 2.0);
  EXPECT_EQ(std::get<bool>(scalar("\"off\"")), false);
  EXPECT_EQ(std::get<std::int64_t>(scalar("1")), 1);
  EXPECT_EQ(std::get<bool>(scalar("true")), true);

  Write("workloads/blas/axpy_k3.jsonl",
        Replaced(kWorkload, R"({"type": "scalar", "value": 0.5})",
                 R"({"value": 2, "path": "b", "tensor_key": "k"})"));
  const Result<Task> task = LoadTask(root_, "axpy_k3");
  EXPECT_TRUE(std::holds_alternative<SafetensorsInput>(
      task->workloads[0].inputs[1].second));
}

TEST_F(TraceSetTest, TheFunctionOfAReferenceMayBeSpacedAndContinued) {
  const auto accepts = [&](const std::string& head) {
    Write("definitions/blas/axpy_k3.json",
          Replaced(kDefinition, "def run(", head));
    return Complaint().empty();
  };
  EXPECT_TRUE(accepts("def run ("));
  EXPECT_TRUE(accepts("def \\t run("));
  EXPECT_TRUE(accepts("def run\\\\\\n("));
  EXPECT_FALSE(accepts("defrun("));
  EXPECT_FALSE(accepts("def runs("));
  EXPECT_FALSE(accepts("def run\\n("));
  EXPECT_FALSE(accepts("async def run("));
}

TEST_F(TraceSetTest, AColonMayBelongToTheSymbol) {
  Write("solutions/baseline/blas/axpy_k3/axpy_root.json",
        Replaced(kRoot, "root.cc::run", "root.cc:::run"));
  EXPECT_EQ(LoadTask(root_, "axpy_k3")->root.entry_symbol, ":run");
}

TEST_F(TraceSetTest, AnInputThatIsLeftOutIsRandomAndOrderIsTheDefinitions) {
  Write("workloads/blas/axpy_k3.jsonl",
        R"({"definition": "axpy_k3", "workload": {"uuid": "w1",)"
        R"( "axes": {"N": 7}, "inputs": {"t": {}, "a": {"value": 1}}}})");
  const Result<Task> task = LoadTask(root_, "axpy_k3");
  ASSERT_TRUE(task) << task.error().what;
  const auto& inputs = task->workloads[0].inputs;
  EXPECT_EQ(inputs[0].first, "z");
  EXPECT_TRUE(std::holds_alternative<RandomInput>(inputs[0].second));
  EXPECT_EQ(
      std::get<std::int64_t>(std::get<ScalarInput>(inputs[1].second).value), 1);
}

TEST_F(TraceSetTest, LinesOfOtherDefinitionsAndBlankLinesAreSkipped) {
  const std::string other =
      R"({"definition": "other", "workload": {"uuid": "w1"}})";
  Write("workloads/all.jsonl", "\n" + other + "\n  \n");
  EXPECT_EQ(Complaint(), "");
}

// Another task before it, by name but not by file.
TEST_F(TraceSetTest, AllTasksAreWhatEachIsByItself) {
  const auto of_other = [](const char* document) {
    return Replaced(document, "axpy_k3", "aardvark");
  };
  Write("definitions/z.json", of_other(kDefinition));
  Write("workloads/z.jsonl", of_other(kWorkload));
  Write("solutions/y.json", Replaced(of_other(kRoot), "axpy_", "other_"));
  Write("solutions/z.json", Replaced(of_other(kOracle), "axpy_", "other_"));
  const auto tasks = LoadTasks(root_);
  ASSERT_TRUE(tasks) << tasks.error().what;
  ASSERT_EQ(tasks->size(), 2u);
  EXPECT_EQ((*tasks)[0].root.name, "other_root");
  for (const Task& task : *tasks) {
    EXPECT_EQ(task.workloads.size(), 1u);
    EXPECT_EQ(SerialiseTask(task),
              SerialiseTask(*LoadTask(root_, task.definition.name)));
  }
  fs::remove(root_ / "workloads/z.jsonl");
  EXPECT_EQ(LoadTasks(root_).error().what,
            root_.string() + ": no workload of \"aardvark\" in workloads/");
}

TEST_F(TraceSetTest, FilesAreFoundAtAnyDepth) {
  fs::rename(root_ / "definitions/blas/axpy_k3.json",
             root_ / "definitions/renamed.json");
  Write("definitions/deep/er/b.json",
        Replaced(kDefinition, "axpy_k3", "aardvark"));
  Write("definitions/readme.txt", "not JSON");
  EXPECT_THAT(*ListDefinitions(root_), ElementsAre("aardvark", "axpy_k3"));
  EXPECT_EQ(Complaint(), "");
}

TEST_F(TraceSetTest, WhatIsTooLargeIsNotRead) {
  fs::resize_file(root_ / "definitions/blas/axpy_k3.json", (256 << 20) + 1);
  EXPECT_EQ(Complaint(), "/definitions/blas/axpy_k3.json: more than 256 MiB");
}

TEST_F(TraceSetTest, EveryMalformedDefinitionIsNamed) {
  const Malformed cases[] = {
      {"\"axpy_k3\"", "\"\"", "/name: expected a string that is not empty"},
      {"\"op_type\": \"blas\",", "", "\"op_type\" is missing"},
      {"\"value\": 3", "\"value\": -3", "/axes/K/value: expected an integer"},
      {", \"value\": 3", "", "/axes/K: \"value\" is missing"},
      {"\"var\"", "\"sym\"", "/axes/N: /type is neither"},
      {"{\"type\": \"var\"}", "5", "/axes/N: expected an object"},
      {"[\"N\", \"K\"]", "[\"N\", \"Q\"]",
       "/inputs/z/shape: no axis is called \"Q\""},
      {"\"shape\": null, ", "", "/inputs/a: \"shape\" is missing"},
      {"\"int32\"", "\"uint64\"", "/inputs/t/dtype: unknown value \"uint64\""},
      {"\"y\"", "\"z\"", "\"z\" is both an input and an output"},
      {"\"y\"", "\"\"", "/outputs: has an empty name"},
      {"def run(", "def go(", "/reference has no top-level `def run(`"},
      {"\\ndef run(", "\\n  def run(", "/reference has no top-level"},
      {"[\"level:1\", \"tolerance:2.5\"]", "null", "/tags: expected an array"},
      {"\"level:1\"", "\"\"", "/tags/0: expected a string that is not empty"},
      {"[\"N > 1\"]", "null", "/constraints: expected an array"},
      {"\"op_type\"", "\"description\": 4, \"op_type\"",
       "/description: expected a string"},
      {"\"op_type\"", "op_type", "not JSON: parse error at line 3"},
  };
  for (const Malformed& bad : cases) {
    Write("definitions/blas/axpy_k3.json",
          Replaced(kDefinition, bad.from, bad.to));
    EXPECT_THAT(Complaint(),
                StartsWith(std::string("/definitions/blas/axpy_k3.json: ") +
                           bad.complaint));
  }
}

TEST_F(TraceSetTest, EveryMalformedWorkloadIsNamedWithItsLine) {
  const Malformed cases[] = {
      {"\"uuid\": \"w1\", ", "", "/workload: \"uuid\" is missing"},
      {"{\"N\": 7}", "{}", "/workload/axes: \"N\" is missing"},
      {"{\"N\": 7}", "{\"N\": 0}", "/workload/axes/N: expected an integer > 0"},
      {"{\"N\": 7}", "{\"N\": 7, \"K\": 3}",
       "/workload/axes/K: not a varying axis of axpy_k3"},
      {"\"t\": {", "\"u\": {", "/workload/inputs/u: not an input of axpy_k3"},
      {"\"random\"", "\"zeros\"",
       "/workload/inputs/z: /type \"zeros\" is none"},
      {"0.5", "\"half\"", "/workload/inputs/a/value: expected a number"},
      {"0.5", "18446744073709551615", "/workload/inputs/a/value: does not fit"},
      {", \"value\": 0.5", "", "/workload/inputs/a: \"value\" is missing"},
      {"{\"type\": \"random\"}", "{\"type\": \"safetensors\", \"path\": \"p\"}",
       "/workload/inputs/z: \"tensor_key\" is missing"},
      {"\"evaluation\": null", "\"evaluation\": {\"status\": \"PASSED\"}",
       "/evaluation: a workload has no evaluation"},
      {"\"definition\"", "\"definitions\"", "\"definition\" is missing"},
      {"{\"definition\"", "[\"definition\"", "not JSON: parse error"},
  };
  for (const Malformed& bad : cases) {
    Write("workloads/blas/axpy_k3.jsonl",
          "\n" + Replaced(kWorkload, bad.from, bad.to));
    EXPECT_THAT(Complaint(),
                StartsWith(std::string("/workloads/blas/axpy_k3.jsonl:2: ") +
                           bad.complaint));
  }
}

TEST_F(TraceSetTest, EveryMalformedSolutionIsNamed) {
  const Malformed cases[] = {
      {"\"author\": \"baseline\",", "", "\"author\" is missing"},
      {"\"cpp\"", "\"rust\"", "/spec/language: unknown value \"rust\""},
      {"\"cpp\"", "\"sim\"", "/spec/language: \"sim\" is no language"},
      {"[\"cpu\"]", "[]", "/spec/target_hardware: is empty"},
      {"root.cc::run", "root.cc", "/spec/entry_point: expected FILE::SYMBOL"},
      {"root.cc::run", "root.cc::a::b",
       "/spec/entry_point: expected FILE::SYMBOL"},
      {"src/root.cc::run", "main.cc::run",
       "/spec/entry_point: \"main.cc\" is not a source"},
      {"[\"blas\"]", "null", "/spec/dependencies: expected an array"},
      {"true", "\"maybe\"", "/spec/destination_passing_style: expected a bool"},
      {"tvm-ffi", "pybind", "/spec: /binding is neither"},
      {"[{\"path\": \"src/root.cc\", \"content\": \"void run() {}\"}]", "[]",
       "/sources is empty"},
      {"\"void run() {}\"", "\"\"", "/sources/0/content: expected a string"},
      {"\"path\": \"src/root.cc\"", "\"path\": \"/src/root.cc\"",
       "/sources/0: /path \"/src/root.cc\" leaves the solution"},
      {"\"path\": \"src/root.cc\"", "\"path\": \"src/../../root.cc\"",
       "/sources/0: /path \"src/../../root.cc\" leaves the solution"},
      {"[{", "[{\"path\": \"src/root.cc\", \"content\": \"x\"}, {",
       "/sources/1: /path \"src/root.cc\" is there twice"},
  };
  for (const Malformed& bad : cases) {
    Write("solutions/baseline/blas/axpy_k3/axpy_root.json",
          Replaced(kRoot, bad.from, bad.to));
    EXPECT_THAT(Complaint(),
                StartsWith(std::string("/solutions/baseline/blas/axpy_k3/"
                                       "axpy_root.json: ") +
                           bad.complaint));
  }
}

// One that a campaign has kept, and somebody has changed.
TEST_F(TraceSetTest, EveryMalformedTaskIsNamed) {
  fs::remove_all(root_ / "solutions/oracle");
  Task task = *LoadTask(root_, "axpy_k3");
  task.protocol = Protocol::kBenchmark;
  task.delegation = Delegation::kNoVendorOp;
  task.eval_config.iterations = 7;
  const std::string text = SerialiseTask(task);
  ASSERT_TRUE(ParseTask(text));
  EXPECT_EQ(ParseTask(text)->eval_config.iterations, 7);
  const Malformed cases[] = {
      {"\"flashinfer-bench\"", "\"flashinfer\"",
       "/format: unknown value \"flashinfer\""},
      {"\"benchmark\"", "\"theirs\"", "/protocol: unknown value \"theirs\""},
      {"\"no_vendor_op\"", "true", "/delegation: expected a string"},
      {"\"definition\": {", "\"definition\": [], \"was\": {",
       "/definition: expected an object"},
      {"\"workloads\": [", "\"works\": [", "\"workloads\" is missing"},
      {"\"N\": 7", "\"N\": 0", "/workloads/0/axes/N: expected an integer > 0"},
      {"\"root\": {", "\"roots\": {", "\"root\" is missing"},
      {"\"main.py::run\"", "\"main.py\"",
       "/root/spec/entry_point: expected FILE::SYMBOL"},
      {"\"expert\": {", "\"expert\": [], \"was\": {", "/expert: expected an"},
      {"\"tolerance_factor\": 2.5", "\"tolerance_factor\": \"2.5\"",
       "/tolerance_factor: expected a number"},
      {"\"iterations\": 7", "\"iterations\": 0",
       "/eval_config/iterations: expected an integer from 1 to 10^6"},
      {"\"rtol\": 0.01", "\"rtol\": \"nan\"",
       "/eval_config/rtol: expected a number above 0"},
      {"{", "[{", "not JSON: "}};
  for (const auto& [from, to, complaint] : cases) {
    const auto parsed = ParseTask(Replaced(text, from, to));
    ASSERT_FALSE(parsed) << to;
    EXPECT_THAT(parsed.error().what,
                StartsWith(std::string("task: ") + complaint));
  }
}

TEST_F(TraceSetTest, WhatIsThereTwiceIsAnError) {
  Write("definitions/copy.json", kDefinition);
  EXPECT_EQ(Complaint(),
            "/definitions/copy.json: /name: \"axpy_k3\" is there twice");
  fs::remove(root_ / "definitions/copy.json");

  Write("workloads/copy.jsonl", kWorkload);
  EXPECT_EQ(Complaint(),
            "/workloads/copy.jsonl:1: /workload: /uuid \"w1\" is there twice");
  fs::remove(root_ / "workloads/copy.jsonl");

  Write("solutions/x.json", Replaced(kRoot, "axpy_k3", "elsewhere"));
  EXPECT_EQ(Complaint(),
            "/solutions/x.json: /name: \"axpy_root\" is there twice");

  Write("solutions/x.json", Replaced(kRoot, "axpy_root", "axpy_fast"));
  EXPECT_EQ(Complaint(),
            ": axpy_k3: two solutions by author \"baseline\": axpy_root and "
            "axpy_fast");
}

TEST_F(TraceSetTest, WhatIsNotThereIsNamed) {
  EXPECT_EQ(Complaint("gemm"), ": no definition is called \"gemm\"");
  EXPECT_EQ(LoadTask(root_, "gemm").error().code, Errc::kNotFound);
  fs::remove_all(root_ / "solutions/oracle");
  EXPECT_EQ(Complaint(), "");  // Another's set.
  Write("solutions/oracle/o.json", kOracle);
  fs::remove_all(root_ / "solutions/baseline");
  EXPECT_EQ(Complaint(), ": axpy_k3: no solution by author \"baseline\"");
  fs::remove_all(root_ / "workloads");
  EXPECT_EQ(Complaint(), ": no workload of \"axpy_k3\" in workloads/");
  fs::remove_all(root_ / "definitions");
  EXPECT_EQ(Complaint(), ": no definitions/**/*.json; not a trace set");
  EXPECT_EQ(ListDefinitions(root_).error().code, Errc::kNotFound);
}

// What FlashInfer-Bench would do.
TEST_F(TraceSetTest, WithoutAnOracleTheReferenceIsTheRoot) {
  fs::remove_all(root_ / "solutions/oracle");
  const Result<Task> task = LoadTask(root_, "axpy_k3");
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(task->format, TaskFormat::kFlashInferBench);
  EXPECT_EQ(task->root.name, "axpy_k3__reference");
  EXPECT_EQ(task->root.language, Language::kPython);
  EXPECT_EQ(task->root.sources[0].content, task->definition.reference);
  EXPECT_TRUE(task->oracle.sources.empty());
  // What scores there are over is what an expert would call.
  ASSERT_TRUE(task->expert);
  EXPECT_EQ(task->expert->name, "axpy_root");
  const Result<Task> again = ParseTask(SerialiseTask(*task));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->format, TaskFormat::kFlashInferBench);
  EXPECT_EQ(SerialiseTask(*again), SerialiseTask(*task));
}

// `coppice task check fib:SET` asks for each by its file.
TEST_F(TraceSetTest, ADefinitionIsNotToBlameForAnother) {
  Write("definitions/blas/broken.json", "{\"name\": \"broken\"}");
  EXPECT_THAT(Complaint(), testing::HasSubstr("broken.json"));
  const auto task = LoadTaskOf(root_ / "definitions/blas/axpy_k3.json");
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(task->workloads.size(), 1u);
  EXPECT_THAT(LoadTaskOf(root_ / "definitions/blas/broken.json").error().what,
              testing::HasSubstr("broken.json"));
}

TEST_F(TraceSetTest, ATaskIsFoundByTheFileOfItsDefinition) {
  const fs::path file = root_ / "definitions/blas/axpy_k3.json";
  EXPECT_EQ(LoadTaskOf(file)->definition.name, "axpy_k3");
  EXPECT_THAT(LoadTaskOf(root_ / "definitions/none.json").error().what,
              testing::EndsWith("none.json: No such file or directory"));
  EXPECT_THAT(LoadTaskOf("none.json").error().what,
              testing::EndsWith("none.json: No such file or directory"));
  EXPECT_THAT(LoadTaskOf(root_ / "workloads/blas/axpy_k3.jsonl").error().what,
              testing::EndsWith("axpy_k3.jsonl: not in the definitions/ of a "
                                "trace set; one of its tasks is "
                                "SET/definitions/OP_TYPE/NAME.json"));
  EXPECT_EQ(
      LoadTaskOf(root_).error().what,
      root_.string() + ": a directory; name a definition, as " + file.string());
  EXPECT_EQ(LoadTaskOf(root_ / "definitions").error().what,
            (root_ / "definitions").string() +
                ": no definition is there; a set has them as "
                "SET/definitions/OP_TYPE/NAME.json");
}

TEST_F(TraceSetTest, TheToleranceIsEightUnlessATagSaysOtherwise) {
  const auto factor = [&](const std::string& tag) {
    Write("definitions/blas/axpy_k3.json",
          Replaced(kDefinition, "\"tolerance:2.5\"", tag));
    const Result<Task> task = LoadTask(root_, "axpy_k3");
    return task ? std::to_string(task->tolerance.factor) : Complaint();
  };
  EXPECT_EQ(factor("\"fi_api:x\""), "8.000000");
  EXPECT_EQ(factor("\"tolerance:16\""), "16.000000");
  for (const char* bad : {"", "0", "-1", "nan", "inf", "8x", "1e9"}) {
    const std::string tag = std::string("tolerance:") + bad;
    EXPECT_EQ(factor("\"" + tag + "\""),
              ": axpy_k3: /tags: \"" + tag + "\" is not a factor");
  }
}

TEST_F(TraceSetTest, ATaskSurvivesItsOwnDocument) {
  const std::string document = SerialiseTask(*LoadTask(root_, "axpy_k3"));
  const Result<Task> task = ParseTask(document);
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(SerialiseTask(*task), document);
  EXPECT_EQ(task->definition.inputs[0].name, "z");
  EXPECT_EQ(task->tolerance.factor, 2.5);
}

TEST(ParseTaskTest, AMalformedDocumentIsNamed) {
  EXPECT_THAT(ParseTask("").error().what, StartsWith("task: not JSON"));
  EXPECT_EQ(ParseTask("{}").error().what, "task: \"definition\" is missing");
  EXPECT_EQ(ParseTask("[]").error().what, "task: expected an object");
}

// A simulated task has no Python, no oracle and no program to enter.
TEST(ParseTaskTest, ASimulatedTaskSurvivesToo) {
  Task task;
  task.definition.name = "basic";
  task.root.name = "basic_root";
  task.root.language = Language::kSim;
  task.root.sources = {{.path = "point", .content = "0 0 0"}};
  const Result<Task> again = ParseTask(SerialiseTask(task));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->root.language, Language::kSim);
  EXPECT_EQ(again->root.sources[0].content, "0 0 0");
  EXPECT_TRUE(again->oracle.sources.empty());
  EXPECT_EQ(SerialiseTask(*again), SerialiseTask(task));
}

class PackedTasksTest : public testing::TestWithParam<const char*> {};

// Both writers, this one and the packer's, give the same bytes.
TEST_P(PackedTasksTest, EveryOneIsReadAndWrittenBack) {
  const fs::path root = fs::path(COPPICE_TASKS_DIR) / GetParam();
  const auto tasks = LoadTasks(root);
  ASSERT_TRUE(tasks) << tasks.error().what;
  std::map<std::string, int> levels;
  for (const Task& task : *tasks) {
    const std::string& name = task.definition.name;
    SCOPED_TRACE(name);
    ++levels[*TagValue(task.definition, "level")];
    EXPECT_GE(task.workloads.size(), 3u);
    EXPECT_EQ(SerialiseTask(*ParseTask(SerialiseTask(task))),
              SerialiseTask(task));

    const std::string kind = task.definition.op_type;
    EXPECT_EQ(PrettyText(ToJson(task.definition)),
              ReadText(root / "definitions" / kind / (name + ".json")));
    std::vector<Solution> solutions = {task.root, task.oracle};
    if (task.expert) solutions.push_back(*task.expert);
    for (const Solution& solution : solutions) {
      EXPECT_EQ(SerialiseSolution(solution),
                ReadText(root / "solutions" / solution.author / kind / name /
                         (solution.name + ".json")));
    }
  }
  EXPECT_GE(levels["1"], 13);
  EXPECT_GE(levels["2"], 6);
  EXPECT_GE(levels["3"], 3);
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, PackedTasksTest,
                         testing::Values("cpu", "cuda"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace coppice::eval
