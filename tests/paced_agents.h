// For benchmarks: a model and an evaluator that take the time they are told to,
// and none otherwise, on tests/planted_campaign.h's task.
#pragma once

#include <memory>
#include <optional>

#include "eval/judge/evaluator.h"

namespace coppice::agents {
class Model;
}

namespace coppice {

// Changes the first line.  A plan and the code for it take `latency_s`
// together, as a repair does alone.
std::unique_ptr<agents::Model> MakePacedModel(double latency_s);

class PacedEvaluator final : public eval::Evaluator {
 public:
  explicit PacedEvaluator(double time_s) : time_s_(time_s) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;

  // Share of the time from its first evaluation to the end of its last.
  double Busy() const { return busy_s_ / (last_s_ - *first_s_); }

 private:
  const double time_s_;
  std::optional<double> first_s_;
  double last_s_ = 0.0;
  double busy_s_ = 0.0;
};

}  // namespace coppice
