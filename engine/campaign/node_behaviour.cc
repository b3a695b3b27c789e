#include "engine/campaign/node_behaviour.h"

#include "search/landscapes/point_text.h"
#include "store/records/node.h"

namespace coppice::engine {

Behaviour BehaviourOf(const NodeRecord& node) {
  Behaviour behaviour{LimitOf(node.evaluation), TechniqueFamily::kOther};
  if (node.plan) behaviour.family = FamilyOf(node.plan->technique);
  if (!node.candidate || node.candidate->language != Language::kSim) {
    return behaviour;
  }
  const auto point = search::ParsePoint(node.candidate->source);
  if (point) behaviour.family = FamilyOfPart(point->point.part);
  return behaviour;
}

}  // namespace coppice::engine
