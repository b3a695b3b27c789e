#include "store/write/node_rows.h"

#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/kernel_hash.h"
#include "store/named.h"
#include "store/read_rows.h"
#include "store/records/node.h"
#include "store/records/node_summary.h"
#include "store/write/evaluations.h"
#include "store/write/nodes.h"
#include "store/write/parents.h"
#include "store/write/plans.h"
#include "store/write/worths.h"

namespace coppice::store {
namespace {

std::vector<TriedConfiguration> LoadTrials(Connection& connection,
                                           CampaignId campaign, NodeId node) {
  return connection.Rows(
      "SELECT configuration, verdict, speedup, speedup_low, speedup_high,"
      " evaluator_s, chosen FROM tuning_trial"
      " WHERE campaign_id = ? AND node_number = ? ORDER BY ordinal",
      [](const Statement& read) {
        return TriedConfiguration{read.Text(0), read.As<Verdict>(1),
                                  SpeedupAt(read, 2), read.Real(5),
                                  read.Int(6) != 0};
      },
      campaign, node);
}

}  // namespace

Behaviour BehaviourAt(const Statement& row, int column, NodeId node) {
  const std::int64_t limit = row.Int(column);
  const std::int64_t family = row.Int(column + 1);
  if (limit < 0 || limit >= std::ssize(kLimitNames) || family < 0 ||
      family >= std::ssize(kTechniqueFamilyNames)) {
    ThrowDamage(Named(node) + " behaves as nothing does");
  }
  return {row.As<Limit>(column), row.As<TechniqueFamily>(column + 1)};
}

NodeSummary SummaryAt(const Statement& row, std::int64_t next) {
  NodeSummary node;
  node.id = row.As<NodeId>(0);
  if (Index(node.id) != next) {
    ThrowDamage(Named(node.id) + " comes where " + Named(NodeId{next}) +
                " must");
  }
  node.parent = ParentAt(row, 1, node.id);
  node.verdict = row.As<Verdict>(2);
  node.runtime_s = row.OptionalReal(3);
  const std::int64_t verdict = row.Int(2);
  if (verdict < 0 || verdict >= std::ssize(kVerdictNames)) {
    ThrowDamage(Named(node.id) + " has verdict " + std::to_string(verdict) +
                ", which is none");
  }
  const double runtime_s = node.runtime_s.value_or(0.0);
  const bool is_timed = std::isfinite(runtime_s) && runtime_s > 0.0;
  const bool passes = node.verdict == Verdict::kPassed;
  if (passes ? !is_timed : node.runtime_s.has_value()) {
    ThrowDamage(Named(node.id) + (is_timed ? " has seconds but does not pass"
                                           : " has no seconds that could be"));
  }
  node.kernel_hash = std::bit_cast<std::uint64_t>(row.Int(4));
  node.is_repeat = row.Int(5) != 0;
  if (const auto factor = row.OptionalReal(6)) {
    if (!(*factor > 0.0) || node.verdict != Verdict::kWrongOutput) {
      ThrowDamage(Named(node.id) + " has a hint that cannot be");
    }
    node.log_hint = static_cast<float>(std::log(*factor));
  }
  node.cost_s = static_cast<float>(row.Real(7));
  node.behaviour = BehaviourAt(row, 8, node.id);
  return node;
}

Result<std::vector<Nodes::Undecided>> Nodes::ReadUndecided(
    CampaignId campaign) {
  // The number is that of node_undecided: a bound one finds no index.
  return ReadRows(
      database_,
      "SELECT number, (SELECT count(*) FROM evaluation e"
      " WHERE e.campaign_id = n.campaign_id AND e.node_number = n.number)"
      " AS evaluations FROM node n INDEXED BY node_undecided"
      " WHERE campaign_id = ? AND verdict = 7 AND same_as IS NULL"
      " ORDER BY 2, 1",
      [](const Statement& read) {
        return Undecided{read.As<NodeId>(0), read.Int(1)};
      },
      campaign);
}

Result<NodeRecord> Nodes::Load(CampaignId campaign, NodeId id) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<NodeRecord> {
    NodeRecord node;
    node.id = id;
    std::optional<PlanId> plan;
    {
      Statement read = connection.Prepare(
          "SELECT n.uuid, n.parent_number, n.source_blob, n.language,"
          " n.entry_symbol, n.plan_id, n.changed_inside, n.changed_outside,"
          " n.decided_by, n.same_as, n.verdict, n.speedup, n.speedup_low,"
          " n.speedup_high, c.root_runtime_s / n.speedup, n.refuted,"
          " n.confirmed, n.lines_again, n.lines_deleted_by,"
          " n.behaviour_limit, n.technique_family FROM node n"
          " JOIN campaign c USING (campaign_id)"
          " WHERE n.campaign_id = ? AND n.number = ?");
      if (!read.Bind(campaign, id).Step()) {
        return connection.Missing(Named(id));
      }
      node.uuid = read.Uuid(0);
      node.parent = ParentAt(read, 1, id);
      if (!read.IsNull(2)) {
        TRY(source, connection.blobs().Text(read.As<BlobId>(2)));
        node.candidate =
            Candidate{read.As<Language>(3), std::move(source), read.Text(4)};
      }
      plan = read.OptionalAs<PlanId>(5);
      node.footprint = {read.As<int>(6), read.As<int>(7)};
      node.same_as = read.OptionalAs<NodeId>(9);
      node.worth = {read.As<Verdict>(10), SpeedupAt(read, 11),
                    static_cast<std::size_t>(read.Int(8)), read.Int(15) != 0,
                    read.Int(16) != 0};
      node.runtime_s = read.OptionalReal(14);
      node.again.lines = read.Int(17);
      node.again.deleted_by = read.OptionalAs<NodeId>(18);
      node.behaviour = BehaviourAt(read, 19, id);
    }
    node.trials = LoadTrials(connection, campaign, id);
    if (plan) {
      TRY_ASSIGN(node.plan, LoadPlan(connection, *plan));
    }
    TRY_ASSIGN(
        node.evaluation,
        LoadEvaluation(connection, campaign, node.same_as.value_or(id),
                       static_cast<std::int64_t>(node.worth.decided_by)));
    return node;
  });
}

