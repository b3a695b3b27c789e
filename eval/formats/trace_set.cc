#include "eval/formats/trace_set.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "eval/formats/eval_config.h"
#include "eval/formats/json_cursor.h"
#include "eval/formats/set_documents.h"
#include "eval/formats/set_files.h"
#include "eval/formats/sol_execbench.h"
#include "eval/formats/trace_json.h"
#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

struct Read {
  fs::path file;
  Definition definition;
};

Result<std::vector<Read>> ReadDefinitions(const fs::path& root) {
  std::vector<Read> definitions;
  std::set<std::string> names;
  TRY_DONE(ForEachDefinition(
      root, [&](const fs::path& file, const Json& json) -> Result<void> {
        TRY(definition,
            ReadDefinition(Cursor(json, file.string()), Rules::kTraceSet));
        if (!names.insert(definition.name).second) {
          return Fail(Errc::kCorrupt, file.string() + ": /name: \"" +
                                          definition.name +
                                          "\" is there twice");
        }
        definitions.push_back({file, std::move(definition)});
        return {};
      }));
  if (definitions.empty()) {
    return Fail(Errc::kNotFound,
                root.string() + ": no definitions/**/*.json; not a trace set");
  }
  return definitions;
}

// If an output has no elements, any kernel is right.
Result<void> MustHaveElements(const Read& read) {
  for (const Axis& axis : read.definition.axes) {
    if (axis.constant != 0) continue;
    for (const TensorSpec& output : read.definition.outputs) {
      if (!output.shape || std::ranges::count(*output.shape, axis.name) == 0) {
        continue;
      }
      return Fail(Errc::kCorrupt,
                  read.file.string() + ": /axes/" + axis.name +
                      ": is 0, so that output " + output.name +
                      " has no element by which a kernel could be judged");
    }
  }
  return {};
}

const std::string& DefinitionName(const Task& task) {
  return task.definition.name;
}

// Files are named relative to the trace set.
void Anchor(const fs::path& root, Workload& workload) {
  for (auto& [name, spec] : workload.inputs) {
    if (auto* file = std::get_if<SafetensorsInput>(&spec)) {
      file->path = fs::absolute(root / file->path).lexically_normal().string();
    }
  }
}

// Appends the line's workload if it is of one of the tasks.
Result<void> TakeWorkload(const fs::path& root, const Cursor& line,
                          std::span<Task> tasks) {
  TRY(name, line.Member("definition"));
  TRY(text, name.NonEmptyString());
  const std::optional<Cursor> evaluation = line.Find("evaluation");
  if (evaluation && !evaluation->Value().is_null()) {
    return evaluation->Wrong("a workload has no evaluation");
  }
  const auto task = std::ranges::find(tasks, text, DefinitionName);
  if (task == tasks.end()) return {};
  TRY(place, line.Member("workload"));
  TRY(workload, ReadWorkload(place, task->definition));
  if (std::ranges::find(task->workloads, workload.uuid, &Workload::uuid) !=
      task->workloads.end()) {
    return place.Wrong("/uuid \"" + workload.uuid + "\" is there twice");
  }
  Anchor(root, workload);
  task->workloads.push_back(std::move(workload));
  return {};
}

Result<void> ReadWorkloads(const fs::path& root, std::vector<Task>& tasks) {
  TRY_DONE(ForEachWorkload(root, [&](const Cursor& line) {
    return TakeWorkload(root, line, tasks);
  }));
  const auto without = std::ranges::find_if(
      tasks, [](const Task& task) { return task.workloads.empty(); });
  if (without == tasks.end()) return {};
  return Fail(Errc::kNotFound, root.string() + ": no workload of \"" +
                                   DefinitionName(*without) +
                                   "\" in workloads/");
}

// Solutions by definition; names are unique over the whole set.
using Solutions = std::map<std::string, std::vector<Solution>>;
Result<Solutions> ReadSolutions(const fs::path& root) {
  Solutions solutions;
  std::set<std::string> names;
  TRY_DONE(ForEachSolution(
      root, [&](const fs::path& file, const Json& json) -> Result<void> {
        TRY(solution,
            ReadSolution(Cursor(json, file.string()), Rules::kTraceSet));
        if (!names.insert(solution.name).second) {
          return Fail(Errc::kCorrupt, file.string() + ": /name: \"" +
                                          solution.name + "\" is there twice");
        }
        solutions[solution.definition].push_back(std::move(solution));
        return {};
      }));
  return solutions;
}

