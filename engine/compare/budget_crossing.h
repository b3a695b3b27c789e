// What a comparison's contenders are crossed of: stark and greedy, each as a
// team and alone, each with a memory and without.
#pragma once

#include <string>
#include <vector>

#include "engine/lab/factorial.h"
#include "store/records/result.h"

namespace coppice::engine {

// A factor is the policy, the agents, a setting in which contenders differ
// ("window_history"), or a constant that all of the policies have ("cross" of
// shinka and evolutionary), if there are two levels of it.  kUsage: levels are
// not all crossed with each other, or there is no factor.
// REQUIRES: contenders in their one spelling (engine/compare/contender.h), each
// once.
Result<lab::Design> DesignOf(const std::vector<std::string>& contenders);

// Search without a search, which whoever searches has to beat at equal money.
struct SamplingBaseline {
  std::string name;    // "independent sampling": from the root, always.
  std::string preset;  // "sampling".
  std::string policy;  // The contender that the preset is.
};

// The presets `sampling` and `reflexion`.  On landscapes whoever is alone has
// no setting that makes a difference, and their contenders have none.
std::vector<SamplingBaseline> Samplings(bool in_memory);

}  // namespace coppice::engine
