#include "engine/factory/task_finder.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/load.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/process/installation.h"
#include "eval/formats/eval_config.h"
#include "eval/formats/set_documents.h"
#include "eval/formats/task_folder.h"
#include "eval/formats/trace_set.h"
#include "eval/host/whole_file.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/same_task.h"
#include "eval/torch/definition_syntax.h"
#include "eval/torch/gpu_mode.h"
#include "eval/torch/kernelbench.h"
#include "eval/torch/trace_task.h"
#include "store/records/nearest_name.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace fs = std::filesystem;
namespace {

// The trace sets that come with the program, by device.  Their definitions
// have different names.
constexpr std::string_view kTaskSets[] = {"cpu", "cuda"};

constexpr std::string_view kKernelBench = "kernelbench:";
constexpr std::string_view kFlashInferBench = "fib:";
constexpr std::string_view kGpuMode = "gpumode:";

// Those that are there: a user's own data may be for one device.  The first is
// missed by whoever reads it.
std::vector<fs::path> TaskSetsIn(const fs::path& data_directory) {
  std::vector<fs::path> sets;
  for (const std::string_view folder : kTaskSets) {
    fs::path set = data_directory / folder;
    std::error_code error;
    if (sets.empty() || fs::exists(set, error)) sets.push_back(std::move(set));
  }
  return sets;
}

// "kernelbench:x.py" of "kernelbnch:x.py", unless that is in a directory.
std::optional<std::string> NearestPrefixed(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (std::error_code error; fs::exists(name.substr(0, colon), error)) {
    return std::nullopt;
  }
  const auto prefix =
      NearestName(name.substr(0, colon),
                  {"kernelbench", "fib", "gpumode", "sim", "recorded"});
  return prefix ? std::optional(*prefix + name.substr(colon)) : std::nullopt;
}

// The nearest to a name without a colon.
std::optional<std::string> NearestTask(const std::string& name,
                                       const std::vector<std::string>& names) {
  if (name.ends_with(".py")) return std::string(kKernelBench) + name;
  if (name.ends_with(".json")) return std::string(kFlashInferBench) + name;
  return NearestName(name, names);
}

// The folder of a task that is written as one: named as it is, or, as one of
// several in a folder, FOLDER:NAME.  A task that comes with the program is
// called by its bare name, so that a folder of that name needs a slash.
std::optional<fs::path> FolderOf(const std::string& name) {
  if (name.find('/') != std::string::npos && eval::IsTaskFolder(name)) {
    return name;
  }
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  const fs::path set = name.substr(0, colon);
  const fs::path folder = set / name.substr(colon + 1);
  if (!eval::IsSet(set) && eval::IsTaskFolder(folder)) return folder;
  return std::nullopt;
}

// The problem that is written as `coppice new` does: ./NAME has a NAME.py.
std::optional<fs::path> ProblemIn(const std::string& name) {
  if (name.find('/') == name.npos || eval::IsTaskFolder(name)) {
    return std::nullopt;
  }
  const fs::path folder = fs::path(name + "/").lexically_normal().parent_path();
  const fs::path file = folder / (folder.filename().string() + ".py");
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  return file;
}

Result<Task> LoadFolder(const fs::path& folder) {
  auto task = eval::LoadTaskFolder(folder);
  if (task) return task;
  return Fail(Errc::kUsage, task.error().what);  // The user's own files.
}

Error NoSuchTask(const std::string& name,
                 const std::optional<std::string>& nearest) {
  std::error_code error;
  if (eval::IsProblemFolder(name)) {
    return {Errc::kUsage,
            name + ": no such task; did you mean fib:" + name + "?"};
  }
  if (fs::exists(fs::path(name) / "definition.json", error)) {
    return {Errc::kUsage,
            name +
                ": has a definition.json, but neither workloads.jsonl nor "
                "root.cc; docs/your_own_kernel.md says what a task's folder "
                "has"};
  }
  constexpr std::string_view kEndings[] = {".cc", ".cu", ".c", ".cpp", ".cxx"};
  if (std::ranges::any_of(kEndings, [&](std::string_view ending) {
        return name.ends_with(ending);
      })) {
    return {Errc::kUsage, name + ": is a kernel and no task; `coppice new " +
                              name +
                              "` makes a task of it, and `coppice eval TASK " +
                              name + "` judges it"};
  }
  return {Errc::kUsage,
          name + ": no such task; " +
              (nearest ? "did you mean " + *nearest + "?"
                       : "`coppice task list` lists them; there are also "
                         "kernelbench:FILE, fib:FILE, gpumode:FOLDER, "
                         "./FOLDER, DIRECTORY:NAME, sim:LANDSCAPE and "
                         "recorded:SPACE")};
}

Delegation DelegationOf(const config::Settings& settings) {
  if (settings.delegation == "no_vendor_op") return Delegation::kNoVendorOp;
  if (settings.delegation == "own_kernels") return Delegation::kOwnKernels;
  return Delegation::kAny;
}

DType PrecisionOf(const config::Settings& settings) {
  if (settings.precision == "float16") return DType::kFloat16;
  if (settings.precision == "bfloat16") return DType::kBFloat16;
  return DType::kFloat32;
}

// By the rules of which benchmark a task may be judged beside ours; empty:
// none.
std::string_view ProtocolFor(TaskFormat format) {
  switch (format) {
    case TaskFormat::kNative:
    case TaskFormat::kGpuMode:
      return "";
    case TaskFormat::kKernelBench:
      return "kernelbench";
    case TaskFormat::kFlashInferBench:
      return "flashinfer-bench";
  }
  return "";
}

Result<Protocol> ProtocolOf(const config::Settings& settings, TaskFormat format,
                            const std::string& task) {
  if (settings.protocol == "coppice") return Protocol::kCoppice;
  const std::string_view own = ProtocolFor(format);
  if (settings.protocol == own) return Protocol::kBenchmark;
  return Fail(Errc::kUsage, "--protocol " + settings.protocol + ": " + task +
                                " is judged by coppice" +
                                (own.empty() ? "" : " or " + std::string(own)));
}

}  // namespace

