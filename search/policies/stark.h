// STARK's adapted epsilon-greedy rule (section 4.2; constants of appendix B):
//
//   root throttling      the root is ineligible at n_root children
//   dead-branch pruning  a node with more than n_child children that all fail
//                        is ineligible
//   exploration          with probability epsilon, uniform over the eligible
//                        leaves, passing and failing alike
//   exploitation         otherwise, the eligible node with the lowest runtime
//
// A failing node that is selected is debugged.  Decided where the paper is
// silent: if the exploring draw finds no eligible leaf, exploit; if no eligible
// node passes, uniform over the eligible failing ones; if none is eligible at
// all, the root.  Attempts in flight count as children in the throttle, and
// their parent is no leaf; pruning counts committed children only.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

struct StarkOptions {
  double epsilon = 0.3;  // The paper finds 0.3 to 0.4 best.
  int n_root = 5;
  int n_child = 3;
};

inline constexpr ConstantOf<StarkOptions> kStarkConstants[] = {
    {"epsilon", &StarkOptions::epsilon, 0, 1},
    {"n_root", &StarkOptions::n_root, 1, kMany},
    {"n_child", &StarkOptions::n_child, 0, kMany},
};

std::unique_ptr<Policy> MakeStark(StarkOptions options = {});

}  // namespace coppice::search