Result<std::optional<NodeId>> Nodes::FindEqual(CampaignId campaign,
                                               const Candidate& candidate) {
  Connection& connection = database_.connection();
  const std::uint64_t hash = KernelHash(candidate);
  return connection.Read([&]() -> Result<std::optional<NodeId>> {
    return FindKernel(connection, campaign, hash);
  });
}

Result<std::optional<NodeId>> Nodes::FindTuned(CampaignId campaign,
                                               const Candidate& candidate) {
  return ReadValue<NodeId>(
      database_,
      "SELECT number FROM node WHERE campaign_id = ? AND written_hash = ?"
      " ORDER BY number LIMIT 1",
      campaign, std::bit_cast<std::int64_t>(KernelHash(candidate)));
}

Result<std::optional<AttemptId>> Nodes::AttemptOf(CampaignId campaign,
                                                  NodeId node) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<std::optional<AttemptId>> {
    Statement read = connection.Prepare(
        "SELECT attempt_id FROM node WHERE campaign_id = ? AND number = ?");
    if (!read.Bind(campaign, node).Step()) {
      return connection.Missing(Named(node));
    }
    return read.OptionalAs<AttemptId>(0);
  });
}

Result<void> Nodes::Scan(CampaignId campaign,
                         const std::function<void(const NodeSummary&)>& visit) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<void> {
    Statement read = connection.Prepare(
        "SELECT " + std::string(kSummaryColumns) + std::string(kSummaryTables) +
            " WHERE c.campaign_id = ? ORDER BY n.number",
        campaign);
    for (std::int64_t next = 0; read.Step(); ++next) {
      visit(SummaryAt(read, next));
    }
    return {};
  });
}

}  // namespace coppice::store
