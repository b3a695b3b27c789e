// What an outside agent asks for and is given: an attempt with all that an
// agent of ours would be told, and the receipt for what it tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/records/attempt.h"
#include "store/records/ids.h"
#include "store/records/model_call.h"
#include "store/records/speedup.h"
#include "store/records/ticket.h"
#include "store/records/verdict.h"

namespace coppice::engine {

// What an agent asks for.
struct AgentWish {
  std::string agent;                     // Its name.
  std::optional<std::string> request{};  // Asked again, it gets the same.
  Roles roles = Roles::All();            // Those that it takes.
  double lease_s = 600.0;
  std::optional<double> max_cost_usd{};  // Declared, of each attempt.
  std::optional<NodeId> parent{};        // To go on from; none: by the policy.
  int count = 1;                         // Attempts, all reserved at once.
  double wait_s = 0.0;                   // For one to be there.
};

// A node of the window, as its row is.
struct Seen {
  NodeId node{};
  std::string kinship;
  std::string source;  // Empty: it has no candidate.
  Verdict verdict = Verdict::kInconclusive;
  std::optional<Speedup> speedup;
  std::string log_head;  // Its first lines.
};

struct TicketOffer {
  Ticket ticket;
  Role role = Role::kPlan;  // Answers next.
  std::int64_t decision = 0;
  NodeId parent{};
  std::string policy;
  std::string reason;
  std::string system_prompt;
  std::string user_prompt;
  std::vector<Seen> window;
  // Whether a plan must mark spans of the parent's source: "required",
  // "optional", or "none", where no plan is asked for.
  std::string anchors;
  std::string annotate;  // The source to mark; empty: none is.
};

struct Asked {
  std::vector<TicketOffer> offers;
  std::string none_because;  // There are no offers, in words.
  bool is_spent = false;     // Nor will there be, unless somebody gives more.
};

// What a node is worth to who made it.  None: it cannot be told; an
// inconclusive node has neither a speed nor a fault.
struct Reward {
  std::optional<bool> compiled;
  std::optional<double> correct_fraction;  // Of the workloads.
  std::optional<double> log_speedup;       // Natural, over the root,
  std::optional<Interval> interval;        // of the speedup itself.
  std::optional<double> vs_parent;         // Times as fast as that.
  std::optional<double> vs_best;           // As the fastest before it.
  std::optional<bool> novel;               // Nobody wrote its tokens before.
  std::optional<bool> confirmed;           // By the full tier.
  // The least of its workloads' times over the least that the machine allows.
  std::optional<double> floor_ratio;
};

struct Receipt {
  Ticket ticket;
  Stage stage = Stage::kReserved;
  std::optional<NodeId> node{};  // None: it is not judged yet.
  std::optional<Verdict> verdict{};
  std::optional<Speedup> speedup{};
  std::optional<Speedup> best_speedup{};  // Of the campaign.
  std::string log_head{};
  Reward reward{};
  std::optional<TicketOffer> next{};  // What the same ticket is to tell now.
};

}  // namespace coppice::engine
