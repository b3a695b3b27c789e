// coppice task list | check | noise | fit: what there is to optimise, and
// whether it is fit for it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <utility>

#include "config/keys.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/screening.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/factory/task_finder.h"
#include "engine/interchange/kernelbench_files.h"
#include "engine/process/interrupts.h"
#include "eval/admission.h"
#include "eval/formats/kernelbench_files.h"
#include "eval/formats/set_documents.h"
#include "store/records/formatted.h"
#include "store/records/joined.h"

namespace coppice::cli {
namespace {

using TaskJson = nlohmann::ordered_json;
using eval::Finding;

// "x[R, C]"
std::string Shown(const TensorSpec& tensor) {
  if (!tensor.shape) return tensor.name;
  return tensor.name + "[" + Joined(*tensor.shape, ", ") + "]";
}

std::string Shown(const std::vector<TensorSpec>& tensors) {
  return Joined(tensors, ", ",
                [](const TensorSpec& tensor) { return Shown(tensor); });
}

std::string UnlessNone(double count) {
  return count > 0 ? std::to_string(std::lround(count)) : "";
}

Result<Exit> ListTasks(const Invocation& invocation, Streams& streams) {
  TRY(factory, OpenFactory(invocation));
  TRY(tasks, factory->tasks().BuiltInTasks());
  RowSheet sheet{
      "tasks",
      {"task", Right("level"), RowColumn("workloads", "workloads", UnlessNone),
       RowColumn("inputs -> outputs", "signature"),
       ForPrograms("description")}};
  for (const Task& task : tasks) {
    const Definition& definition = task.definition;
    sheet.rows.push_back(
        {definition.name, TagValue(definition, "level").value_or(""),
         task.workloads.size(),
         Shown(definition.inputs) + " -> " + Shown(definition.outputs),
         definition.description.value_or("")});
  }
  const engine::LandscapeTasks landscapes(factory->settings().data_directory);
  for (const std::string& name : landscapes.Names()) {
    sheet.rows.push_back(
        {name, "", 0, name.starts_with("recorded:") ? "recorded" : "simulated",
         "a landscape"});
  }
  PrintRows(invocation, sheet, streams);
  return Exit::kDone;
}

// One candidate on all workloads: what it did on the worst of them.
struct Judged {
  Finding worst;
  int good = 0;
  int workloads = 0;
};

int Badness(const Finding& finding) {
  return finding.Good() ? 0 : finding.Condemns() ? 2 : 1;
}

// The worst of each candidate, in the order of the examination.
std::vector<Judged> WorstByCandidate(const std::vector<Finding>& findings) {
  std::vector<Judged> rows;
  for (const Finding& finding : findings) {
    if (rows.empty() || rows.back().worst.candidate != finding.candidate) {
      rows.push_back({finding});
    }
    Judged& row = rows.back();
    ++row.workloads;
    row.good += finding.Good() ? 1 : 0;
    const double ratio =
        std::max(row.worst.worst_error_ratio, finding.worst_error_ratio);
    if (Badness(row.worst) < Badness(finding)) row.worst = finding;
    row.worst.worst_error_ratio = ratio;
  }
  return rows;
}

TaskJson DescribeFinding(const Finding& finding) {
  TaskJson document = {{"candidate", finding.candidate},
                       {"workload", finding.workload},
                       {"expected", Name(finding.expected)},
                       {"found", Name(finding.found)},
                       {"good", finding.Good()}};
  if (finding.expected == Verdict::kPassed) {
    document["worst_error_ratio"] = finding.worst_error_ratio;
  }
  if (!finding.log.empty()) document["log"] = finding.log;
  return document;
}

void AddRows(const std::string& task, const std::vector<Finding>& findings,
             Table& table) {
  constexpr const char* kMarks[] = {"", "unknown", "UNFIT"};
  for (const Judged& row : WorstByCandidate(findings)) {
    const bool is_right = row.worst.expected == Verdict::kPassed;
    table.AddRow(
        {task, row.worst.candidate, std::string(Name(row.worst.expected)),
         std::string(Name(row.worst.found)),
         std::to_string(row.good) + "/" + std::to_string(row.workloads),
         is_right ? Formatted("%.2f", row.worst.worst_error_ratio) : "",
         kMarks[Badness(row.worst)]});
  }
}

// It says nothing of the task that nobody here can run it.
bool IsWithoutDevice(const Task& task,
                     const Result<eval::Evaluator*>& evaluator) {
  return task.root.language == Language::kCuda && !evaluator &&
         evaluator.error().code == Errc::kUnavailable;
}

// All that the user named, and that they can be judged here, before the first
// one is examined.
Result<std::vector<Task>> TasksNamed(engine::CampaignFactory& factory,
                                     const std::vector<std::string>& names) {
  std::vector<Task> tasks;
  for (const std::string& name : names) {
    TRY(task, factory.FindTask(name));
    const auto evaluator = factory.EvaluatorFor(task);
    if (!evaluator && !IsWithoutDevice(task, evaluator)) {
      return tl::unexpected<Error>(evaluator.error());
    }
    task.delegation = Delegation::kAny;  // Null candidates may use anything.
    tasks.push_back(std::move(task));
  }
  return tasks;
}

enum class ProblemState : std::uint8_t { kFit, kUnfit, kMalformed, kUnknown };
constexpr const char* kStateNames[] = {"fit", "unfit", "malformed", "unknown"};
constexpr const char* kStateMarks[] = {"fit",
                                       "UNFIT: ", "malformed: ", "unknown: "};

struct CheckedProblem {
  ProblemState state = ProblemState::kFit;
  std::string reason;  // Why it is not fit.
};

// `subject` is how the error names it.
Result<CheckedProblem> NotJudged(const std::string& subject,
                                 const Error& error) {
  const bool is_malformed =
      error.code == Errc::kUsage || error.code == Errc::kNotFound;
  if (!is_malformed && error.code != Errc::kUnfit) {
    return tl::unexpected<Error>(error);
  }
  return CheckedProblem{
      is_malformed ? ProblemState::kMalformed : ProblemState::kUnknown,
      WithoutSubject(subject, error.what)};
}

CheckedProblem Concluded(const std::vector<Finding>& findings) {
  if (std::string why = eval::WhyUnfit(findings); !why.empty()) {
    return {ProblemState::kUnfit, std::move(why)};
  }
  const auto bad = std::ranges::find_if_not(findings, &Finding::Good);
  if (bad == findings.end()) return {};
  return {
      ProblemState::kUnknown,
      bad->candidate + ": " + std::string(Name(bad->found)) + ": " + bad->log};
}

// One of a set, as the user would name it.
struct Member {
  std::string group;  // Its level or folder.
  std::string name;   // For who is shown it.
  std::string task;   // "kernelbench:FILE"
};

// Admits a problem as `coppice bench` does, but anew.
Result<CheckedProblem> CheckMember(engine::CampaignFactory& factory,
                                   const Member& member) {
  const std::string place = member.task.substr(member.task.find(':') + 1);
  auto task = factory.FindTask(member.task);
  // A Python that is not there is no fault of the file's; want of memory may
  // be.
  const bool is_of_file = task || task.error().code == Errc::kUnfit ||
                          task.error().what.starts_with(place) ||
                          !member.task.starts_with("kernelbench:");
  if (!is_of_file) return tl::unexpected<Error>(task.error());
  if (!task) return NotJudged(place, task.error());
  task->delegation = Delegation::kAny;  // Null candidates may use anything.
  auto evaluator = factory.EvaluatorFor(*task);
  if (!evaluator) return tl::unexpected<Error>(std::move(evaluator).error());
  const bool is_python = task->root.language == Language::kPython;
  const auto findings = is_python
                            ? (*evaluator)->JudgeNulls(*task, eval::Anew::kYes)
                            : eval::ExamineTask(**evaluator, *task);
  const std::string& name = task->definition.name;
  // What is malformed shows before null candidates are judged.
  if (!findings && findings.error().code == Errc::kUnavailable) {
    return CheckedProblem{ProblemState::kUnknown,
                          WithoutSubject(name, findings.error().what)};
  }
  if (!findings) return NotJudged(name, findings.error());
  return Concluded(*findings);
}

using Counts = std::array<int, std::size(kStateNames)>;

void Tell(const std::string& of, const Counts& counts, Streams& streams) {
  streams.out << of << counts[0] << " of "
              << std::accumulate(counts.begin(), counts.end(), 0)
              << " problems are fit for use";
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    streams.out << ", " << counts[i] << " " << kStateNames[i];
  }
  streams.out << "\n";
}

// A line for each as soon as it is judged: a level takes minutes.  How many of
// each group are fit, where there are several.
Result<Exit> CheckMembers(const Invocation& invocation, Streams& streams,
                          const std::vector<Member>& members) {
  TRY(factory, OpenFactory(invocation));
  engine::LeaveInterrupts();
  Counts counts{};
  std::vector<std::pair<std::string, Counts>> groups;
  for (const Member& member : members) {
    TRY(checked, CheckMember(*factory, member));
    const auto state = static_cast<std::size_t>(checked.state);
    ++counts[state];
    if (groups.empty() || groups.back().first != member.group) {
      groups.emplace_back(member.group, Counts{});
    }
    ++groups.back().second[state];
    const std::string line =
        invocation.Has("json") ? LineOf({{"task", member.name},
                                         {"state", kStateNames[state]},
                                         {"reason", checked.reason}})
                               : Printable(member.name + ": " +
                                           kStateMarks[state] + checked.reason);
    streams.out << line << std::endl;
  }
  if (!invocation.Has("json")) {
    for (const auto& [group, own] : groups) {
      if (groups.size() > 1) Tell(Printable(group) + ": ", own, streams);
    }
    Tell("", counts, streams);
  }
  const bool is_all_fit = static_cast<std::size_t>(counts[0]) == members.size();
  return is_all_fit ? Exit::kDone : Exit::kFailure;
}

Result<void> AddLevel(const Invocation& invocation, const std::string& checkout,
                      std::int64_t level, std::vector<Member>& members) {
  TRY(files,
      engine::KernelBenchFiles(checkout, static_cast<int>(level),
                               invocation.Text("subset").value_or("all")));
  for (const std::filesystem::path& file : files) {
    members.push_back({"level" + std::to_string(level),
                       eval::TaskName(level, file.filename()),
                       "kernelbench:" + file.string()});
  }
  return {};
}

// The levels whose problems are one file each; level 4 loads models of others.
constexpr std::int64_t kLevels = 3;

// None: it is no whole set.
Result<std::vector<Member>> MembersOf(const Invocation& invocation,
                                      const std::string& name) {
  std::vector<Member> members;
  const std::filesystem::path root = name.substr(name.find(':') + 1);
  std::error_code ignored;
  if (!std::filesystem::is_directory(root, ignored)) return members;
  if (name.starts_with("kernelbench:")) {
    if (const auto level = invocation.Count("level")) {
      TRY_DONE(AddLevel(invocation, root, *level, members));
      return members;
    }
    // A checkout may have some levels only.
    for (std::int64_t level = 1; level <= kLevels; ++level) {
      const auto added = AddLevel(invocation, root, level, members);
      if (!added && added.error().code != Errc::kNotFound) {
        return tl::unexpected<Error>(added.error());
      }
    }
    if (members.empty()) {
      return Fail(Errc::kUsage, root.string() +
                                    ": no problem of levels 1 to 3 "
                                    "(levelN/ID_NAME.py) is there");
    }
  } else if (name.starts_with("fib:") && !eval::IsProblemFolder(root)) {
    TRY(files, eval::DefinitionFiles(root));
    for (const std::filesystem::path& file : files) {
      std::filesystem::path place = file.lexically_relative(root);
      if (*place.begin() == "definitions") {
        place = place.lexically_relative("definitions");
      }
      const bool is_folder = file.filename() == "definition.json";
      place = is_folder ? place.parent_path() : place.replace_extension();
      members.push_back({place.has_parent_path() ? place.parent_path() : ".",
                         place.string(), "fib:" + file.string()});
    }
  }
  return members;
}

Result<Exit> CheckTasks(const Invocation& invocation, Streams& streams) {
  const std::vector<std::string>& names = invocation.arguments;
  const auto checkout = invocation.Text("kernelbench");
  if (checkout && names.empty()) {
    std::vector<Member> members;
    TRY_DONE(AddLevel(invocation, *checkout,
                      invocation.Count("level").value_or(1), members));
    return CheckMembers(invocation, streams, members);
  }
  const bool is_of_levels = invocation.Has("level") || invocation.Has("subset");
  if (!checkout && names.size() == 1 &&
      (!is_of_levels || names[0].starts_with("kernelbench:"))) {
    TRY(members, MembersOf(invocation, names[0]));
    if (!members.empty()) return CheckMembers(invocation, streams, members);
  }
  TRY_DONE(invocation.MustNotHave(
      {"kernelbench", "level", "subset"},
      checkout ? "names all tasks to check; name no other, " + names[0]
               : "is of a checkout of KernelBench"));
  if (names.empty()) {
    return Fail(Errc::kUsage,
                "missing TASK; `coppice task list` shows what there is");
  }
  TRY(factory, OpenFactory(invocation));
  engine::LeaveInterrupts();
  TRY(tasks, TasksNamed(*factory, names));
  TaskJson document = TaskJson::array();
  Table table({"task", "candidate", "expected", "found", Right("workloads"),
               Right("error/allowed"), ""});
  std::vector<std::string> complaints;
  std::size_t fit_ones = 0;
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    auto evaluator = factory->EvaluatorFor(tasks[i]);
    if (IsWithoutDevice(tasks[i], evaluator)) {
      ++unknown;
      complaints.push_back(names[i] + ": skipped: no CUDA device (" +
                           evaluator.error().what + ")");
      document.push_back(
          {{"task", names[i]}, {"fit", nullptr}, {"findings", nullptr}});
      continue;
    }
    if (!evaluator) return tl::unexpected<Error>(evaluator.error());
    TRY(findings, eval::ExamineTask(**evaluator, tasks[i]));
    const eval::Fitness fitness = eval::FitnessOf(findings);
    const bool fit = fitness == eval::Fitness::kFit;
    const bool unfit = fitness == eval::Fitness::kUnfit;
    fit_ones += fit ? 1 : 0;
    unknown += fit || unfit ? 0 : 1;
    AddRows(names[i], findings, table);
    for (const Finding& finding : findings) {
      if (finding.log.empty()) continue;
      complaints.push_back(names[i] + ": " + finding.candidate + ": " +
                           finding.log);
    }
    document.push_back(
        {{"task", names[i]},
         {"fit", fit || unfit ? TaskJson(fit) : TaskJson(nullptr)},
         {"findings", ArrayOf(findings, DescribeFinding)}});
  }
  if (invocation.Has("json")) {
    PrintDocument(document, streams.out);
  } else {
    table.Print(streams);
    for (const std::string& complaint : complaints) {
      streams.out << LogText(complaint);
    }
    streams.out << fit_ones << " of " << tasks.size()
                << " tasks are fit for use";
    if (unknown > 0) streams.out << ", " << unknown << " unknown";
    streams.out << "\n";
  }
  return fit_ones == tasks.size() ? Exit::kDone : Exit::kFailure;
}

}  // namespace

