// A whole campaign in memory: a real policy on a real tree, over a simulated
// task, without a store.  It makes the tree that `coppice run` makes on the
// same landscape with the same seed and one attempt at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/landscapes/budget_unit.h"
#include "search/landscapes/simulation.h"
#include "search/landscapes/task_law.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/records/ids.h"

namespace coppice::search {

// How many calls an attempt on a node of that verdict takes: a team plans and
// codes on what passes, and debugs what failed; who is alone is asked once.
std::int64_t CallsOf(Workforce workforce, Verdict parent);

struct InMemoryOptions {
  Workforce workforce = Workforce::kTeam;
  std::int64_t budget = 30;
  // In ascending order, none above `budget`.
  std::span<const std::int64_t> checkpoints = {};
  // How many relatives of a node a team may be shown.
  std::int64_t window = kPaperWindow;
  // How often a checkpoint's incumbent is measured once more, without noise;
  // one that is refuted so makes way for the next
  // (engine/compare/confirm_winner.h).
  int most_proofs = 0;
  // An attempt that was begun within a budget of seconds counts as a whole, as
  // in a file (engine/compare/score.h).  One that would take a call too many
  // does not, as with a cap of dollars.
  BudgetUnit unit = BudgetUnit::kAttempts;
};

// The node with the best measurement so far: of log speedup over the root.
struct Incumbent {
  double measured = 0.0;
  double actual = 0.0;  // Without noise: measured again, and again.
};

// Attempts, those that compiled, and of these those that passed.
struct AttemptCounts {
  std::int64_t attempts = 0;
  std::int64_t compiled = 0;
  std::int64_t correct = 0;
};

struct InMemoryOutcome {
  // By checkpoint; none: no attempt had passed.
  std::vector<std::optional<Incumbent>> incumbents;
  // By checkpoint: what the incumbent is really worth, once those that a
  // measurement without noise refuted have made way; never below the root's.
  std::vector<double> proven;
  std::vector<AttemptCounts> counts;  // By checkpoint.
  std::int64_t compiled = 0;
  std::int64_t correct = 0;
  std::optional<std::int64_t> first_correct;  // Attempts it took, from 1.

  // At the last attempt: as fast as the root, as measured.
  bool fast_1 = false;

  // The policy failed (policy.h); then there is nothing else.
  std::optional<Error> failure{};
};

// One campaign.
class InMemoryCampaign {
 public:
  // `policy` outlives it.
  InMemoryCampaign(const Policy& policy, Simulation task, double root_runtime_s,
                   std::uint64_t seed, Workforce workforce,
                   std::int64_t window = kPaperWindow);

  // Room for so many attempts, so that only the tree allocates for each.
  void Reserve(std::int64_t attempts);

  // Selects, attempts and commits once.  Returns the new node.  `attempts_left`
  // of the budget, this one among them; none: nobody said.  If the policy
  // fails, `failure` says so, and nothing has come.
  NodeId Step(std::optional<std::int64_t> attempts_left = std::nullopt);

  const std::optional<Error>& failure() const { return failure_; }
  const Tree& tree() const { return tree_; }
  const Point& PointOf(NodeId node) const;

 private:
  struct Counts {
    std::int64_t passing_children = 0;
    std::int64_t passing_grandchildren = 0;
  };
  Relatives RelativesOf(NodeId node) const;
  void Commit(const Point& point, std::optional<NodeId> parent);

  const Policy& policy_;
  const Simulation task_;
  const double root_runtime_s_;
  const std::uint64_t seed_;
  const Workforce workforce_;
  const std::int64_t window_;
  Tree tree_;
  std::optional<Error> failure_;
  std::vector<Point> points_;  // By node, as
  std::vector<Counts> counts_;
};

InMemoryOutcome RunInMemory(const Policy& policy, const TaskLaw& law,
                            std::uint64_t seed, const InMemoryOptions& options);

}  // namespace coppice::search
