#include "engine/campaign/expert_baseline.h"

#include <utility>

#include "engine/process/clock.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/same_task.h"
#include "store/database.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "store/write/baselines.h"

namespace coppice::engine {

// Its dependencies are our own ABI and libraries; of others' formats it is a
// document, which says them itself.
std::optional<Candidate> ExpertOf(const Task& task) {
  if (!task.expert) return std::nullopt;
  const Solution& expert = *task.expert;
  if (task.format == TaskFormat::kFlashInferBench) {
    return Candidate{expert.language, eval::SerialiseSolution(expert),
                     expert.entry_symbol};
  }
  Candidate candidate{expert.language, eval::SourceOf(expert),
                      expert.entry_symbol};
  for (const std::string& dependency : expert.dependencies) {
    if (!dependency.starts_with("coppice-")) {
      candidate.libraries.push_back(dependency);
    }
  }
  return candidate;
}

Task Trusting(Task task) {
  task.delegation = Delegation::kAny;
  return task;
}

Result<std::optional<Evaluation>> JudgeExpert(eval::Evaluator& evaluator,
                                              const Task& task,
                                              store::Database& database,
                                              CampaignId campaign,
                                              const Clock& clock) {
  const std::optional<Candidate> expert = ExpertOf(task);
  if (!expert) return std::optional<Evaluation>();
  TRY(known, store::ReadBaselineEvaluation(database, campaign,
                                           store::kExpertBaseline));
  if (known && known->verdict == Verdict::kPassed) return known;
  TRY(evaluation, evaluator.Evaluate(Trusting(task), *expert, Tier::kFull));
  TRY_DONE(store::AddBaselineEvaluation(database, campaign,
                                        store::kExpertBaseline, evaluation,
                                        clock.UnixSeconds()));
  return std::optional(std::move(evaluation));
}

}  // namespace coppice::engine
