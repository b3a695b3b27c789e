#include "eval/admission.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "eval/formats/shapes.h"
#include "eval/judge/same_task.h"
#include "eval/null_candidates.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/formatted.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

// Returns the elements of the largest output; none if the sizes cannot be
// known.
std::optional<std::size_t> LargestOutput(const Task& task,
                                         const std::string& workload) {
  const auto found =
      std::ranges::find(task.workloads, workload, &Workload::uuid);
  if (found == task.workloads.end()) return std::nullopt;
  const auto shapes = Resolve(task.definition, *found);
  if (!shapes) return std::nullopt;
  std::size_t elements = 0;
  for (const TensorShape& output : shapes->outputs) {
    elements = std::max(elements, output.elements);
  }
  return elements;
}

// Where a null candidate is right by construction, that is no fault of the
// task's.
void Excuse(const Task& task, const NullCandidate& null,
            std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (finding.found != Verdict::kPassed || finding.Good()) continue;
    const auto elements = LargestOutput(task, finding.workload);
    if (!elements || *elements >= null.least_elements) continue;
    finding.expected = Verdict::kPassed;
    finding.log = "right by construction, since each output is one number";
  }
}

// The findings of one evaluation, on every workload.
void Enter(const std::string& name, Verdict expected,
           const Evaluation& evaluation, std::vector<Finding>& findings) {
  const auto enter = [&](const std::string& workload, Verdict found,
                         double ratio) {
    Finding finding{name, workload, expected, found, ratio, ""};
    if (!finding.Good()) finding.log = evaluation.log;
    findings.push_back(std::move(finding));
  };
  if (evaluation.workloads.empty()) enter("", evaluation.verdict, 0.0);
  for (const WorkloadResult& result : evaluation.workloads) {
    enter(result.workload, result.verdict, result.worst_error_ratio);
  }
}

// The task as null candidates are judged on it: as often as it takes for a
// verdict on each workload.  All evaluators but that of C++ stop at the first
// that a candidate fails on.
std::vector<Task> Portions(const Task& task) {
  if (task.root.language == Language::kCpp) return {task};
  std::vector<Task> portions;
  for (const Workload& workload : task.workloads) {
    portions.push_back(task);
    portions.back().workloads = {workload};
  }
  return portions;
}

// Each candidate evaluated on each workload.
Result<std::vector<Finding>> EvaluateNulls(Evaluator& evaluator,
                                           const Task& task) {
  TRY(nulls, NullCandidates(task));
  // Findings by candidate: an evaluator would rather not change the task with
  // each.
  std::vector<std::vector<Finding>> found(nulls.size());
  for (const Task& portion : Portions(task)) {
    for (std::size_t i = 0; i < nulls.size(); ++i) {
      TRY(evaluation, evaluator.Evaluate(
                          portion, {task.root.language, nulls[i].source, "run"},
                          Tier::kFast));
      Enter(nulls[i].name, nulls[i].expected, evaluation, found[i]);
    }
  }
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < nulls.size(); ++i) {
    Excuse(task, nulls[i], found[i]);
    std::ranges::move(found[i], std::back_inserter(findings));
  }
  return findings;
}

// What a kernel that ignores its inputs can return.
constexpr std::string_view kPreviousOutput = "the previous output";

// Returns the candidates that ended as `found` instead of as `expected` on all
// workloads.
std::vector<std::string> AlwaysFound(Verdict found, Verdict expected,
                                     const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& first : findings) {
    const bool always = std::ranges::all_of(findings, [&](const Finding& one) {
      return one.candidate != first.candidate ||
             (one.found == found && one.expected == expected);
    });
    if (always && std::ranges::find(names, first.candidate) == names.end()) {
      names.push_back(first.candidate);
    }
  }
  return names;
}

// "zeros, ones".
std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// " by 4.2 times the allowed error, on inputs as drawn: element 5: ...": the
// worst that is known of a candidate.
std::string ByHowMuch(const std::string& candidate,
                      const std::vector<Finding>& findings) {
  const Finding* worst = nullptr;
  for (const Finding& finding : findings) {
    if (finding.candidate != candidate) continue;
    if (worst == nullptr ||
        finding.worst_error_ratio > worst->worst_error_ratio) {
      worst = &finding;
    }
  }
  std::string text;
  if (worst != nullptr && worst->worst_error_ratio > 1.0) {
    const std::string times =
        Formatted(" by %.2g times the allowed error", worst->worst_error_ratio);
    text = times;
  }
  if (worst != nullptr && !worst->log.empty()) text += ", " + worst->log;
  return text;
}

}  // namespace

std::string WhyUnfit(const std::vector<Finding>& findings) {
  const auto passing =
      AlwaysFound(Verdict::kPassed, Verdict::kWrongOutput, findings);
  const auto failing =
      AlwaysFound(Verdict::kWrongOutput, Verdict::kPassed, findings);
  std::string why;
  if (!passing.empty()) why = "these pass: " + Listed(passing);
  if (std::ranges::find(passing, kPreviousOutput) != passing.end()) {
    why += " (its outputs hardly depend on its inputs)";
  }
  if (!failing.empty()) {
    why += (why.empty() ? "" : "; and ") + ("it fails " + Listed(failing)) +
           ByHowMuch(failing.front(), findings);
  }
  return why.empty() ? "" : "measures nothing, since " + why;
}

Fitness FitnessOf(const std::vector<Finding>& findings) {
  if (std::ranges::any_of(findings, &Finding::Condemns)) return Fitness::kUnfit;
  return std::ranges::all_of(findings, &Finding::Good) ? Fitness::kFit
                                                       : Fitness::kUnknown;
}

Result<std::vector<Finding>> ExamineNulls(Evaluator& evaluator,
                                          const Task& task) {
  TRY(findings, evaluator.JudgeNulls(task, Anew::kYes));
  if (!findings.empty()) return findings;
  return EvaluateNulls(evaluator, task);
}

Result<std::vector<Finding>> ExamineTask(Evaluator& evaluator,
                                         const Task& task) {
  TRY(findings, ExamineNulls(evaluator, task));
  const Candidate root{task.root.language, SourceOf(task.root),
                       task.root.entry_symbol};
  TRY(evaluation, evaluator.Evaluate(task, root, Tier::kFull));
  Enter("root", Verdict::kPassed, evaluation, findings);
  return findings;
}

}  // namespace coppice::eval
