#include "engine/campaign/model_picks.h"

#include "config/model_list.h"
#include "search/policies/model_rule.h"
#include "search/tree.h"
#include "store/records/attempt.h"
#include "store/records/directive.h"
#include "store/records/random.h"

namespace coppice::engine {
namespace {

constexpr std::uint64_t kRoles = 3;

// Those of the role that were chosen before.
std::vector<AskedModel> Earlier(Role role, const PickScene& decision_state) {
  std::vector<AskedModel> earlier;
  for (const AskedModel& each : decision_state.asked) {
    if (each.decision >= decision_state.decision) break;
    if (each.role == role) earlier.push_back(each);
  }
  return earlier;
}

}  // namespace

ModelPick PickModel(const search::ModelRule& rule, Role role,
                    const std::vector<std::string>& names,
                    const std::string& models,
                    const PickScene& decision_state) {
  const std::uint64_t index =
      kRoles * static_cast<std::uint64_t>(decision_state.decision) +
      static_cast<std::uint64_t>(role);
  RandomStream stream(decision_state.seed, Purpose::kModel, index);
  search::ModelSelection selection = rule.Select(
      names, Earlier(role, decision_state), decision_state.tree, stream);
  return {role, std::move(selection.model), models, std::string(rule.Name()),
          std::move(selection.reason)};
}

ModelPick NamedPick(Role role, const Directive& by) {
  return {role, by.text, by.text, kHumanPolicy,
          "directive " + std::to_string(Index(by.id)) + " of " + by.author};
}

bool IsNamed(const ModelPick& pick) { return pick.rule == kHumanPolicy; }

Result<ModelPick> PickAgain(const ModelPick& recorded,
                            const PickScene& decision_state) {
  const auto rule = search::MakeModelRule(recorded.rule);
  const auto models = config::ParseModelList(recorded.models);
  if (!rule || !models) {
    const Error& error = rule ? models.error() : rule.error();
    return Fail(Errc::kCorrupt,
                "decision " + std::to_string(decision_state.decision) +
                    " chose a model by what is none: " + error.what);
  }
  std::vector<std::string> names;
  for (const config::ModelChoice& model : *models) {
    names.push_back(config::NameOf(model));
  }
  return PickModel(**rule, recorded.role, names, recorded.models,
                   decision_state);
}

}  // namespace coppice::engine
