// A Policy picks the tree node that the next attempt will try to improve on.
//
// Policies keep no state: every statistic lives in the tree.  So a run can be
// stopped, replayed, or continued under another policy, and an equal tree with
// equal attempts in flight and an equal stream gives an equal choice.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/tree.h"
#include "store/records/random.h"
#include "store/records/result.h"

namespace coppice::search {

struct Selection {
  NodeId node{};
  std::string reason;  // In words, for the record: "exploit: best eligible".
};

class Policy {
 public:
  virtual ~Policy() = default;

  // Stored with every choice.  Rename when a change would alter choices.
  virtual std::string_view Name() const = 0;

  // The rule that the tree's indexes of eligible nodes must follow.
  virtual Eligibility Rule() const { return {}; }

  // Returns the node to expand.  Cannot fail: the root may always be expanded.
  // Does not block, keeps no state.  REQUIRES: tree has a root and was built
  // with Rule().
  virtual Selection Select(const Tree& tree, RandomStream& stream) const = 0;
};

// Policies by the name that users type, with their defaults.
std::vector<std::string_view> PolicyNames();
Result<std::unique_ptr<Policy>> MakePolicy(std::string_view name);

}  // namespace coppice::search
