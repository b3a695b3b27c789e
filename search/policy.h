// A Policy picks the tree node that the next attempt will try to improve on.
//
// Policies keep no state: every statistic lives in the tree, and in the index
// that a policy may have the tree keep for it.  So a run can be
// stopped, replayed, or continued under another policy, and an equal tree with
// equal attempts in flight and an equal stream gives an equal choice.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/eligibility.h"
#include "search/selection.h"
#include "search/tree_index.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
class RandomStream;
}

namespace coppice::search {

struct Constant;
class Tree;

// What a rule gave the nodes that it compared, for who wants to know why.
struct Weighing {
  struct One {
    NodeId node{};
    double score = 0.0;
  };

  std::string measure;  // What a score is: "expected gain in log speedup".
  bool is_lowest_best = false;
  // In the order weighed.  A rule that tells nodes apart by one number compares
  // only the first of them; one that goes down a tree compares siblings.
  std::vector<One> nodes;

  void Add(NodeId node, double score) { nodes.push_back({node, score}); }
};

class Policy {
 public:
  virtual ~Policy() = default;

  // Stored with every choice.  Rename when a change would alter choices.
  virtual std::string_view Name() const = 0;

  // The rule that the tree's indexes of eligible nodes must follow.
  virtual Eligibility Rule() const { return {}; }

  // Whether it goes by Tree::AttemptsLeft, so that another budget makes another
  // campaign from the first decision on.
  virtual bool LooksAhead() const { return false; }

  // The index it wants beside the tree's own; null if it wants none.
  virtual std::unique_ptr<TreeIndex> MakeIndex() const { return nullptr; }

  // Returns the node to expand.  Policies of this program cannot fail: the root
  // may always be expanded.  Nor do they block.  Keeps no state.  REQUIRES:
  // tree has a root and was made by MakeTreeFor(*this).
  virtual Selection Select(const Tree& tree, RandomStream& stream) const = 0;

  // Selects the same, and tells by what scores.  A rule that only draws or
  // takes turns leaves `weighing` as it is.
  virtual Selection SelectAloud(const Tree& tree, RandomStream& stream,
                                Weighing& /*weighing*/) const {
    return Select(tree, stream);
  }
};

// An empty tree that keeps what the policy needs.
Tree MakeTreeFor(const Policy& policy);

// Policies by the name that users type.
std::vector<std::string_view> PolicyNames();

// What may be set of the policy of this name; empty: nothing.
std::vector<Constant> ConstantsOf(std::string_view name);

// Makes the policy of "stark", or of "stark:epsilon=0.4,n_root=8", as a user
// types it.  Its Name() has the constants that are no defaults, in one
// spelling, and makes the same policy again. "ab_mcts" is short for
// "ab_mcts_a", and "map_elites" for "map_elites_behaviour". kUsage lists what
// there is if a name or a constant is unknown.
Result<std::unique_ptr<Policy>> MakePolicy(std::string_view text);

// Makes the policy of a name that is stored.  Old files have names that rules
// had before: "ab_mcts" there is what "ab_mcts_gain" is now, and "map_elites"
// what "map_elites_depth" is.
Result<std::unique_ptr<Policy>> MakeStoredPolicy(std::string_view text);

// Makes a policy known to both of these, for as long as this process lives, by
// what a user typed and by its own name.  It is none of PolicyNames.
using PolicyFactory = std::function<Result<std::unique_ptr<Policy>>()>;
void AddPolicy(std::string_view typed, std::string_view name,
               PolicyFactory make);

// The name of the policy of a typed, or of a stored text; that text itself if
// it makes none.
std::string PolicySpelling(std::string_view text);
std::string StoredPolicySpelling(std::string_view text);

}  // namespace coppice::search
