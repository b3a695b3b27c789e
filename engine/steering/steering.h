// What people's directives come to at a decision: pure, so that the engine and
// `coppice replay` make the same of them.
//
// What is frozen cannot be selected, and freezing beats boosting.  If two speak
// of the same node, or of one above it, the later holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/selection.h"
#include "store/records/ids.h"

namespace coppice {
struct Directive;
enum class DirectiveKind : std::uint8_t;
struct NodeSummary;
class RandomStream;
enum class Role : std::uint8_t;
struct TakenUp;
}  // namespace coppice
namespace coppice::agents {
struct Wish;
}
namespace coppice::search {
class Policy;
class Tree;
}  // namespace coppice::search

namespace coppice::engine {

// A node, from which on down nothing is to be selected, or is again.
struct FreezeMark {
  NodeId node{};
  bool freezes = true;
  bool operator==(const FreezeMark&) const = default;
};

// In the order in which they came to hold.
std::vector<FreezeMark> FreezeMarks(
    const std::vector<const Directive*>& in_force);

// Tells nodes whether they are frozen, as they come to a tree.
class Frost {
 public:
  Frost() = default;
  explicit Frost(std::vector<FreezeMark> marks);

  const std::vector<FreezeMark>& marks() const { return marks_; }

  // Sets is_frozen.  REQUIRES: nodes come in the order of their ids.
  void Touch(NodeSummary& node);

 private:
  std::vector<FreezeMark> marks_;
  std::map<NodeId, int> last_;     // The last mark of a node.
  std::vector<int> decided_by_{};  // By node: a mark; -1: none.
};

// Whether a node of the tree is frozen by such marks.  O(depth).
bool IsFrozen(const search::Tree& tree, const std::vector<FreezeMark>& marks,
              NodeId node);

// What a campaign has used of its limits.
struct Used {
  std::int64_t attempts = 0;  // Reserved.
  double seconds = 0.0;
  double usd = 0.0;         // Of its requests, those in flight at their most.
  std::int64_t tokens = 0;  // Those in flight at their most, too.
};

// Whether the kind can be taken up without a reservation: pauses, approvals and
// limits.
bool ConcernsNoDecision(DirectiveKind kind);
// Whether the kind is taken up with an attempt.  What is to be judged again is
// neither: it is taken up with its evaluation.
bool ConcernsDecision(DirectiveKind kind);

// Takes up those pending ones of `wanted` kinds whose decision has come: from
// then on they are applied or refused in `directives`.  One whose node has not
// come to the tree yet waits.  One that lifts another is of that one's kind.
// `cannot` says what else speaks against one; empty: nothing.
std::vector<TakenUp> TakeUpPending(
    std::vector<Directive>& directives, std::int64_t decision,
    const search::Tree& tree, const Used& used,
    const std::function<bool(DirectiveKind)>& wanted,
    const std::function<std::string(const Directive&)>& cannot = {});

// A node that somebody wants judged again.
struct JudgeRequest {
  DirectiveId directive{};
  NodeId node{};
  std::string refusal;  // Why it cannot be; empty: it can.
};
// The first whose decision has come, but for those that are `begun`.
std::optional<JudgeRequest> NextJudgement(
    const std::vector<Directive>& directives, std::int64_t decision,
    const search::Tree& tree, const std::set<DirectiveId>& begun);

// Those that were taken up though they say what cannot be, which another
// program may have made; they are passed over.
std::vector<const Directive*> Unusable(
    const std::vector<const Directive*>& in_force);

// The pause that holds; null: none does.
const Directive* FindPause(const std::vector<const Directive*>& in_force);

// The one by which `decision` has to wait for somebody's approval; null: it
// need not, or has it.
const Directive* FindGate(const std::vector<const Directive*>& in_force,
                          std::int64_t decision, double used_usd);

// The policy that decides by people's wish; null: the campaign's own.
const Directive* FindPolicy(const std::vector<const Directive*>& in_force);

// The model that agents of the role ask by it; null: those of the settings.
const Directive* FindModel(const std::vector<const Directive*>& in_force,
                           Role role);

// The temperature of a role's calls; none: as the settings have it.
std::optional<double> FindTemperature(
    const std::vector<const Directive*>& in_force, Role role);

// A node to be expanded, and who chose it.
struct Choice {
  search::Selection selection;
  const Directive* by = nullptr;  // Null: the policy.
};

// A selection may have failed (search/policy.h), and is to be looked at first.
// A person's choice goes first, and draws no random number.  Should a policy
// fall back to a node that is frozen, the nearest above it that is not stands
// in for it.
std::optional<Choice> ForcedChoice(
    const std::vector<const Directive*>& in_force, const search::Tree& tree);
Choice MakeChoice(const search::Policy& policy, const search::Tree& tree,
                  const std::vector<const Directive*>& in_force,
                  RandomStream& stream);

// What agents are told of people's wishes, on an attempt of that parent: those
// for the campaign, and for what the parent lies in.
std::vector<agents::Wish> WishesFor(
    const std::vector<const Directive*>& in_force, Role role, NodeId parent,
    const std::function<bool(NodeId node, NodeId top)>& is_within);

// The wishes that an attempt's candidate is checked by.
std::vector<const Directive*> RulesFor(
    const std::vector<const Directive*>& in_force, NodeId parent,
    const std::function<bool(NodeId node, NodeId top)>& is_within);

}  // namespace coppice::engine