// Nothing if there is none.
Result<std::optional<Solution>> AtMostOneBy(
    const std::string& author, const std::vector<Solution>& solutions,
    const std::string& place) {
  const auto by_author = [&](const Solution& s) { return s.author == author; };
  const auto end = solutions.end();
  const auto found = std::find_if(solutions.begin(), end, by_author);
  if (found == end) return std::nullopt;
  const auto second = std::find_if(found + 1, end, by_author);
  if (second != end) {
    return Fail(Errc::kCorrupt, place + ": two solutions by author \"" +
                                    author + "\": " + found->name + " and " +
                                    second->name);
  }
  return *found;
}

Result<Solution> OnlyOneBy(const std::string& author,
                           const std::vector<Solution>& solutions,
                           const std::string& place) {
  TRY(found, AtMostOneBy(author, solutions, place));
  if (!found) {
    return Fail(Errc::kNotFound,
                place + ": no solution by author \"" + author + "\"");
  }
  return *std::move(found);
}

// What FlashInfer-Bench's scores compare with: the solution by author
// "baseline"; or, in sets without one, that of the library by whose name it
// goes.  If there are several, it is the first by name, in a language that is
// judged here.
std::optional<Solution> TheirExpert(const std::vector<Solution>& solutions) {
  const Solution* chosen = nullptr;
  for (const std::string_view author : {"baseline", "flashinfer"}) {
    for (const Solution& solution : solutions) {
      if (solution.author != author ||
          solution.language == Language::kTilelang) {
        continue;
      }
      if (chosen == nullptr || solution.name < chosen->name) {
        chosen = &solution;
      }
    }
    if (chosen != nullptr) return *chosen;
  }
  return std::nullopt;
}

// The reference as FlashInfer-Bench itself makes a solution of it.
Solution ReferenceOf(const Definition& definition) {
  Solution reference;
  reference.name = definition.name + "__reference";
  reference.definition = definition.name;
  reference.author = "reference";
  reference.language = Language::kPython;
  reference.target_hardware = {"cpu", "cuda"};
  reference.entry_file = "main.py";
  reference.entry_symbol = "run";
  reference.destination_passing_style = false;
  reference.sources = {{"main.py", definition.reference}};
  return reference;
}

// Reads the tag "tolerance:F", F > 0.
Result<Tolerance> ReadTolerance(const Definition& definition,
                                const std::string& place) {
  const std::optional<std::string> text = TagValue(definition, "tolerance");
  if (!text) return Tolerance{};
  const auto factor = ParseNumber<double>(*text);
  // Written so that NaN is refused too.
  if (!factor || !(*factor > 0.0 && *factor < 1e9)) {
    return Fail(Errc::kCorrupt,
                place + ": /tags: \"tolerance:" + *text + "\" is not a factor");
  }
  return Tolerance{.factor = *factor};
}

constexpr std::array<std::string_view, 4> kFormatNames = {
    "native", "kernelbench", "flashinfer-bench", "gpumode"};  // By TaskFormat.
constexpr std::array<std::string_view, 2> kProtocolNames = {
    "coppice", "benchmark"};  // By Protocol.
constexpr std::array<std::string_view, 3> kDelegationNames = {
    "any", "no_vendor_op", "own_kernels"};  // By Delegation.

// Zero, the default, if there is no such member.
template <class Enum, std::size_t kCount>
Result<Enum> ReadEnum(const Cursor& document, const std::string& key,
                      const std::array<std::string_view, kCount>& names) {
  const std::optional<Cursor> place = document.Find(key);
  if (!place) return Enum{};
  TRY(index, place->OneOf(names));
  return static_cast<Enum>(index);
}

template <class Enum, std::size_t kCount>
void WriteEnum(Enum value, const std::string& key,
               const std::array<std::string_view, kCount>& names,
               Json& document) {
  if (value != Enum{}) document[key] = names[static_cast<std::size_t>(value)];
}

// Told by the format, or by the root's language.
Result<Rules> TaskRules(const Cursor& document, TaskFormat format) {
  if (format == TaskFormat::kKernelBench || format == TaskFormat::kGpuMode) {
    return Rules::kKernelBench;
  }
  TRY(root, document.Member("root"));
  TRY(spec, root.Member("spec"));
  TRY(language, spec.StringMember("language"));
  return language == "sim" ? Rules::kSimulation : Rules::kTraceSet;
}

Result<std::vector<Workload>> ReadTaskWorkloads(const Cursor& document,
                                                const Definition& definition) {
  TRY(place, document.Member("workloads"));
  TRY(items, place.Items());
  std::vector<Workload> workloads;
  for (const Cursor& item : items) {
    TRY(workload, ReadWorkload(item, definition));
    workloads.push_back(std::move(workload));
  }
  return workloads;
}