Verb TaskVerb() {
  using config::Group;
  return {
      .name = "task",
      .summary = "what there is to optimise, and what can be told of it here",
      .actions =
          {{.name = "task list",
            .summary = "the tasks that come with coppice",
            .examples = "  coppice task list\n",
            .options = {{"json", Takes::kNothing, "", "as JSON"}},
            .settings = config::NamesIn({Group::kData}),
            .run = ListTasks},
           {.name = "task check",
            .summary = "whether tasks are fit for use: kernels that compute "
                       "nothing must fail",
            .arguments = "[TASK...]",
            .examples =
                "  coppice task check gemm_square softmax_rows\n"
                "  coppice task check my_tasks:sort --json\n"
                "  coppice task check kernelbench:KernelBench\n"
                "  coppice task check kernelbench:KernelBench --level 2\n"
                "  coppice task check fib:set\n",
            .options = {{"kernelbench", Takes::kText, "DIRECTORY",
                         "check the problems of this checkout of KernelBench"},
                        {"level", Takes::kCount, "N",
                         "of a checkout; by default 1, of kernelbench:CHECKOUT "
                         "all three"},
                        {"subset", Takes::kText,
                         "all|representative|representative_sound",
                         "of them; by default all"},
                        {"json", Takes::kNothing, "",
                         "as JSON, with all findings; of a checkout a line "
                         "for each problem, as it is judged"}},
            .settings = config::NamesIn(
                {Group::kThreads, Group::kTimeouts, Group::kPython,
                 Group::kDevices, Group::kRules, Group::kData, Group::kCache}),
            .run = CheckTasks},
           NoiseAction(),
           FitAction()},
  };
}

}  // namespace coppice::cli
