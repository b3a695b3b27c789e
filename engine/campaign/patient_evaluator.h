// Judges as another evaluator does, but for a full disk: what finds no
// room is judged again until there is some, or whoever waits is to stop.
#pragma once

#include "eval/judge/evaluator.h"

namespace coppice::engine {

class Outages;

class PatientEvaluator final : public eval::Evaluator {
 public:
  // Neither is owned.
  PatientEvaluator(eval::Evaluator& judge, Outages& outages)
      : judge_(judge), outages_(outages) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;
  Result<void> CheckTask(const Task& task) override;
  void Prepare(const Task& task, const Candidate& candidate) override;
  Result<std::optional<Environment>> Where() override;
  Result<std::vector<eval::Finding>> JudgeNulls(const Task& task,
                                                eval::Anew anew) override;

 private:
  eval::Evaluator& judge_;
  Outages& outages_;
};

}  // namespace coppice::engine
