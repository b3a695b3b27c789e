#include "agents/answer.h"

#include <utility>

#include "agents/grounded.h"

namespace coppice::agents {

Result<Product> ReadAnswer(const Situation& situation,
                           std::string_view answer) {
  if (situation.role == Role::kPlan) {
    TRY(plan, ParsePlanAnswer(answer, situation.selected.source));
    return Product(std::move(plan));
  }
  TRY(source, ParseCodeAnswer(answer));
  CodedCandidate coded;
  if (situation.plan) {
    coded.footprint = MeasureEdits(situation.plan->annotated_source, source);
  }
  const Solution& root = situation.task->root;
  coded.candidate = {root.language, std::move(source), root.entry_symbol};
  return Product(std::move(coded));
}

}  // namespace coppice::agents
