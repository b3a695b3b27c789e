// list_tasks, describe_task: what kernels may be written for.
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "agents/prompt/describe.h"
#include "engine/documents/document.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/service/arguments.h"
#include "engine/service/json.h"
#include "engine/service/operation_context.h"
#include "engine/service/remote_caller.h"
#include "engine/service/rows.h"
#include "engine/service/schemas.h"
#include "engine/service/service.h"
#include "eval/judge/same_task.h"
#include "store/records/utf8.h"

namespace coppice::service {
namespace {

constexpr std::size_t kPage = 50;
constexpr std::size_t kMostText = 12'000;

struct TaskLine {
  std::string name, level, device, operation, description;
};

struct Filter {
  std::string level, device, query, cursor;
};

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return text;
}

bool IsAskedFor(const TaskLine& task, const Filter& filter) {
  const auto has = [&](const std::string& text) {
    return Lower(text).find(Lower(filter.query)) != std::string::npos;
  };
  return (filter.level.empty() || filter.level == task.level) &&
         (filter.device.empty() || filter.device == task.device) &&
         (has(task.name) || has(task.operation) || has(task.description));
}

std::string_view DeviceOf(Language language) {
  if (language == Language::kSim) return "none";
  return language == Language::kCuda ? "cuda" : "cpu";
}

Result<std::vector<TaskLine>> AllTasks(Service& service) {
  TRY(tasks, OperationContextOf(service).evaluator_pool().BuiltInTasks());
  std::vector<TaskLine> all;
  for (const Task& task : tasks) {
    const Definition& definition = task.definition;
    all.push_back({definition.name, TagValue(definition, "level").value_or(""),
                   std::string(DeviceOf(task.root.language)),
                   definition.op_type, definition.description.value_or("")});
  }
  const engine::LandscapeTasks landscapes(service.settings().data_directory);
  for (const std::string& name : landscapes.Names()) {
    all.push_back({name, "", "none", "landscape",
                   "simulated: for trying policies, with no real kernels"});
  }
  return all;
}

Result<std::string> ListTasks(Service& service, const Call& /*call*/,
                              std::string_view text) {
  Arguments arguments(text);
  const Filter filter{arguments.OptionalText("level").value_or(""),
                      arguments.OneOf("device", {"", "cpu", "cuda", "none"}),
                      arguments.OptionalText("query").value_or(""),
                      arguments.OptionalText("cursor").value_or("")};
  TRY_DONE(arguments.Done());
  TRY(all, AllTasks(service));
  Json tasks = Json::array();
  Json next = nullptr;
  bool is_past = filter.cursor.empty();  // A cursor is the last one's name.
  for (const TaskLine& task : all) {
    if (!is_past) {
      is_past = task.name == filter.cursor;
      continue;
    }
    if (!IsAskedFor(task, filter)) continue;
    if (tasks.size() == kPage) {
      next = tasks.back()["task"];
      break;
    }
    tasks.push_back({{"task", task.name},
                     {"level", task.level},
                     {"device", task.device},
                     {"operation", task.operation},
                     {"description", task.description}});
  }
  if (!is_past) {
    return Fail(Errc::kUsage,
                "cursor: no task is called " + filter.cursor.substr(0, 64));
  }
  return cli::LineOf({{"tasks", tasks}, {"next_cursor", next}});
}

Json SizesJson(const Task& task) {
  Json workloads = Json::array();
  for (const Workload& workload : task.workloads) {
    Json axes = Json::object();
    for (const auto& [name, size] : workload.axes) axes[name] = size;
    workloads.push_back({{"workload", workload.uuid}, {"axes", axes}});
  }
  return workloads;
}

std::string ToleranceText(const Task& task) {
  if (task.format != TaskFormat::kNative) return "that of its benchmark";
  return "|y - r| <= " + Json(task.tolerance.factor).dump() +
         " * u * m for each output, u its type's unit roundoff (" +
         std::string(agents::UnitRoundoff(task.definition.outputs)) +
         "), m the magnitude that the oracle gives";
}

std::string SummaryText(const Task& task) {
  const Definition& definition = task.definition;
  return definition.description.value_or(definition.name) + "\n\nInputs:\n" +
         agents::DescribeTensors(definition.inputs) + "\nOutputs:\n" +
         agents::DescribeTensors(definition.outputs) + "\nAxes:\n" +
         agents::DescribeAxes(definition.axes);
}

std::string TextOf(const std::string& part, const Task& task) {
  if (part == "reference") return task.definition.reference;
  if (part == "root") return eval::SourceOf(task.root);
  if (part == "workloads") return agents::DescribeWorkloads(task.workloads);
  if (part == "own_rule") return eval::SourceOf(task.oracle);
  return SummaryText(task);
}

Result<std::string> DescribeTask(Service& service, const Call& call,
                                 std::string_view text) {
  Arguments arguments(text);
  const std::string name = arguments.Text("task");
  const std::string part = arguments.OneOf(
      "part", {"summary", "reference", "root", "workloads", "own_rule"});
  TRY_DONE(arguments.Done());
  TRY_DONE(CheckMayNameTask(service, name, call));
  TRY(known, OperationContextOf(service).evaluator_pool().FindTask(name));
  const Task& task = known->task;
  const std::string whole = TextOf(part, task);
  const bool is_cpp = task.root.language == Language::kCpp;
  return cli::LineOf(
      {{"task", name},
       {"language", agents::LanguageName(task.root.language)},
       {"entry", task.root.entry_symbol},
       {"signature", is_cpp ? Json(agents::CppSignature(task.definition,
                                                        task.root.entry_symbol))
                            : Json(nullptr)},
       {"tolerance", ToleranceText(task)},
       {"workloads", SizesJson(task)},
       {"text", whole.substr(0, WholeCharacters(whole, kMostText))},
       {"is_cut", whole.size() > kMostText}});
}

}  // namespace

