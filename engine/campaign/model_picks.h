// The models that an attempt asks, where its roles have several: chosen in the
// decision that chooses its parent, and made again from what is stored of it.
#pragma once

#include <cstdint>
#include <vector>

#include "store/records/model_call.h"
#include "store/records/model_pick.h"
#include "store/records/result.h"

namespace coppice {
struct Directive;
}
namespace coppice::search {
class ModelRule;
class Tree;
}  // namespace coppice::search

namespace coppice::engine {

// What a choice rests on, beside its rule and models.
struct PickScene {
  const search::Tree& tree;  // As the policy sees it.
  const std::vector<AskedModel>&
      asked;               // By decision; later ones do not count.
  std::uint64_t seed = 0;  // Of the campaign.
  std::int64_t decision = 0;
};

ModelPick PickModel(const search::ModelRule& rule, Role role,
                    const std::vector<std::string>& names,
                    const std::string& models, const PickScene& decision_state);

// The pick of a model that a person named, by that directive.
ModelPick NamedPick(Role role, const Directive& by);
bool IsNamed(const ModelPick& pick);

// By the rule, for the role and of the models that are recorded.  kCorrupt if
// there are no such.
Result<ModelPick> PickAgain(const ModelPick& recorded,
                            const PickScene& decision_state);

}  // namespace coppice::engine
