// coppice new FILE.py:FUNCTION: a function in Python becomes a problem of the
// form that KernelBench has.
#include <algorithm>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "engine/campaign/outage_listener.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/new_task.h"
#include "engine/cli/open_factory.h"
#include "engine/documents/input.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/own/python_function.h"
#include "engine/own/task_files.h"
#include "engine/process/installation.h"
#include "engine/process/interrupts.h"
#include "eval/admission.h"
#include "eval/judge/same_task.h"
#include "store/records/evaluation.h"
#include "store/records/joined.h"
#include "store/records/tier.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPython = ".py";

struct PythonWord {
  std::string file;
  std::string function;  // Empty: the only one.
};

PythonWord WordOf(const Invocation& invocation) {
  const std::string& word = invocation.arguments.at(0);
  PythonWord parts{word, invocation.Text("function").value_or("")};
  const std::size_t at = word.rfind(".py:");
  if (at != word.npos) {
    parts.file = word.substr(0, at + kPython.size());
    parts.function = word.substr(at + kPython.size() + 1);
  }
  return parts;
}

std::string ShapeText(const Definition& definition, const TensorSpec& tensor) {
  if (!tensor.shape) return "a number";
  const auto size = [&](const std::string& name) {
    const auto axis = std::ranges::find(definition.axes, name, &Axis::name);
    const bool is_fixed = axis != definition.axes.end() && axis->constant;
    return is_fixed ? std::to_string(*axis->constant) : name;
  };
  return "[" + Joined(*tensor.shape, ", ", size) + "]";
}

struct PythonTried {
  Task task;
  std::vector<eval::Finding> findings;
  double root_s = 0.0;
};

Result<PythonTried> TryPython(engine::CampaignFactory& factory,
                              const std::string& name, Streams& streams) {
  const auto say = [&](const std::string& what) {
    if (streams.err_is_terminal) streams.err << Printable(what) << std::endl;
  };
  PythonTried tried;
  TRY_ASSIGN(tried.task,
             factory.FindTask("kernelbench:" + name + "/" + name + ".py"));
  Task open = tried.task;
  open.delegation = Delegation::kAny;  // Null candidates may use anything.
  TRY(evaluator, factory.EvaluatorFor(open));
  say("judging kernels that must fail");
  TRY_ASSIGN(tried.findings, eval::ExamineNulls(*evaluator, open));
  say("judging the function itself");
  TRY(evaluation,
      evaluator->Evaluate(open,
                          {open.root.language, eval::SourceOf(open.root),
                           open.root.entry_symbol},
                          Tier::kFast));
  if (evaluation.verdict != Verdict::kPassed) {
    return Fail(Errc::kUsage, "judged against itself it is " +
                                  std::string(Name(evaluation.verdict)) + ": " +
                                  evaluation.log);
  }
  tried.root_s = evaluation.root_runtime_s.value_or(0.0);
  return tried;
}

Result<Exit> TellOfPython(const PythonTried& tried,
                          const engine::own::PythonDraft& draft,
                          const std::string& name, Streams& streams) {
  const Definition& definition = tried.task.definition;
  Table table({"argument", "is", "shape"});
  for (const TensorSpec& input : definition.inputs) {
    table.AddRow({input.name, "input", ShapeText(definition, input)});
  }
  for (const TensorSpec& output : definition.outputs) {
    table.AddRow({output.name, "result", ShapeText(definition, output)});
  }
  table.Print(streams);
  for (const std::string& note : draft.notes) {
    streams.out << Printable(note) << "\n";
  }
  streams.out << "the function takes " << engine::DurationText(tried.root_s)
              << "; what is right is what it returns in double precision\n";
  const eval::Fitness fitness = eval::FitnessOf(tried.findings);
  int failing = 0;
  for (const eval::Finding& finding : tried.findings) {
    failing += finding.found == Verdict::kWrongOutput ? 1 : 0;
    if (finding.Good()) continue;
    streams.out << (finding.Condemns() ? "UNFIT: " : "not known: ")
                << Printable(finding.candidate) << " is " << Name(finding.found)
                << "\n";
  }
  streams.out << failing << " candidates that do not compute it fail\n./"
              << name << " is the task: coppice run ./" << name
              << " --code-model PROVIDER:MODEL\n";
  return fitness == eval::Fitness::kUnfit ? Exit::kFailure : Exit::kDone;
}

}  // namespace

bool NamesPython(const std::string& file) {
  return file.ends_with(kPython) || file.find(".py:") != file.npos;
}

Result<Exit> NewFromPython(const Invocation& invocation, Streams& streams) {
  TRY_DONE(invocation.MustNotHave(
      {"shape", "input", "value", "size", "in-place", "expert", "link", "flags",
       "with"},
      "is of a function in C or C++; a function in Python has --inputs"));
  const PythonWord word = WordOf(invocation);
  TRY_DONE(ReadFile(word.file).map([](const auto&) {}));
  const std::string python = engine::PythonHere(invocation.settings().python);
  TRY(draft, engine::own::DraftPython(python, word.file, word.function,
                                      invocation.Text("inputs").value_or("")));
  TRY(name, NewTaskName(invocation, draft.function));
  TRY(factory, OpenFactory(invocation));
  engine::LeaveInterrupts();
  const auto listener = Listen(*factory, streams);
  TRY_DONE(engine::own::WriteFolder(name, {{name + ".py", draft.text}}));
  auto tried = TryPython(*factory, name, streams);
  if (!tried) {
    std::error_code ignored;
    fs::remove_all(name, ignored);
    return Fail(
        tried.error().code,
        word.file + ": " + engine::own::InWordsOf(draft, tried.error().what));
  }
  TRY(exit, TellOfPython(*tried, draft, name, streams));
  TRY_DONE(TellOfName(*factory, name, streams));
  return exit;
}

}  // namespace coppice::cli
