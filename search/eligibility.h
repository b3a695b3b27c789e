// The rule by which a policy forbids nodes.
#pragma once

#include <limits>

namespace coppice::search {

// Which nodes a policy may select at all.  The throttle counts attempts in
// flight, so that parallel workers cannot pass it; pruning does not, since an
// attempt in flight may yet be the child that passes.
struct Eligibility {
  static constexpr int kNoLimit = std::numeric_limits<int>::max();
  // Root throttling: the root is ineligible once it has this many children.
  int max_root_children = kNoLimit;
  // Dead-branch pruning: a node (the root too) with more than this many
  // committed children, all failing, is ineligible.
  int max_failing_children = kNoLimit;
};

}  // namespace coppice::search