TaskFinder::TaskFinder(const config::Loaded& loaded, fs::path runner,
                       const EvaluatorFactory& evaluators)
    : loaded_(loaded),
      settings_(loaded.settings),
      runner_(std::move(runner)),
      evaluators_(evaluators) {}

Result<Task> TaskFinder::FindTask(const std::string& name) const {
  if (name.starts_with(kKernelBench)) {
    return FindKernelBenchTask(name.substr(kKernelBench.size()));
  }
  if (name.starts_with(kGpuMode)) {
    return FindGpuModeTask(name.substr(kGpuMode.size()));
  }
  if (const auto problem = ProblemIn(name)) {
    return FindKernelBenchTask(problem->string());
  }
  TRY(task, FindDocumentedTask(name));
  TRY(protocol, ProtocolOf(settings_, task.format, name));
  TRY_DONE(MustHaveNoPrecision(name));
  TRY_DONE(CheckEvalConfig(name, task.format, protocol));
  task.protocol = protocol;
  TRY_DONE(GiveDelegation(name, task));
  if (protocol == Protocol::kBenchmark &&
      task.format == TaskFormat::kFlashInferBench) {
    TRY_DONE(GiveEvalConfig(name, task));
  }
  return task;
}

Result<void> TaskFinder::GiveDelegation(const std::string& name,
                                        Task& task) const {
  const Delegation delegation = DelegationOf(settings_);
  if (task.format != TaskFormat::kFlashInferBench) {
    if (delegation == Delegation::kAny ||
        !config::SaidBy(loaded_, "delegation")) {
      return {};
    }
    return Fail(Errc::kUsage, "--delegation " + settings_.delegation + ": " +
                                  name +
                                  " is not in PyTorch; a rule is chosen for "
                                  "candidates that could call its operations");
  }
  task.delegation = delegation;
  return {};
}