// Chooses root, oracle and expert.
Result<void> AssignSolutions(const std::vector<Solution>& solutions,
                             const std::string& place, Task& task) {
  TRY(oracle, AtMostOneBy("oracle", solutions, place));
  if (!oracle) {
    task.format = TaskFormat::kFlashInferBench;
    task.root = ReferenceOf(task.definition);
    task.oracle.language = Language::kPython;
    task.expert = TheirExpert(solutions);
    return {};
  }
  task.oracle = *std::move(oracle);
  TRY_ASSIGN(task.root, OnlyOneBy("baseline", solutions, place));
  TRY_ASSIGN(task.expert, AtMostOneBy("expert", solutions, place));
  return {};
}

// Those of the types that only kernels in C++ take.
Result<void> MustTakeTypes(const std::string& place, const Task& task) {
  if (task.root.language == Language::kCpp) return {};
  for (const auto* tensors :
       {&task.definition.inputs, &task.definition.outputs}) {
    for (const TensorSpec& tensor : *tensors) {
      if (tensor.dtype <= DType::kBool) continue;
      return Fail(Errc::kCorrupt, place + ": tensor " + tensor.name +
                                      ": its dtype is one of kernels in C++");
    }
  }
  return {};
}

// With their workloads and solutions, for which the set is read once.
Result<std::vector<Task>> TasksAround(const fs::path& root,
                                      std::vector<Read> definitions) {
  const auto place = [&](const Definition& definition) {
    return root.string() + ": " + definition.name;
  };
  std::vector<Task> tasks;
  for (Read& read : definitions) {
    TRY_DONE(MustHaveElements(read));
    TRY(tolerance, ReadTolerance(read.definition, place(read.definition)));
    tasks.emplace_back();
    tasks.back().definition = std::move(read.definition);
    tasks.back().tolerance = tolerance;
  }
  TRY_DONE(ReadWorkloads(root, tasks));
  TRY(solutions, ReadSolutions(root));
  for (Task& task : tasks) {
    TRY_DONE(AssignSolutions(solutions[DefinitionName(task)],
                             place(task.definition), task));
    TRY_DONE(MustTakeTypes(place(task.definition), task));
  }
  return tasks;
}

Result<Task> TaskAround(const fs::path& root, Read definition) {
  std::vector<Read> only;
  only.push_back(std::move(definition));
  TRY(tasks, TasksAround(root, std::move(only)));
  return std::move(tasks.front());
}

}  // namespace

Result<void> TakeLine(const fs::path& root, const Cursor& line, Task& task) {
  return TakeWorkload(root, line, {&task, 1});
}

Result<void> TakeTags(const fs::path& file, Task& task) {
  TRY_DONE(MustHaveElements({file, task.definition}));
  TRY_ASSIGN(task.tolerance, ReadTolerance(task.definition, file.string()));
  return MustTakeTypes(file.string(), task);
}

