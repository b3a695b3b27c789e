// A Policy picks the tree node that the next attempt will try to improve on.
//
// Policies keep no state: every statistic lives in the tree, and in the index
// that a policy may have the tree keep for it.  So a run can be
// stopped, replayed, or continued under another policy, and an equal tree with
// equal attempts in flight and an equal stream gives an equal choice.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/constants.h"
#include "search/tree.h"
#include "search/tree_index.h"
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

  // The index it wants beside the tree's own; null if it wants none.
  virtual std::unique_ptr<TreeIndex> MakeIndex() const { return nullptr; }

  // Returns the node to expand.  Cannot fail: the root may always be expanded.
  // Does not block, keeps no state.  REQUIRES: tree has a root and was made by
  // MakeTreeFor(*this).
  virtual Selection Select(const Tree& tree, RandomStream& stream) const = 0;
};

// An empty tree that keeps what the policy needs.
Tree MakeTreeFor(const Policy& policy);

// A policy whose index is of the type Kept, which MakeIndex makes.
template <class Kept>
class IndexedPolicy : public Policy {
 public:
  std::unique_ptr<TreeIndex> MakeIndex() const override = 0;

  Selection Select(const Tree& tree, RandomStream& stream) const final {
    return Select(tree, static_cast<const Kept&>(*tree.index()), stream);
  }

 private:
  virtual Selection Select(const Tree& tree, const Kept& index,
                           RandomStream& stream) const = 0;
};

// Policies by the name that users type.
std::vector<std::string_view> PolicyNames();

// What may be set of the policy of this name; empty: nothing.
std::vector<Constant> ConstantsOf(std::string_view name);

// Of "stark", or of "stark:epsilon=0.4,n_root=8".  Its Name() has the constants
// that are no defaults, in one spelling, and makes the same policy again.
// kUsage lists what there is if a name or a constant is unknown.
Result<std::unique_ptr<Policy>> MakePolicy(std::string_view text);

// That name; `text` itself if it makes no policy.
std::string PolicySpelling(std::string_view text);

}  // namespace coppice::search