Result<void> TaskFinder::GiveEvalConfig(const std::string& name,
                                        Task& task) const {
  if (task.definition.op_type == "sampling") {
    return Fail(Errc::kUsage,
                "--protocol flashinfer-bench: " + name +
                    ": of op_type sampling the distribution of 500,000 draws "
                    "is judged there, which coppice does not do; --protocol "
                    "coppice judges the samples of each call");
  }
  if (task.definition.name.starts_with("dsa_topk_indexer")) {
    return Fail(Errc::kUsage,
                "--protocol flashinfer-bench: " + name +
                    ": of indices like these the scores that they have are "
                    "compared there, which coppice does not do; --protocol "
                    "coppice compares the indices");
  }
  TRY_ASSIGN(task.eval_config, EvalConfigFor(task.definition));
  return {};
}

// Files of settings may speak of other tasks.
Result<void> TaskFinder::CheckEvalConfig(const std::string& name,
                                         TaskFormat format,
                                         Protocol protocol) const {
  const bool is_theirs = format == TaskFormat::kFlashInferBench &&
                         protocol == Protocol::kBenchmark;
  if (is_theirs || !config::SaidBy(loaded_, "eval_config")) return {};
  return Fail(Errc::kUsage,
              "--eval-config: is of --protocol flashinfer-bench, by which " +
                  name + " is not judged");
}

Result<EvalConfig> TaskFinder::EvalConfigFor(
    const Definition& definition) const {
  if (!settings_.eval_config) return eval::BundledEvalConfig(definition);
  const std::string& file = *settings_.eval_config;
  const auto config =
      eval::ReadWhole(file).and_then([&](const std::string& text) {
        return eval::EvalConfigOf(text, file, definition);
      });
  if (config) return *config;
  return Fail(Errc::kUsage, config.error().what);  // The user's own file.
}

Result<Task> TaskFinder::FindDocumentedTask(const std::string& name) const {
  if (LandscapeTasks::IsOne(name)) {
    return LandscapeTasks(settings_.data_directory).Find(name);
  }
  const bool is_theirs = name.starts_with(kFlashInferBench);
  if (const auto folder = FolderOf(name)) return LoadFolder(*folder);
  if (name == kFlashInferBench) {
    return Fail(Errc::kUsage, name +
                                  " names no file; there is "
                                  "fib:SET/definitions/OP_TYPE/NAME.json");
  }
  const std::size_t colon = name.rfind(':');
  if (colon != std::string::npos) {
    const auto nearest = is_theirs ? std::nullopt : NearestPrefixed(name);
    if (nearest) return tl::unexpected<Error>(NoSuchTask(name, nearest));
    auto task =
        is_theirs
            ? eval::LoadTaskOf(name.substr(kFlashInferBench.size()))
            : eval::LoadTask(name.substr(0, colon), name.substr(colon + 1));
    auto checked = task ? CheckSyntax(name, *task) : Result<void>();
    if (!checked) task = tl::unexpected<Error>(checked.error());
    if (task || task.error().code != Errc::kCorrupt) return task;
    return Fail(Errc::kUsage, task.error().what);  // The user's own file.
  }
  std::vector<std::string> names;
  for (const fs::path& set : TaskSetsIn(settings_.data_directory)) {
    TRY(of_set, eval::ListDefinitions(set));
    if (std::ranges::binary_search(of_set, name)) {
      return eval::LoadTask(set, name);
    }
    std::ranges::move(of_set, std::back_inserter(names));
  }
  if (eval::IsTaskFolder(name)) return LoadFolder(name);
  return tl::unexpected<Error>(NoSuchTask(name, NearestTask(name, names)));
}

