// Rules that choose which of a role's models an attempt asks: pure functions of
// the tree, of what earlier attempts of that role asked, and of a random
// stream.  So they are made again by replay as the choices of policies are.
//
//   bandit        ShinkaEvolve's (model_bandit.h).  What a child gained is its
//                 speedup over the nearest ancestor that passes; one that fails
//                 or repeats an earlier node gained nothing.
//   round_robin   each in turn, in the order of the list
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/policies/model_bandit.h"
#include "store/records/model_pick.h"
#include "store/records/result.h"

namespace coppice {
class RandomStream;
}

namespace coppice::search {

class Tree;

struct ModelSelection {
  std::string model;
  std::string reason;  // In words, for the record.
};

class ModelRule {
 public:
  virtual ~ModelRule() = default;

  // Stored with every choice.  Makes the same rule again.
  virtual std::string_view Name() const = 0;

  // `earlier` is of one role.  What it says of models that are none of
  // `models`, and of nodes that are not in the tree yet, is not known here.
  // O(n log n) of them.  REQUIRES: models is not empty.
  virtual ModelSelection Select(const std::vector<std::string>& models,
                                const std::vector<AskedModel>& earlier,
                                const Tree& tree,
                                RandomStream& stream) const = 0;
};

std::unique_ptr<ModelRule> MakeModelBandit(ModelBanditOptions options = {});
std::unique_ptr<ModelRule> MakeRoundRobin();

// Makes the rule of "bandit", or of "bandit:cost_weight=0.3", as a user types
// it, or as it is stored. kUsage says what there is.
Result<std::unique_ptr<ModelRule>> MakeModelRule(std::string_view text);

}  // namespace coppice::search
