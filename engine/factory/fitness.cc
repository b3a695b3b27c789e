#include "engine/factory/fitness.h"

#include <utility>

#include "eval/admission.h"

namespace coppice::engine {
namespace {

// A process each, where a task has several.
constexpr std::size_t kJudgedWorkloads = 4;

Result<std::string> WhyUnfit(CampaignFactory& factory, Task task,
                             eval::Anew anew) {
  if (task.workloads.size() > kJudgedWorkloads) {
    task.workloads.resize(kJudgedWorkloads);
  }
  TRY(evaluator, factory.EvaluatorFor(task));
  TRY(findings, evaluator->JudgeNulls(task, anew));
  return eval::WhyUnfit(findings);
}

}  // namespace

bool IsKept(Unfit unfit, Protocol protocol) {
  return unfit == Unfit::kKeep ||
         (unfit == Unfit::kAsUsual && protocol == Protocol::kBenchmark);
}

Result<TaskFitness> FitnessOf(CampaignFactory& factory, const Task& task,
                              const std::function<Result<bool>()>& has_begun,
                              Unfit unfit) {
  if (task.root.language != Language::kPython) return TaskFitness{};
  TRY(goes_on, has_begun());
  if (goes_on) {
    auto why = WhyUnfit(factory, task, eval::Anew::kNever);
    return TaskFitness{std::move(why).value_or(""), true, true};
  }
  auto why = WhyUnfit(factory, task, eval::Anew::kNo);
  if (!why && why.error().code == Errc::kUnavailable) {
    // Whatever else is missing, its campaign will tell.
    return TaskFitness{.why_unfit = "", .unjudged = why.error().what};
  }
  if (!why) return tl::unexpected<Error>(std::move(why).error());
  const bool is_kept = why->empty() || IsKept(unfit, task.protocol);
  return TaskFitness{*std::move(why), is_kept};
}

Result<void> MustBeKept(const std::string& task, const TaskFitness& fitness) {
  if (fitness.is_kept) return {};
  return Fail(Errc::kUnfit, task + ": " + fitness.why_unfit +
                                "; take another task, or keep it by "
                                "--unfit keep");
}

}  // namespace coppice::engine
