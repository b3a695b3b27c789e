// coppice profile TASK FILE and coppice sanitize TASK FILE: what an agent, or
// an engineer, asks of one kernel beside its verdict.
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/cli/campaigning.h"
#include "engine/cli/document.h"
#include "engine/cli/kernel_file.h"
#include "engine/cli/profile_json.h"
#include "engine/cli/table.h"
#include "engine/cli/verbs.h"
#include "engine/interrupts.h"
#include "eval/evaluator.h"

namespace coppice::cli {
namespace {

struct Looked {
  Task task;
  Evaluation evaluation;
};

// Tools run in the full tier, and over candidates in Python when they are asked
// to: there, only for a profile are times needed.
Result<Looked> LookAt(const Invocation& invocation, std::istream& in,
                      eval::Onlookers onlookers) {
  TRY(workshop, OpenWorkshop(invocation));
  engine::LeaveInterrupts();
  workshop->Invite(onlookers);
  TRY(task, workshop->FindTask(invocation.arguments.at(0)));
  const bool is_python = task.root.language == Language::kPython;
  if ((task.format != TaskFormat::kNative && !is_python) ||
      task.root.language == Language::kSim) {
    return Fail(Errc::kUsage, task.definition.name +
                                  ": a landscape has no kernels that tools "
                                  "could look at");
  }
  TRY(kernel, ReadKernel(invocation.arguments.at(1), task, in));
  TRY(evaluator, workshop->EvaluatorFor(task));
  const Tier tier = is_python && onlookers == eval::Onlookers::kSanitizers
                        ? Tier::kFast
                        : Tier::kFull;
  TRY(evaluation, evaluator->Evaluate(task, kernel, tier));
  return Looked{std::move(task), std::move(evaluation)};
}

Exit ExitOf(const Evaluation& evaluation) {
  return evaluation.verdict == Verdict::kPassed ? Exit::kDone
                                                : Exit::kNoImprovement;
}

void PrintJson(const nlohmann::ordered_json& document, Streams& streams) {
  PrintDocument(document, streams.out);
}

void PrintFailure(const Evaluation& evaluation, Streams& streams) {
  streams.out << Name(evaluation.verdict) << "\n" << Printable(evaluation.log);
  if (!evaluation.log.ends_with('\n')) streams.out << "\n";
}

Result<Exit> RunProfile(const Invocation& invocation, Streams& streams) {
  TRY(looked, LookAt(invocation, streams.in, eval::Onlookers::kProfilers));
  const Evaluation& evaluation = looked.evaluation;
  if (invocation.Has("json")) {
    auto workloads = nlohmann::ordered_json::array();
    for (const WorkloadResult& result : evaluation.workloads) {
      workloads.push_back({{"workload", result.workload},
                           {"profile", ProfileJson(result.profile)}});
    }
    PrintJson({{"verdict", Name(evaluation.verdict)},
               {"log", evaluation.log},
               {"profile", evaluation.profile},
               {"workloads", workloads}},
              streams);
  } else if (evaluation.verdict == Verdict::kPassed) {
    streams.out << Printable(evaluation.profile) << "\n";
  } else {
    PrintFailure(evaluation, streams);
  }
  return ExitOf(evaluation);
}

// The line of a log that begins so; empty if there is none.
std::string LineOf(const std::string& log, std::string_view begin) {
  const std::size_t at = log.find(begin);
  if (at == std::string::npos) return "";
  return log.substr(at, log.find('\n', at) - at);
}

std::string Clean(const Looked& looked) {
  switch (looked.task.root.language) {
    case Language::kCuda:
      return "clean: memcheck, racecheck, initcheck and synccheck found "
             "nothing";
    case Language::kPython:
      return LineOf(looked.evaluation.log, eval::kSanitized);
    default:
      return "clean: the address and undefined-behaviour sanitizers found "
             "nothing";
  }
}

Result<Exit> RunSanitize(const Invocation& invocation, Streams& streams) {
  TRY(looked, LookAt(invocation, streams.in, eval::Onlookers::kSanitizers));
  const Evaluation& evaluation = looked.evaluation;
  const bool passed = evaluation.verdict == Verdict::kPassed;
  const std::string why = LineOf(evaluation.log, eval::kNotSanitized);
  if (passed && !why.empty()) return Fail(Errc::kUnavailable, why);
  if (invocation.Has("json")) {
    PrintJson({{"verdict", Name(evaluation.verdict)}, {"log", evaluation.log}},
              streams);
  } else if (passed) {
    streams.out << Printable(Clean(looked)) << "\n";
  } else {
    PrintFailure(evaluation, streams);
  }
  return ExitOf(evaluation);
}

const std::vector<std::string_view> kSettings = {
    "threads",        "compile_timeout_s", "call_timeout_s",
    "data_directory", "cache_directory",   "cache_limit_mb",
    "python",         "torch_device",      "delegation"};

}  // namespace

Verb ProfileVerb() {
  return {
      .name = "profile",
      .summary = "what a kernel asks of the machine; exit code 3 if it fails",
      .arguments = "TASK FILE",
      .examples =
          "  coppice profile gemm_square kernel.cc\n"
          "  coppice profile cuda_gemm_square kernel.cu --json\n"
          "  coppice profile kernelbench:level1/19_ReLU.py model_new.py\n",
      .options = {{"json", Takes::kNothing, "", "as JSON, by workload"}},
      .settings = kSettings,
      .run = RunProfile,
  };
}

Verb SanitizeVerb() {
  return {
      .name = "sanitize",
      .summary = "what sanitizers find in a kernel; exit code 3 if anything",
      .arguments = "TASK FILE",
      .examples =
          "  coppice sanitize gemm_square kernel.cc\n"
          "  coppice sanitize cuda_gemm_square kernel.cu\n"
          "  coppice sanitize kernelbench:level1/19_ReLU.py model_new.py\n",
      .options = {{"json", Takes::kNothing, "", "as JSON"}},
      .settings = kSettings,
      .run = RunSanitize,
  };
}

}  // namespace coppice::cli
