#include "store/nodes.h"

#include <bit>
#include <string>
#include <utility>

#include "store/connection.h"
#include "store/evaluations.h"
#include "store/events.h"
#include "store/fence.h"
#include "store/leaders.h"
#include "store/plans.h"
#include "store/records/attempt.h"

namespace coppice::store {
namespace {

std::string Named(NodeId node) { return "node " + std::to_string(Index(node)); }

Result<void> CheckNumber(Connection& connection, CampaignId campaign,
                         NodeId node) {
  Statement read =
      connection.Prepare("SELECT nodes FROM campaign WHERE campaign_id = ?");
  if (!read.Bind(campaign).Step()) {
    return connection.NoSuchCampaign(campaign);
  }
  const std::int64_t next = read.Int(0);
  if (Index(node) == next) return {};
  if (Index(node) < next) {
    return connection.FailHere(Errc::kBusy, Named(node) +
                                                " is taken: another process "
                                                "works on this campaign");
  }
  return connection.FailHere(
      Errc::kUsage, Named(node) + " is not the next, " + std::to_string(next));
}

// What a node takes from its attempt.
struct Work {
  std::optional<PlanId> plan;
  std::optional<BlobId> source;
};

// The attempt must have come to exactly this node.
Result<Work> CheckAttempt(Connection& connection, CampaignId campaign,
                          const Holding& holding, const NodeRecord& node) {
  Statement read = connection.Prepare(
      "SELECT campaign_id, stage, parent_number, plan_id, source_blob, epoch"
      " FROM attempt WHERE attempt_id = ?");
  const std::string name = "attempt " + std::to_string(Index(holding.attempt));
  if (!read.Bind(holding.attempt).Step() ||
      read.As<CampaignId>(0) != campaign) {
    return connection.FailHere(Errc::kNotFound,
                               name + " is not of this campaign");
  }
  TRY_DONE(CheckHeld(connection, holding, read.Int(5)));
  switch (read.As<Stage>(1)) {
    case Stage::kCoded:
      break;
    case Stage::kCommitted:
      return connection.FailHere(Errc::kUsage, name + " has its node already");
    case Stage::kReserved:
    case Stage::kPlanned:
      return connection.FailHere(Errc::kUsage, name + " is not coded yet");
  }
  if (!node.parent || read.As<NodeId>(2) != *node.parent) {
    return connection.FailHere(Errc::kUsage, name + " has another parent");
  }
  Work work;
  if (!read.IsNull(3)) work.plan = read.As<PlanId>(3);
  if (!read.IsNull(4)) work.source = read.As<BlobId>(4);
  return work;
}

Result<Work> CheckOrigin(Connection& connection, CampaignId campaign,
                         const std::optional<Holding>& attempt,
                         const NodeRecord& node) {
  if (attempt) return CheckAttempt(connection, campaign, *attempt, node);
  if (node.id != kRootNode || node.parent) {
    return connection.FailHere(
        Errc::kUsage,
        Named(node.id) + " has no attempt: only the root has none");
  }
  return Work{};
}

Result<std::optional<Blobs::Stored>> PutSource(Connection& connection,
                                               CampaignId campaign,
                                               const NodeRecord& node) {
  if (!node.candidate) return std::optional<Blobs::Stored>();
  std::optional<BlobId> like;
  if (node.parent) like = SourceOf(connection, campaign, *node.parent);
  TRY(stored,
      connection.blobs().Put(node.candidate->source, like, Future::kBase));
  return std::optional(stored);
}

bool IsSame(const Plan& a, const Plan& b) {
  return a.advice == b.advice && a.technique == b.technique &&
         a.annotated_source == b.annotated_source && a.anchors == b.anchors &&
         a.grounded == b.grounded;
}

std::optional<PlanId> PlanOf(Connection& connection, CampaignId campaign,
                             NodeId node) {
  Statement read = connection.Prepare(
      "SELECT plan_id FROM node WHERE campaign_id = ? AND number = ?");
  if (!read.Bind(campaign, node).Step() || read.IsNull(0)) return std::nullopt;
  return read.As<PlanId>(0);
}

// The row of the attempt's own plan, or of the parent's that a debugged node
// inherits, or a new one.
Result<std::optional<PlanId>> PutPlan(Connection& connection,
                                      CampaignId campaign, const Work& work,
                                      const NodeRecord& node) {
  if (!node.plan) return std::optional<PlanId>();
  std::optional<PlanId> known = work.plan;
  if (!known && node.parent) known = PlanOf(connection, campaign, *node.parent);
  if (known) {
    TRY(plan, LoadPlan(connection, *known));
    if (IsSame(plan, *node.plan)) return known;
  }
  std::optional<BlobId> like;
  if (node.parent) like = SourceOf(connection, campaign, *node.parent);
  TRY(id, InsertPlan(connection, *node.plan, like));
  return std::optional(id);
}

void InsertNode(Connection& connection, CampaignId campaign,
                std::optional<AttemptId> attempt, const NodeRecord& node,
                const std::optional<Blobs::Stored>& source,
                std::optional<PlanId> plan, double now_s) {
  std::uint64_t hash = 0;
  std::optional<BlobId> blob;
  std::optional<Language> language;
  std::optional<std::string> entry_symbol;
  if (source) {
    hash = ShortHash(source->digest);
    blob = source->id;
    language = node.candidate->language;
    entry_symbol = node.candidate->entry_symbol;
  }
  const Evaluation& evaluation = node.evaluation;
  connection
      .Prepare(
          "INSERT INTO node (campaign_id, number, parent_number, verdict,"
          " runtime_s, root_runtime_s, source_hash, source_blob, language,"
          " entry_symbol, attempt_id, plan_id, changed_inside, changed_outside,"
          " uuid, committed_at_s, decided_by)"
          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .Bind(campaign, node.id, node.parent, evaluation.verdict,
            evaluation.runtime_s, evaluation.root_runtime_s,
            std::bit_cast<std::int64_t>(hash), blob, language, entry_symbol,
            attempt, plan, node.footprint.changed_inside,
            node.footprint.changed_outside, node.uuid, now_s,
            node.screening ? 1 : 0)
      .Run();
}

void CountNode(Connection& connection, CampaignId campaign,
               std::optional<AttemptId> attempt, double now_s) {
  connection
      .Prepare(
          "UPDATE campaign SET nodes = nodes + 1, updated_at_s = ?2"
          " WHERE campaign_id = ?1")
      .Bind(campaign, now_s)
      .Run();
  if (!attempt) return;
  connection.Prepare("UPDATE attempt SET stage = ?2 WHERE attempt_id = ?1")
      .Bind(*attempt, Stage::kCommitted)
      .Run();
}

// If `verdict`, of its evaluation `ordinal`, refutes a passing node.
void Quarantine(Connection& connection, CampaignId campaign, NodeId node,
                std::int64_t ordinal, Verdict verdict, double now_s) {
  if (verdict == Verdict::kPassed || verdict == Verdict::kInconclusive) return;
  connection
      .Prepare(
          "INSERT INTO quarantine SELECT campaign_id, number, ?3, ?4, ?5"
          " FROM node WHERE campaign_id = ?1 AND number = ?2 AND number > 0"
          " AND verdict = 0 ON CONFLICT DO NOTHING")
      .Bind(campaign, node, ordinal, verdict, now_s)
      .Run();
  if (connection.Changes() == 0) return;
  RebuildLeaders(connection, campaign);
  RecordEvent(connection, campaign, now_s, "quarantined", Index(node),
              std::string(Name(verdict)));
}

}  // namespace

std::uint64_t SourceHash(std::string_view source) {
  return ShortHash(Sha256(source));
}

Result<void> Nodes::Commit(CampaignId campaign, std::optional<Holding> holding,
                           const NodeRecord& node, double now_s) {
  std::optional<AttemptId> attempt;
  if (holding) attempt = holding->attempt;
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    TRY_DONE(CheckNumber(connection, campaign, node.id));
    TRY(work, CheckOrigin(connection, campaign, holding, node));
    TRY(source, PutSource(connection, campaign, node));
    if (attempt && work.source != (source ? std::optional(source->id)
                                          : std::optional<BlobId>())) {
      return connection.FailHere(
          Errc::kUsage,
          Named(node.id) + " has another candidate than its attempt");
    }
    TRY(plan, PutPlan(connection, campaign, work, node));
    InsertNode(connection, campaign, attempt, node, source, plan, now_s);
    std::int64_t ordinal = 0;
    if (node.screening) {
      TRY_DONE(InsertEvaluation(connection, campaign, node.id, ordinal++,
                                *node.screening, now_s));
    }
    TRY_DONE(InsertEvaluation(connection, campaign, node.id, ordinal,
                              node.evaluation, now_s));
    CountNode(connection, campaign, attempt, now_s);
    if (node.evaluation.verdict == Verdict::kPassed && source &&
        node.evaluation.runtime_s) {
      UpdateLeaders(connection, campaign,
                    {node.id, *node.evaluation.runtime_s, source->id});
    }
    RecordEvent(connection, campaign, now_s, "committed", Index(node.id));
    return {};
  });
}