Operation ListTasksOperation() {
  static const std::string request = ObjectSchema(
      R"("level":{"type":"string","description":"1, 2, 3 or foreign"},)"
      R"("device":{"type":"string","enum":["cpu","cuda","none"]},)"
      R"("query":{"type":"string","description":"A part of name, operation )"
      R"(or description"},)"
      R"("cursor":{"type":"string","description":"The next_cursor before"})");
  static const std::string result = ObjectSchema(
      R"("tasks":)" +
          ListOf(PartSchema("TaskLine", {{"task", kText},
                                         {"level", kText},
                                         {"device", kText},
                                         {"operation", kText},
                                         {"description", kText}})) +
          R"(,"next_cursor":{"type":["string","null"]})",
      R"("tasks","next_cursor")");
  return {
      .name = "list_tasks",
      .title = "List tasks",
      .description =
          "The tasks that come with coppice and that kernels can be written "
          "for, 50 at a time. Others are named by their files: "
          "kernelbench:FILE, fib:FILE, ./FOLDER.",
      .effects = {.read_only = true, .idempotent = true},
      .request_schema = request,
      .result_schema = result,
      .answer = ListTasks,
  };
}

Operation DescribeTaskOperation() {
  static const std::string request = ObjectSchema(
      Listed({kTaskProperty,
              R"("part":{"type":"string","default":"summary","enum":)"
              R"(["summary","reference","root","workloads","own_rule"]})"}),
      R"("task")");
  static const std::string result = ObjectSchema(
      R"("task":{"type":"string"},"language":{"type":"string"},)"
      R"("entry":{"type":"string"},"signature":{"type":["string","null"]},)"
      R"("tolerance":{"type":"string"},)"
      R"("workloads":)" +
          ListOf(PartSchema("SizedWorkload",
                            {{"workload", kText},
                             {"axes", R"({"type":"object",)"
                                      R"("additionalProperties":)"
                                      R"({"type":"integer"}})"}})) +
          R"(,"text":{"type":"string"},"is_cut":{"type":"boolean"})",
      R"("task","language","entry","workloads")");
  return {
      .name = "describe_task",
      .title = "Describe one task",
      .description =
          "What a kernel of a task must compute: its signature, sizes and "
          "tolerance. Parts: its reference in Python, the root that "
          "speedups "
          "are measured against, and own_rule, the trusted rule by which "
          "results are judged.",
      .effects = {.read_only = true, .idempotent = true},
      .request_schema = request,
      .result_schema = result,
      .answer = DescribeTask,
  };
}

}  // namespace coppice::service
