#include "eval/torch/gpu_mode.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "eval/sandbox/sandbox.h"
#include "eval/torch/device.h"
#include "eval/torch/fork_servers.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/problem.h"
#include "eval/torch/translation.h"
#include "eval/torch/worker_options.h"

namespace coppice::eval {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFilesMark =
    "\n_GPU_MODE = ";  // gpu_mode.py looks for.
constexpr const char* kCustomKernel = "custom_kernel";
constexpr const char* kBenchmarkCases = "benchmarks";
constexpr const char* kTestCases = "tests";

// In ASCII, so that what it is quoted in takes it as it is.
std::string Ascii(const Json& document) {
  return document.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// The line that a candidate's module has, too.
std::string FilesLine(const std::string& reference) {
  const std::size_t begin = reference.rfind(kFilesMark);
  if (begin == std::string::npos) return "";
  return reference.substr(begin, reference.find('\n', begin + 1) - begin) +
         "\n";
}

std::vector<std::string> TestsOf(const Task& task) {
  std::vector<std::string> tests;
  for (const std::string& tag : task.definition.tags) {
    constexpr std::string_view kTest = "test:";
    if (tag.starts_with(kTest)) tests.push_back(tag.substr(kTest.size()));
  }
  return tests;
}

// On one of its tests or benchmarks.
Task PutCase(const Task& task, const std::string& kind, std::size_t number,
             Workload workload) {
  Task problem = task;
  problem.definition.name = task.definition.name + " " + workload.uuid;
  problem.definition.reference =
      GpuModeProblemSource(task.definition.reference, kind, number);
  problem.workloads = {std::move(workload)};
  problem.root.entry_symbol = kModule;
  for (SourceFile& file : problem.root.sources) {
    file.content = GpuModeModuleSource(task.definition.reference, file.content);
  }
  return problem;
}

class GpuModeTranslation : public Translation {
 public:
  Result<Task> ProblemOf(const Task& task,
                         std::size_t workload) const override {
    return PutCase(task, kBenchmarkCases, workload, task.workloads[workload]);
  }

  Result<Candidate> ModuleOf(const Task& task,
                             const Candidate& candidate) const override {
    Candidate module = candidate;
    if (candidate.entry_symbol == kModule) return module;
    module.source =
        GpuModeModuleSource(task.definition.reference, candidate.source);
    module.entry_symbol = kModule;
    return module;
  }

  std::size_t Checks(const Task& task) const override {
    return TestsOf(task).size();
  }
  Result<Task> CheckOf(const Task& task, std::size_t check) const override {
    Workload test = task.workloads.front();
    test.uuid = "test " + TestsOf(task).at(check);
    return PutCase(task, kTestCases, check, std::move(test));
  }
};

// "pmpp_vectoradd_py"
std::string NameOfFolder(const std::filesystem::path& folder) {
  const std::filesystem::path whole =
      std::filesystem::absolute(folder / "").lexically_normal().parent_path();
  const std::string set = whole.parent_path().filename().string();
  return (set.empty() ? "" : set + "_") + whole.filename().string();
}

}  // namespace

std::string GpuModeReference(const GpuModeProblem& problem) {
  Json document = Json::parse(problem.arguments);
  Json& modules = document["modules"] = Json::object();
  for (const GpuModeModule& module : problem.modules) {
    modules[module.name] = module.source;
  }
  return problem.reference + "\n" + std::string(kFilesMark) +
         Ascii(Json(Ascii(document))) + "\n";
}

std::string GpuModeProblemSource(const std::string& reference,
                                 const std::string& kind, std::size_t number) {
  return reference +
         "\nfrom gpu_mode import problem_of as _problem_of\n\n"
         "KEEPS_TYPES = True\n"
         "Model, get_inputs, get_init_inputs, CLOSENESS = _problem_of(\n"
         "    globals(), _GPU_MODE, \"" +
         kind + "\", " + std::to_string(number) + ")\n";
}

std::string GpuModeModuleSource(const std::string& reference,
                                const std::string& source) {
  return source + "\n" + FilesLine(reference) +
         "\nfrom gpu_mode import module_of as _module_of\n\n" + kModule +
         " = _module_of(globals())\n";
}

Result<Task> LoadGpuModeTask(const PythonEvaluatorOptions& options,
                             const std::filesystem::path& folder,
                             Delegation delegation) {
  TRY(problem, ReadGpuMode(folder));
  TRY_DONE(ProbeSandbox());
  TRY(interpreter, torch::FindInterpreter(options.python));
  TRY(device, torch::ChooseDevice(options.device, interpreter));
  const torch::WorkerOptions workers =
      torch::OptionsFor(options, interpreter, device);
  TRY_DONE(torch::StartForkServers(workers));
  const std::string reference = GpuModeReference(problem);
  TRY(described,
      torch::Problem::Open(workers, {.name = folder.string(),
                                     .source = GpuModeProblemSource(
                                         reference, kBenchmarkCases, 0)}));
  TRY(task, described->Describe());
  const std::string name = NameOfFolder(folder);
  task.format = TaskFormat::kGpuMode;
  task.delegation = delegation;
  Definition& definition = task.definition;
  definition.name = name;
  definition.op_type = "gpumode";
  definition.reference = reference;
  definition.description =
      problem.description + (problem.description.ends_with('\n') ? "" : "\n") +
      "\nOn its first workload " + definition.description.value_or("");
  for (const std::string& test : problem.tests) {
    definition.tags.push_back("test:" + test);
  }
  const Workload first = task.workloads.front();
  task.workloads.clear();
  for (const std::string& benchmark : problem.benchmarks) {
    task.workloads.push_back(first);
    task.workloads.back().uuid = benchmark;
  }
  task.root =
      torch::RootOf(name, "submission.py", kCustomKernel,
                    problem.reference + "\n\ncustom_kernel = ref_kernel\n");
  return task;
}

Result<std::unique_ptr<Evaluator>> MakeGpuModeEvaluator(
    PythonEvaluatorOptions options) {
  return MakeTranslatingEvaluator(std::make_unique<GpuModeTranslation>(),
                                  std::move(options));
}

}  // namespace coppice::eval