Result<void> Nodes::AddEvaluation(CampaignId campaign, NodeId node,
                                  const Evaluation& evaluation, double now_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    const std::int64_t ordinal = CountEvaluations(connection, campaign, node);
    if (ordinal == 0) {
      return connection.FailHere(Errc::kNotFound, Named(node) + " is missing");
    }
    TRY_DONE(InsertEvaluation(connection, campaign, node, ordinal, evaluation,
                              now_s));
    RecordEvent(connection, campaign, now_s, "evaluated", Index(node));
    Quarantine(connection, campaign, node, ordinal, evaluation.verdict, now_s);
    return {};
  });
}

Result<NodeRecord> Nodes::Load(CampaignId campaign, NodeId id) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<NodeRecord> {
    NodeRecord node;
    node.id = id;
    std::optional<PlanId> plan;
    std::int64_t decided_by = 0;
    {
      Statement read = connection.Prepare(
          "SELECT uuid, parent_number, source_blob, language, entry_symbol,"
          " plan_id, changed_inside, changed_outside,"
          " coalesce(q.ordinal, n.decided_by) FROM node n"
          " LEFT JOIN quarantine q ON q.campaign_id = n.campaign_id"
          " AND q.node_number = n.number"
          " WHERE n.campaign_id = ? AND n.number = ?");
      if (!read.Bind(campaign, id).Step()) {
        return connection.FailHere(Errc::kNotFound, Named(id) + " is missing");
      }
      node.uuid = read.Uuid(0);
      if (!read.IsNull(1)) node.parent = read.As<NodeId>(1);
      if (!read.IsNull(2)) {
        TRY(source, connection.blobs().Text(read.As<BlobId>(2)));
        node.candidate =
            Candidate{read.As<Language>(3), std::move(source), read.Text(4)};
      }
      if (!read.IsNull(5)) plan = read.As<PlanId>(5);
      node.footprint.changed_inside = static_cast<int>(read.Int(6));
      node.footprint.changed_outside = static_cast<int>(read.Int(7));
      decided_by = read.Int(8);
    }
    if (plan) {
      TRY(loaded, LoadPlan(connection, *plan));
      node.plan = std::move(loaded);
    }
    TRY(evaluation, LoadEvaluation(connection, campaign, id, decided_by));
    node.evaluation = std::move(evaluation);
    return node;
  });
}