// Without a Python, only what needs none goes on.
Result<void> TaskFinder::CheckSyntax(const std::string& name,
                                     const Task& task) const {
  const std::string place = name.starts_with(kFlashInferBench)
                                ? name.substr(kFlashInferBench.size())
                                : name;
  auto checked = eval::torch::CheckSyntax(PythonFor(settings_.python, runner_),
                                          {{place, &task.definition}});
  if (!checked && checked.error().code == Errc::kUnavailable) return {};
  return checked;
}

Result<Task> TaskFinder::FindKernelBenchTask(const std::string& file) const {
  if (file.empty()) {
    return Fail(Errc::kUsage,
                "kernelbench: names no file; there is "
                "kernelbench:KernelBench/level1/19_ReLU.py");
  }
  TRY(protocol, ProtocolOf(settings_, TaskFormat::kKernelBench,
                           std::string(kKernelBench) + file));
  TRY_DONE(CheckEvalConfig(std::string(kKernelBench) + file,
                           TaskFormat::kKernelBench, protocol));
  TRY(options, evaluators_.TorchOptions());
  return eval::LoadKernelBenchTask(
      options, file, protocol, DelegationOf(settings_), PrecisionOf(settings_));
}

Result<Task> TaskFinder::FindGpuModeTask(const std::string& folder) const {
  if (folder.empty()) {
    return Fail(Errc::kUsage,
                "gpumode: names no folder; there is "
                "gpumode:problems/pmpp/vectoradd_py");
  }
  const std::string name = std::string(kGpuMode) + folder;
  TRY_DONE(ProtocolOf(settings_, TaskFormat::kGpuMode, name));
  TRY_DONE(MustHaveNoPrecision(name));
  TRY(options, evaluators_.TorchOptions());
  return eval::LoadGpuModeTask(options, folder, DelegationOf(settings_));
}

// A file of settings speaks of tasks of any kind.
Result<void> TaskFinder::MustHaveNoPrecision(const std::string& name) const {
  if (PrecisionOf(settings_) == DType::kFloat32 ||
      !config::SaidBy(loaded_, "precision")) {
    return {};
  }
  return Fail(Errc::kUsage, "--precision " + settings_.precision + ": " + name +
                                " has types of its own; a precision is "
                                "chosen for problems of KernelBench");
}

Result<Task> TaskFinder::TaskOf(const store::CampaignSpec& spec) const {
  if (!LandscapeTasks::IsOne(spec.task_name)) {
    return eval::ParseTask(spec.task_json);
  }
  TRY(task, FindTask(spec.task_name));
  TRY(then, eval::ParseTask(spec.task_json));
  if (eval::SourceOf(task.root) == eval::SourceOf(then.root)) return task;
  return Fail(Errc::kUsage, spec.task_name + ": is another table than when " +
                                spec.name + " started");
}

Result<std::vector<std::string>> TaskFinder::TaskNames() const {
  std::vector<std::string> names;
  for (const fs::path& set : TaskSetsIn(settings_.data_directory)) {
    TRY(of_set, eval::ListDefinitions(set));
    std::ranges::move(of_set, std::back_inserter(names));
  }
  return names;
}

Result<std::vector<Task>> TaskFinder::BuiltInTasks() const {
  std::vector<Task> tasks;
  for (const fs::path& set : TaskSetsIn(settings_.data_directory)) {
    TRY(of_set, eval::LoadTasks(set));
    std::ranges::move(of_set, std::back_inserter(tasks));
  }
  return tasks;
}

Result<std::vector<std::string>> TaskFinder::TasksOfLevel(
    const std::string& level, Language language) const {
  TRY(tasks, BuiltInTasks());
  std::vector<std::string> chosen;
  for (Task& task : tasks) {
    if (task.root.language == language &&
        TagValue(task.definition, "level") == level) {
      chosen.push_back(std::move(task.definition.name));
    }
  }
  return chosen;
}

}  // namespace coppice::engine
