// Everything an agent is told: the task, the node it works on, and its window
// of history with what was observed.  The engine fills it from the store; the
// prompt is rendered from it, and the embedded catalogue reads it directly.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/prompt/request_options.h"
#include "store/records/hint.h"
#include "store/records/ids.h"
#include "store/records/lesson.h"
#include "store/records/model_call.h"
#include "store/records/plan.h"
#include "store/records/speedup.h"
#include "store/records/task.h"
#include "store/records/verdict.h"
#include "store/records/window.h"

namespace coppice::agents {

// A node as an agent sees it.
struct Sighting {
  NodeId id{};
  std::optional<NodeId> parent;
  Kinship kinship = Kinship::kSelected;
  std::string source;        // Empty if the attempt held no candidate.
  std::optional<Plan> plan;  // What it was meant to do; none for the root.
  Verdict verdict = Verdict::kInconclusive;
  std::string log;
  // The root's seconds over the speedup; both are set if it passes.
  std::optional<double> runtime_s;
  std::optional<Speedup> speedup;         // Over the root.
  std::optional<Speedup> parent_speedup;  // Likewise, its parent's.
  std::optional<NodeId> same_as;          // An earlier one of the same tokens.
  std::optional<Hint> hint{};  // Of one that computed wrong; no speed.
  std::string profile;         // What limits it, in words; may be empty, as may
  std::string tuning;          // what its open numbers came to, and
  std::string again;  // what of its lineage's deleted lines it has again.
};

// What the tree knows of the selected node, shown or not.  Simulated agents go
// by it; it is in no prompt, and 0 where the task is no simulation.  No more
// passing relatives are counted than a window may hold.
struct Census {
  std::int64_t earlier_attempts = 0;  // On the node, before this one.
  std::int64_t passing_children = 0;
  std::int64_t passing_siblings = 0;
  std::int64_t passing_nephews = 0;  // Children of siblings.
};

// A trusted way to do the task, as fast as that over the root.
struct Yardstick {
  std::string name;  // "expert", "torch".
  Speedup speedup;
};

// How the search as a whole stands.  What is not known is not set.
struct SearchStanding {
  std::int64_t budget = 0;     // In attempts, of which
  std::int64_t remaining = 0;  // these are left, the one that asks among them.
  std::optional<NodeId> best = {};           // The fastest node, and
  std::optional<Speedup> best_speedup = {};  // its speedup over the root.
  std::vector<Yardstick> yardsticks = {};
  // Times as fast as the root that the measured roofs allow at most.
  std::optional<double> ceiling = {};
  // The last so many attempts brought nothing that is told apart as faster.  0:
  // they did, or there were too few yet.
  std::int64_t plateau = 0;
};

// A plan that no node has realised so far.
struct Unrealised {
  Plan plan;
  std::int64_t tried = 0;  // Nodes that were to,
  NodeId last{};           // the last of which did this:
  Verdict verdict = Verdict::kInconclusive;
  std::string log;
};

// Another passing node, which the selected one is to be combined with.
struct Mate {
  NodeId node{};  // The root, or of the history.
  // The labels of its lineage's plans that are none of the selected node's.
  std::vector<std::string> techniques;
};

// What a person wants, in their own words, or a rule that they set and that the
// answer is checked by.
struct Wish {
  std::int64_t directive = 0;
  std::string author;
  std::string text;
  bool is_rule = false;
  std::string technique{};       // Of a rule on what plans use; else empty.
  bool wants_technique = false;  // They must use it, rather than must not.
};

struct PromptContext {
  Role role = Role::kPlan;
  const Task* task = nullptr;  // Not owned; outlives the context.
  // The device that will run the kernel: its name, what it is made of, and the
  // most that was measured there.  Empty or 0: not known.
  std::string hardware;
  std::string hardware_facts;
  double roof_bytes_per_s = 0.0;
  double roof_flops_per_s = 0.0;  // Of float32.
  int threads = 1;                // That a candidate may use.
  bool has_gpu = false;           // That candidates in Python run on.
  // What these may import, with its version: "triton", "3.6.0".
  std::vector<std::pair<std::string, std::string>> libraries;
  Sighting root;
  Sighting selected;              // May be the root itself.
  std::vector<Sighting> history;  // The rest of the window, in its order.
  // Attempts outside of it, the most telling first; without their sources.
  std::vector<Sighting> others;
  std::int64_t attempts = 0;  // So far, these and those of the window included.
  SearchStanding standing;
  // Whether a source was judged in this campaign already, by its tokens, so
  // that an embedded agent proposes it no more; empty: not known.
  std::function<bool(const std::string& source)> is_known;
  Census census;
  std::vector<Unrealised> unrealised;  // The newest first; for who plans.
  // What other campaigns found, the nearest to this task and node first; of who
  // plans.
  std::vector<Lesson> lessons;
  // What made the selected node of the root (ProgramAfter); where there are
  // lessons.
  std::string program;
  std::optional<Plan> plan;  // Code: to realise.  Debug: was intended.
  std::optional<Mate> mate;
  std::vector<Wish> wishes;  // Of people who steer, the oldest first.
  // Whether a candidate would break one of their rules, so that an embedded
  // agent proposes none that does; empty: there are none.
  std::function<bool(const std::string& source)> breaks_rule;
  RequestOptions request_options;
  std::uint64_t seed = 0;     // Of the campaign, and
  std::int64_t decision = 0;  // of the attempt: an embedded agent's draws.
};

// What is seen of the mate; null if there is none.
inline const Sighting* MateOf(const PromptContext& context) {
  if (!context.mate) return nullptr;
  if (context.mate->node == kRootNode) return &context.root;
  for (const Sighting& seen : context.history) {
    if (seen.kinship == Kinship::kMate) return &seen;
  }
  return nullptr;
}

}  // namespace coppice::agents
