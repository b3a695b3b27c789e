#include "eval/torch/gpu_mode.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/sandbox/sandbox.h"
#include "eval/torch/cases.h"
#include "eval/torch/device.h"
#include "eval/torch/fork_servers.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/kernelbench.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/problem.h"
#include "eval/torch/worker_options.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"

namespace coppice::eval {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFilesMark =
    "\n_GPU_MODE = ";  // gpu_mode.py looks for.
constexpr const char* kCustomKernel = "custom_kernel";
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

// With its reference and root as its workers know them.
Task ProblemOf(const Task& task) {
  Task problem = task;
  problem.definition.reference =
      GpuModeProblemSource(task.definition.reference);
  problem.root.entry_symbol = kModule;
  for (SourceFile& file : problem.root.sources) {
    file.content = GpuModeModuleSource(task.definition.reference, file.content);
  }
  return problem;
}

Candidate ModuleOf(const Task& task, const Candidate& candidate) {
  Candidate module = candidate;
  if (candidate.entry_symbol == kModule) return module;
  module.source =
      GpuModeModuleSource(task.definition.reference, candidate.source);
  module.entry_symbol = kModule;
  return module;
}

class GpuModeEvaluator : public Evaluator {
 public:
  explicit GpuModeEvaluator(std::unique_ptr<Evaluator> judge)
      : judge_(std::move(judge)) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override {
    return judge_->Evaluate(ProblemOf(task), ModuleOf(task, candidate), tier);
  }
  Result<void> CheckTask(const Task& task) override {
    return judge_->CheckTask(ProblemOf(task));
  }
  Result<std::vector<Finding>> JudgeNulls(const Task& task,
                                          Anew anew) override {
    return judge_->JudgeNulls(ProblemOf(task), anew);
  }
  Result<std::optional<Environment>> Where() override {
    return judge_->Where();
  }

 private:
  std::unique_ptr<Evaluator> judge_;
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
  const Json arguments = Json::parse(problem.arguments);
  Json cases = Json::array();
  const auto add = [&](const char* kind, const std::vector<std::string>& names,
                       const std::string& prefix, bool is_timed) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      cases.push_back({{"name", prefix + names[i]},
                       {"arguments", arguments.at(kind).at(i)},
                       {"is_timed", is_timed}});
    }
  };
  add("tests", problem.tests, "test ", false);
  add("benchmarks", problem.benchmarks, "benchmark ", true);
  Json modules = Json::object();
  for (const GpuModeModule& module : problem.modules) {
    modules[module.name] = module.source;
  }
  const Json document = {{"cases", cases}, {"modules", modules}};
  return problem.reference + "\n" + std::string(kFilesMark) +
         Ascii(Json(Ascii(document))) + "\n";
}

std::string GpuModeProblemSource(const std::string& reference) {
  return reference +
         "\nfrom gpu_mode import problem_of as _problem_of\n\n"
         "KEEPS_TYPES = True\n"
         "Model, get_inputs, get_init_inputs, CLOSENESS, SELECT_CASE, WHERE = "
         "(\n    _problem_of(globals(), _GPU_MODE)\n)\n";
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
  torch::WorkerOptions workers =
      torch::OptionsFor(options, interpreter, device);
  const std::string reference = GpuModeReference(problem);
  workers.imports = torch::ImportsOf(reference);
  TRY_DONE(torch::StartForkServers(workers));
  // A root and a candidate; on a CPU they would only be in its way.
  if (options.prewarmed_workers != nullptr && !torch::IsCpu(device)) {
    TRY_DONE(options.prewarmed_workers->Launch(workers,
                                               torch::WorkerRole::kKernel, 2));
  }
  TRY(described,
      torch::Problem::Open(workers, {.name = folder.string(),
                                     .source = GpuModeProblemSource(reference),
                                     .number = problem.tests.size()}));
  TRY(task, described->Describe());
  if (options.prewarmed_workers != nullptr)
    options.prewarmed_workers->Keep(std::move(described));
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
    definition.tags.push_back(torch::kTestTag + test);
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
  TRY(judge, MakePythonEvaluator(std::move(options)));
  return std::make_unique<GpuModeEvaluator>(std::move(judge));
}

}  // namespace coppice::eval
