// The canonical epsilon-greedy rule: with probability epsilon a uniform choice
// among all nodes that hold a candidate, else the fastest passing one
// (Sutton, Barto 2018, section 2.2; what STARK, section 4.2, adapts).
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

struct EpsilonGreedyOptions {
  double epsilon = 0.3;  // STARK's, so that only the rules differ.
};

inline constexpr ConstantOf<EpsilonGreedyOptions> kEpsilonGreedyConstants[] = {
    {"epsilon", &EpsilonGreedyOptions::epsilon, 0, 1},
};

// Where nothing passes it does as search/policies/exploit.h says.
std::unique_ptr<Policy> MakeEpsilonGreedy(EpsilonGreedyOptions options = {});

}  // namespace coppice::search
