// coppice eval --profile | --sanitize: what tools see in one kernel.
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>

#include "engine/cli/evaluation_text.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/kernel_file.h"
#include "engine/documents/or_null.h"
#include "engine/documents/profile_json.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/process/interrupts.h"
#include "engine/tools/tool_runs.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "store/records/evaluation.h"
#include "store/records/profile.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Looked {
  Task task;
  Evaluation evaluation;
};

// Tools run in the full tier, and over candidates in Python when they are asked
// to: there, only for a profile are times needed.
Result<Looked> LookAt(const Invocation& invocation, std::istream& in,
                      eval::Onlookers onlookers) {
  TRY(factory, OpenFactory(invocation));
  engine::LeaveInterrupts();
  factory->evaluators().Invite(onlookers);
  TRY(task, factory->FindTask(invocation.arguments.at(0)));
  TRY_DONE(engine::MustHaveKernels(task));
  TRY(kernel, ReadKernel(invocation.arguments.at(1), task, in));
  TRY(evaluator, factory->EvaluatorFor(task));
  const Tier tier =
      engine::TierOfScrutiny(task, onlookers, invocation.Has("full"));
  TRY(evaluation, evaluator->Evaluate(task, kernel, tier));
  return Looked{std::move(task), std::move(evaluation)};
}

Exit ExitOf(const Evaluation& evaluation) {
  return evaluation.verdict == Verdict::kPassed ? Exit::kDone
                                                : Exit::kNoImprovement;
}

void PrintFailure(const Evaluation& evaluation, Streams& streams) {
  streams.out << Name(evaluation.verdict) << "\n" << LogText(evaluation.log);
}

}  // namespace

Result<Exit> ProfileKernel(const Invocation& invocation, Streams& streams) {
  TRY(looked, LookAt(invocation, streams.in, eval::Onlookers::kProfilers));
  const Evaluation& evaluation = looked.evaluation;
  if (invocation.Has("json")) {
    const auto workload = [](const WorkloadResult& result) -> Json {
      return {{"workload", result.workload},
              {"profile", ProfileJson(result.profile)}};
    };
    PrintDocument({{"verdict", Name(evaluation.verdict)},
                   {"log", evaluation.log},
                   {"profile", evaluation.profile},
                   {"workloads", ArrayOf(evaluation.workloads, workload)}},
                  streams.out);
  } else if (evaluation.verdict == Verdict::kPassed) {
    streams.out << Printable(PartsOf(evaluation.profile).limits) << "\n";
  } else {
    PrintFailure(evaluation, streams);
  }
  return ExitOf(evaluation);
}

Result<Exit> SanitizeKernel(const Invocation& invocation, Streams& streams) {
  TRY(looked, LookAt(invocation, streams.in, eval::Onlookers::kSanitizers));
  const Evaluation& evaluation = looked.evaluation;
  const bool passed = evaluation.verdict == Verdict::kPassed;
  std::string clean;
  if (passed) {
    TRY_ASSIGN(clean, engine::CleanText(looked.task, evaluation));
  }
  if (invocation.Has("json")) {
    PrintDocument(
        {{"verdict", Name(evaluation.verdict)}, {"log", evaluation.log}},
        streams.out);
  } else if (passed) {
    streams.out << Printable(clean) << "\n";
  } else {
    PrintFailure(evaluation, streams);
  }
  return ExitOf(evaluation);
}

}  // namespace coppice::cli
