#include "store/read/trajectories.h"

#include <algorithm>
#include <utility>

#include "store/connection.h"
#include "store/named.h"
#include "store/read_rows.h"
#include "store/write/evaluations.h"
#include "store/write/parents.h"

namespace coppice::store {
namespace {

struct Found {
  AttemptId id{};
  Endeavour attempt;
};

// From the root to `node`, both included.
std::vector<NodeId> PathTo(Connection& connection, CampaignId campaign,
                           NodeId node) {
  std::vector<NodeId> path;
  for (std::optional<NodeId> at = node; at;
       at = ParentOf(connection, campaign, *at)) {
    path.push_back(*at);
  }
  std::ranges::reverse(path);
  return path;
}

// The first attempt from `decision` on.
Result<std::optional<Found>> FindAttempt(Connection& connection,
                                         CampaignId campaign,
                                         std::int64_t decision) {
  Statement read = connection.Prepare(
      "SELECT a.attempt_id, a.decision, a.uuid, a.policy, a.parent_number,"
      " p.speedup, l.technique, l.advice, l.anchors, l.grounded,"
      " a.changed_inside, a.changed_outside, n.number, n.verdict, n.speedup,"
      " n.speedup_low, n.speedup_high, n.same_as"
      " FROM attempt a"
      " JOIN node p ON p.campaign_id = a.campaign_id"
      "  AND p.number = a.parent_number"
      " LEFT JOIN plan l ON l.plan_id = a.plan_id"
      " LEFT JOIN node n ON n.attempt_id = a.attempt_id"
      " WHERE a.campaign_id = ? AND a.decision >= ?"
      " ORDER BY a.decision LIMIT 1");
  if (!read.Bind(campaign, decision).Step()) return std::nullopt;
  Found found;
  found.id = read.As<AttemptId>(0);
  Endeavour& attempt = found.attempt;
  attempt.decision = read.Int(1);
  attempt.uuid = read.Uuid(2);
  attempt.policy = read.Text(3);
  attempt.lineage = PathTo(connection, campaign, read.As<NodeId>(4));
  attempt.parent_speedup = read.OptionalReal(5);
  if (!read.IsNull(6)) {
    attempt.plan = Plan{.advice = read.Text(7),
                        .technique = read.Text(6),
                        .annotated_source = "",
                        .anchors = read.As<int>(8),
                        .grounded = read.Int(9) != 0};
  }
  attempt.footprint = {read.As<int>(10), read.As<int>(11)};
  if (!read.IsNull(12)) {
    attempt.node = read.As<NodeId>(12);
    attempt.verdict = read.As<Verdict>(13);
    attempt.speedup = SpeedupAt(read, 14);
    attempt.same_as = read.OptionalAs<NodeId>(17);
  }
  return found;
}

Result<std::vector<Trajectory>> ReadCalls(Connection& connection,
                                          const Found& found) {
  Statement read = connection.Prepare(
      "SELECT m.uuid, m.role, m.provider, m.model, l.temperature, l.top_p,"
      " l.max_output_tokens, m.sample_index, m.system_prompt_blob,"
      " m.user_prompt_blob, m.sent_at_s, r.uuid, m.outcome, m.answer_blob,"
      " m.error, m.input_tokens, m.cached_input_tokens, m.output_tokens,"
      " m.cost_usd, m.latency_s, m.ended_at_s,"
      " (SELECT coalesce(sum(w.cache_write_tokens), 0) FROM wire_call w"
      "  WHERE w.call_id = m.call_id),"
      " coalesce((SELECT w.price_version FROM wire_call w"
      "  WHERE w.call_id = m.call_id AND w.price_version <> ''"
      "  ORDER BY w.wire_call_id DESC LIMIT 1), ''),"
      " l.effort, l.served_model, lower(hex(b.sha256)), m.template_set,"
      " m.call_id"
      " FROM model_call m LEFT JOIN model_call r ON r.call_id = m.retry_of"
      " LEFT JOIN blob b ON b.blob_id = m.template_blob"
      " LEFT JOIN wire_call l ON l.wire_call_id ="
      "  (SELECT max(w.wire_call_id) FROM wire_call w"
      "   WHERE w.call_id = m.call_id)"
      " WHERE m.attempt_id = ? ORDER BY m.call_id",
      found.id);
  std::vector<Trajectory> calls;
  Blobs& blobs = connection.blobs();
  while (read.Step()) {
    Trajectory call{.attempt = found.attempt,
                    .id = read.As<CallId>(27),
                    .asked = {},
                    .template_hash = read.Text(25),
                    .sampling = {read.OptionalReal(4), read.OptionalReal(5),
                                 read.OptionalInt(6), read.OptionalText(23)},
                    .served_model = read.OptionalText(24),
                    .retry_of = std::nullopt,
                    .end = {},
                    .price_version = {}};
    call.asked.uuid = read.Uuid(0);
    call.asked.role = read.As<Role>(1);
    call.asked.provider = read.Text(2);
    call.asked.model = read.Text(3);
    call.asked.sample_index = read.Int(7);
    TRY_ASSIGN(call.asked.system_prompt, blobs.Text(read.As<BlobId>(8)));
    TRY_ASSIGN(call.asked.user_prompt, blobs.Text(read.As<BlobId>(9)));
    call.asked.sent_at_s = read.Real(10);
    if (!read.IsNull(11)) call.retry_of = read.Uuid(11);
    call.end.outcome = read.As<CallOutcome>(12);
    if (!read.IsNull(13)) {
      TRY_ASSIGN(call.end.answer, blobs.Text(read.As<BlobId>(13)));
    }
    call.end.error = read.Text(14);
    call.end.usage.input_tokens = read.Int(15);
    call.end.usage.cached_input_tokens = read.Int(16);
    call.end.usage.output_tokens = read.Int(17);
    call.end.cost_usd = read.Real(18);
    call.end.latency_s = read.Real(19);
    call.end.ended_at_s = read.OptionalReal(20).value_or(0.0);
    call.end.usage.cache_write_tokens = read.Int(21);
    call.price_version = read.Text(22);
    call.asked.template_set = read.Text(26);
    calls.push_back(std::move(call));
  }
  return calls;
}

enum class Extent { kAll, kOne };

Result<void> ScanFrom(Connection& connection, CampaignId campaign,
                      std::int64_t decision, Extent extent,
                      const TrajectoryVisitor& visit) {
  while (true) {
    std::optional<Found> found;  // What the calls refer to.
    TRY(calls, connection.Read([&]() -> Result<std::vector<Trajectory>> {
      TRY_ASSIGN(found, FindAttempt(connection, campaign, decision));
      if (!found) return std::vector<Trajectory>();
      return ReadCalls(connection, *found);
    }));
    if (!found) return {};
    for (const Trajectory& call : calls) {
      if (!visit(call)) return {};
    }
    if (extent == Extent::kOne) return {};
    decision = found->attempt.decision + 1;
  }
}

}  // namespace

Result<void> ScanTrajectories(Database& database, CampaignId campaign,
                              const TrajectoryVisitor& visit) {
  return ScanFrom(database.connection(), campaign, 0, Extent::kAll, visit);
}

Result<void> ScanTrajectoriesOf(Database& database, CampaignId campaign,
                                NodeId node, const TrajectoryVisitor& visit) {
  TRY(found, ReadOne(
                 database,
                 "SELECT a.decision FROM node n LEFT JOIN attempt a"
                 " USING (attempt_id) WHERE n.campaign_id = ? AND n.number = ?",
                 [](const Statement& read) { return read.OptionalInt(0); },
                 campaign, node));
  Connection& connection = database.connection();
  if (!found) {
    return connection.FailHere(Errc::kNotFound, "no " + Named(node));
  }
  if (!*found) return {};
  return ScanFrom(connection, campaign, **found, Extent::kOne, visit);
}

Result<void> ScanTrajectoriesWith(Database& database, const Uuid& call,
                                  const TrajectoryVisitor& visit) {
  TRY(place, ReadOne(
                 database,
                 "SELECT a.campaign_id, a.decision FROM model_call m"
                 " JOIN attempt a USING (attempt_id) WHERE m.uuid = ?",
                 [](const Statement& read) {
                   return std::pair(read.As<CampaignId>(0), read.Int(1));
                 },
                 call));
  Connection& connection = database.connection();
  if (!place) {
    return connection.FailHere(Errc::kNotFound, "no call " + ToString(call));
  }
  return ScanFrom(connection, place->first, place->second, Extent::kOne, visit);
}

Result<Ingredients> ReadIngredients(Database& database, CallId call) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Ingredients> {
    Ingredients ingredients;
    ingredients.shown = connection.Rows(
        "SELECT node_number, kinship FROM window_entry WHERE call_id = ?"
        " ORDER BY position",
        [](const Statement& read) {
          return WindowEntry{read.As<NodeId>(0), read.As<Kinship>(1)};
        },
        call);
    Statement read = connection.Prepare(
        "SELECT nodes_cut, template_blob FROM model_call WHERE call_id = ?",
        call);
    if (!read.Step()) return ingredients;
    ingredients.nodes_cut = read.Int(0);
    if (read.IsNull(1)) return ingredients;
    TRY_ASSIGN(ingredients.templates,
               connection.blobs().Text(read.As<BlobId>(1)));
    return ingredients;
  });
}

}  // namespace coppice::store
