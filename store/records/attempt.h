// An attempt: the work that yields one node.  Each stage's product is durable
// before the next begins, so a crash loses at most the call on the wire.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/candidate.h"
#include "store/records/ids.h"
#include "store/records/model_pick.h"
#include "store/records/plan.h"
#include "store/records/uuid.h"

namespace coppice {

// The last stage whose product is durable.  DO NOT RENUMBER: stored.
enum class Stage : std::uint8_t {
  kReserved = 0,   // Parent chosen.
  kPlanned = 1,    // Has a plan; skipped when the parent failed (debug).
  kCoded = 2,      // Has a candidate, or an answer without one.
  kCommitted = 3,  // Has its node.
};
inline constexpr std::array<std::string_view, 4> kStageNames = {
    "reserved", "planned", "coded", "committed"};
std::string_view Name(Stage stage);

// In the place of a policy's name: the candidate came from elsewhere.
inline constexpr const char* kImportPolicy = "import";

// In the same place: a person chose, by a directive.
inline constexpr const char* kHumanPolicy = "human";

// In the same place: an outside agent chose (engine/outside/).
inline constexpr const char* kOutsidePolicy = "outside";

// How the owners of leases are named that are tickets of outside agents: no
// process holds these, so that only their time tells whether they have run out.
inline constexpr std::string_view kTicketOwner = "ticket:";

// In the place of a reason for no candidate: the agent can propose nothing for
// this task any more that was not judged already.
inline constexpr const char* kNothingLeft = "nothing is left to propose";
inline constexpr const char* kNothingAllowed =
    "nothing is left to propose that the rules of people allow";

// A decision of the policy, and who works on it.
struct Reservation {
  Uuid uuid;
  std::int64_t decision = 0;  // 0, 1, 2, ... within the campaign; unique.
  NodeId parent{};
  std::optional<NodeId> mate{};  // To be combined with it; none: nothing is.
  std::string policy;
  std::string reason;  // Of the policy, in words.
  std::string lease_owner;
  double lease_until_s = 0.0;  // Unix time.
  double reserved_at_s = 0.0;
  // What the policy saw: the first so many nodes, the first so many further
  // evaluations, and in flight all earlier decisions without one of these
  // nodes.
  std::int64_t nodes_seen = 1;
  std::int64_t further_seen = 0;
  // How many attempts the budget had left, this one among them; none: nobody
  // chose it.
  std::optional<std::int64_t> attempts_left{};
  // Which models are asked, for each role that has several.
  std::vector<ModelPick> picks{};
  // The directive by which a person chose; none: the policy did.
  std::optional<DirectiveId> directive{};
  // The person's own kernel: no agent is asked.
  bool is_inserted = false;
};

// An attempt as somebody holds it.  Each adoption raises the epoch, and a write
// for a lower one fails with kLost: a process that was suspended for longer
// than its lease cannot meddle with what another has taken over since.
struct Holding {
  // NOLINTNEXTLINE(google-explicit-constructor): who reserved it has its id.
  Holding(AttemptId id, std::int64_t since = 0) : attempt(id), epoch(since) {}

  AttemptId attempt;
  std::int64_t epoch;  // 0: since it was reserved.
};

// A reserved attempt with what it has achieved.
struct AttemptRecord {
  AttemptId id{};
  std::int64_t epoch = 0;  // In which it was read; see Holding.
  Reservation reservation;
  Stage stage = Stage::kReserved;
  std::optional<Plan> plan;
  std::optional<Candidate> candidate;
  EditFootprint footprint;
  std::string no_candidate_reason;  // Set when coded without a candidate.

  Holding AsHeld() const { return {id, epoch}; }
};

}  // namespace coppice