Result<double> Nodes::CommittedAt(CampaignId campaign, NodeId node) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<double> {
    Statement read = connection.Prepare(
        "SELECT committed_at_s FROM node WHERE campaign_id = ? AND number = ?");
    if (!read.Bind(campaign, node).Step()) {
      return connection.FailHere(Errc::kNotFound, Named(node) + " is missing");
    }
    return read.Real(0);
  });
}

Result<std::optional<AttemptId>> Nodes::AttemptOf(CampaignId campaign,
                                                  NodeId node) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<std::optional<AttemptId>> {
    Statement read = connection.Prepare(
        "SELECT attempt_id FROM node WHERE campaign_id = ? AND number = ?");
    if (!read.Bind(campaign, node).Step()) {
      return connection.FailHere(Errc::kNotFound, Named(node) + " is missing");
    }
    if (read.IsNull(0)) return std::nullopt;
    return read.As<AttemptId>(0);
  });
}

Result<void> Nodes::Scan(CampaignId campaign,
                         const std::function<void(const NodeSummary&)>& visit) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<void> {
    Statement read = connection.Prepare(
        "SELECT number, parent_number, coalesce(q.verdict, n.verdict),"
        " iif(q.verdict IS NULL, runtime_s, NULL), source_hash"
        " FROM node n LEFT JOIN quarantine q ON q.campaign_id = n.campaign_id"
        " AND q.node_number = n.number"
        " WHERE n.campaign_id = ? ORDER BY number");
    read.Bind(campaign);
    while (read.Step()) {
      NodeSummary node;
      node.id = read.As<NodeId>(0);
      if (!read.IsNull(1)) node.parent = read.As<NodeId>(1);
      node.verdict = read.As<Verdict>(2);
      node.runtime_s = read.OptionalReal(3);
      node.source_hash = std::bit_cast<std::uint64_t>(read.Int(4));
      visit(node);
    }
    return {};
  });
}

}  // namespace coppice::store
