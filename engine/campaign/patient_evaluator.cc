#include "engine/campaign/patient_evaluator.h"

#include "engine/campaign/outages.h"
#include "store/records/environment.h"
#include "store/records/evaluation.h"

namespace coppice::engine {

Result<Evaluation> PatientEvaluator::Evaluate(const Task& task,
                                              const Candidate& candidate,
                                              Tier tier) {
  return WithRoom(&outages_,
                  [&] { return judge_.Evaluate(task, candidate, tier); });
}

Result<void> PatientEvaluator::CheckTask(const Task& task) {
  return judge_.CheckTask(task);
}

void PatientEvaluator::Prepare(const Task& task, const Candidate& candidate) {
  judge_.Prepare(task, candidate);
}

Result<std::optional<Environment>> PatientEvaluator::Where() {
  return judge_.Where();
}

Result<std::vector<eval::Finding>> PatientEvaluator::JudgeNulls(
    const Task& task, eval::Anew anew) {
  return judge_.JudgeNulls(task, anew);
}

}  // namespace coppice::engine