Result<std::vector<std::string>> ListDefinitions(const fs::path& root) {
  TRY(definitions, ReadDefinitions(root));
  std::vector<std::string> names;
  for (Read& read : definitions) {
    names.push_back(std::move(read.definition.name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Task> LoadTask(const fs::path& root, const std::string& definition) {
  TRY(definitions, ReadDefinitions(root));
  const auto found = std::find_if(
      definitions.begin(), definitions.end(),
      [&](const Read& read) { return read.definition.name == definition; });
  if (found == definitions.end()) {
    return Fail(
        Errc::kNotFound,
        root.string() + ": no definition is called \"" + definition + "\"");
  }
  return TaskAround(root, std::move(*found));
}

Result<std::vector<Task>> LoadTasks(const fs::path& root) {
  TRY(definitions, ReadDefinitions(root));
  std::ranges::sort(definitions, {}, [](const Read& read) {
    return std::string_view(read.definition.name);
  });
  return TasksAround(root, std::move(definitions));
}

std::string SerialiseTask(const Task& task) {
  Json document;
  WriteEnum(task.format, "format", kFormatNames, document);
  WriteEnum(task.protocol, "protocol", kProtocolNames, document);
  WriteEnum(task.delegation, "delegation", kDelegationNames, document);
  document["definition"] = ToJson(task.definition);
  Json& workloads = document["workloads"] = Json::array();
  for (const Workload& workload : task.workloads) {
    workloads.push_back(ToJson(workload));
  }
  document["root"] = ToJson(task.root);
  if (task.format != TaskFormat::kFlashInferBench) {
    document["oracle"] = ToJson(task.oracle);
  }
  if (task.expert) document["expert"] = ToJson(*task.expert);
  document["tolerance_factor"] = task.tolerance.factor;
  if (task.eval_config != EvalConfig{}) {
    document["eval_config"] = ToJson(task.eval_config);
  }
  return PrettyText(document);
}

Result<Task> ParseTask(const std::string& json) {
  TRY(parsed, ParseJson(json, "task"));
  const Cursor document(parsed, "task");
  Task task;
  TRY_ASSIGN(task.format,
             ReadEnum<TaskFormat>(document, "format", kFormatNames));
  TRY_ASSIGN(task.protocol,
             ReadEnum<Protocol>(document, "protocol", kProtocolNames));
  TRY_ASSIGN(task.delegation,
             ReadEnum<Delegation>(document, "delegation", kDelegationNames));
  TRY(definition_place, document.Member("definition"));
  TRY(rules, TaskRules(document, task.format));
  TRY_ASSIGN(task.definition, ReadDefinition(definition_place, rules));
  TRY_ASSIGN(task.workloads, ReadTaskWorkloads(document, task.definition));
  TRY(root_place, document.Member("root"));
  TRY_ASSIGN(task.root, ReadSolution(root_place, rules));
  if (task.format == TaskFormat::kFlashInferBench) {
    task.oracle.language = Language::kPython;
  } else {
    TRY(oracle_place, document.Member("oracle"));
    TRY_ASSIGN(task.oracle, ReadSolution(oracle_place, rules));
  }
  if (const std::optional<Cursor> place = document.Find("expert")) {
    TRY_ASSIGN(task.expert, ReadSolution(*place, rules));
  }
  TRY(factor, document.Member("tolerance_factor"));
  if (!factor.Value().is_number()) return factor.Wrong("expected a number");
  task.tolerance.factor = factor.Value().get<double>();
  if (const std::optional<Cursor> place = document.Find("eval_config")) {
    TRY_DONE(TakeEvalConfig(*place, task.eval_config));
  }
  return task;
}

namespace {

// A set has several, of which one is to be named.
Result<Task> NoDefinition(const fs::path& directory) {
  TRY(files, DefinitionFiles(directory));
  const std::string subject = directory.string() + ": ";
  if (files.empty()) {
    return Fail(Errc::kUsage, subject +
                                  "no definition is there; a set has them as "
                                  "SET/definitions/OP_TYPE/NAME.json");
  }
  return Fail(Errc::kUsage, subject + "a directory; name a definition, as " +
                                files.front().string());
}

// A folder holds one.
Result<Task> LoadOnlyTask(const fs::path& folder) {
  TRY(definitions, ReadDefinitions(folder));
  return TaskAround(folder, std::move(definitions.front()));
}

}  // namespace

Result<Task> LoadTaskOf(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return Fail(Errc::kNotFound, file.string() + ": No such file or directory");
  }
  if (IsProblemFolder(file)) return LoadOnlyTask(file);
  if (fs::is_directory(file, ignored)) {
    TRY_DONE(MustHaveWorkloads(file));
    return NoDefinition(file);
  }
  if (file.filename() == "definition.json" &&
      IsProblemFolder(fs::absolute(file).parent_path())) {
    return LoadOnlyTask(fs::absolute(file).parent_path());
  }
  fs::path root = fs::absolute(file).lexically_normal().parent_path();
  while (root.filename() != "definitions") {
    if (root == root.root_path()) {
      if (file.filename() == "definition.json") {
        TRY_DONE(MustHaveWorkloads(fs::absolute(file).parent_path()));
      }
      return Fail(Errc::kUsage,
                  file.string() +
                      ": not in the definitions/ of a trace set; one of its "
                      "tasks is SET/definitions/OP_TYPE/NAME.json");
    }
    root = root.parent_path();
  }
  TRY(json, ReadJson(file));
  TRY(definition,
      ReadDefinition(Cursor(json, file.string()), Rules::kTraceSet));
  return TaskAround(root.parent_path(), {file, std::move(definition)});
}

Result<Solution> ParseSolution(const std::string& json,
                               const std::string& file) {
  TRY(parsed, ParseJson(json, file));
  TRY(solution, TranslatedSolution(Cursor(parsed, file)));
  return ReadSolution(Cursor(solution, file), Rules::kTraceSet);
}

std::string SerialiseSolution(const Solution& solution) {
  return PrettyText(ToJson(solution));
}

bool IsSolutionDocument(const std::string& source) {
  const std::size_t start = source.find_first_not_of(" \t\r\n");
  return start != std::string::npos && source[start] == '{';
}

}  // namespace coppice::eval
