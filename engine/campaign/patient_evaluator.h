// Judges as another evaluator does, but for a full disk: what finds no
// room is judged again until there is some, or whoever waits is to stop.
#pragma once

#include "engine/campaign/outages.h"
#include "eval/judge/evaluator.h"
#include "store/records/evaluation.h"

namespace coppice::engine {

class PatientEvaluator final : public eval::Evaluator {
 public:
  // Neither is owned.
  PatientEvaluator(eval::Evaluator& judge, Outages& outages)
      : judge_(judge), outages_(outages) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override {
    return WithRoom(&outages_,
                    [&] { return judge_.Evaluate(task, candidate, tier); });
  }
  Result<void> CheckTask(const Task& task) override {
    return judge_.CheckTask(task);
  }
  void Prepare(const Task& task, const Candidate& candidate) override {
    judge_.Prepare(task, candidate);
  }
  Result<std::optional<Environment>> Where() override { return judge_.Where(); }
  Result<std::vector<eval::Finding>> JudgeNulls(const Task& task,
                                                eval::Anew anew) override {
    return judge_.JudgeNulls(task, anew);
  }

 private:
  eval::Evaluator& judge_;
  Outages& outages_;
};

}  // namespace coppice::engine
