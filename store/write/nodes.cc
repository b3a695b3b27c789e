#include "store/write/nodes.h"

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/kernel_hash.h"
#include "store/named.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/records/repeated_lines.h"
#include "store/write/evaluations.h"
#include "store/write/events.h"
#include "store/write/further_evaluations.h"
#include "store/write/model_picks.h"
#include "store/write/node_origin.h"
#include "store/write/node_rows.h"
#include "store/write/numbering.h"
#include "store/write/worths.h"

namespace coppice::store {
namespace {

// Lines written again are looked for in so many ancestors.
constexpr std::int64_t kMostForebears = 32;

Limit LimitOfNode(Connection& connection, CampaignId campaign, NodeId node) {
  Statement read = connection.Prepare(
      "SELECT behaviour_limit, technique_family FROM node"
      " WHERE campaign_id = ? AND number = ?",
      campaign, node);
  read.Step();
  return BehaviourAt(read, 0, node).limit;
}

std::vector<std::pair<NodeId, BlobId>> SourcesAbove(Connection& connection,
                                                    CampaignId campaign,
                                                    NodeId parent) {
  return connection.Rows(
      "WITH RECURSIVE up (number, parent_number, source_blob, steps) AS ("
      " SELECT number, parent_number, source_blob, 1 FROM node"
      " WHERE campaign_id = ?1 AND number = ?2"
      " UNION ALL"
      " SELECT n.number, n.parent_number, n.source_blob, steps + 1 FROM up"
      " CROSS JOIN node n ON n.campaign_id = ?1"
      "  AND n.number = up.parent_number WHERE steps < ?3)"
      " SELECT number, source_blob FROM up WHERE source_blob IS NOT NULL"
      " ORDER BY number DESC",
      [](const Statement& read) {
        return std::pair(read.As<NodeId>(0), read.As<BlobId>(1));
      },
      campaign, parent, kMostForebears);
}

// Simulated sources are points, which have no lines.
Result<RepeatedLines> CountLinesAgainOf(Connection& connection,
                                        CampaignId campaign,
                                        const NodeRecord& node) {
  if (!node.parent || !node.candidate ||
      node.candidate->language == Language::kSim) {
    return RepeatedLines{};
  }
  std::vector<Forebear> lineage;
  for (const auto& [number, blob] :
       SourcesAbove(connection, campaign, *node.parent)) {
    TRY(text, connection.blobs().Text(blob));
    lineage.push_back({number, std::move(text)});
  }
  return CountRepeatedLines(node.candidate->source, lineage);
}

void InsertTrials(Connection& connection, CampaignId campaign,
                  const NodeRecord& node) {
  std::int64_t ordinal = 0;
  for (const TriedConfiguration& trial : node.trials) {
    const SpeedupColumns speedup(trial.speedup);
    connection.Run(
        "INSERT INTO tuning_trial (campaign_id, node_number, ordinal,"
        " configuration, verdict, speedup, speedup_low, speedup_high,"
        " evaluator_s, chosen) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        campaign, node.id, ordinal++, trial.values, trial.verdict,
        speedup.ratio, speedup.low, speedup.high, trial.evaluator_s,
        trial.is_chosen);
  }
}

void InsertNode(Connection& connection, CampaignId campaign,
                std::optional<AttemptId> attempt, const NodeRecord& node,
                std::uint64_t kernel_hash,
                std::optional<std::uint64_t> written_hash,
                const std::optional<Blobs::Stored>& source,
                std::optional<PlanId> plan, double now_s) {
  std::optional<BlobId> blob;
  std::optional<Language> language;
  std::optional<std::string> entry_symbol;
  if (source) {
    blob = source->id;
    language = node.candidate->language;
    entry_symbol = node.candidate->entry_symbol;
  }
  std::optional<std::int64_t> written;
  if (written_hash) written = std::bit_cast<std::int64_t>(*written_hash);
  const SpeedupColumns speedup(node.worth.speedup);
  connection.Run(
      "INSERT INTO node (campaign_id, number, parent_number, verdict,"
      " decided_by, speedup, speedup_low, speedup_high, same_as,"
      " kernel_hash, source_blob, language, entry_symbol, attempt_id,"
      " plan_id, changed_inside, changed_outside, uuid, committed_at_s,"
      " refuted, confirmed, written_hash, lines_again, lines_deleted_by,"
      " behaviour_limit, technique_family)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?,"
      " ?, ?, ?, ?)",
      campaign, node.id, node.parent, node.worth.verdict, node.worth.decided_by,
      speedup.ratio, speedup.low, speedup.high, node.same_as,
      std::bit_cast<std::int64_t>(kernel_hash), blob, language, entry_symbol,
      attempt, plan, node.footprint.changed_inside,
      node.footprint.changed_outside, node.uuid, now_s, node.worth.is_refuted,
      node.worth.is_confirmed, written, node.again.lines, node.again.deleted_by,
      node.behaviour.limit, node.behaviour.family);
}

// What the node is committed with, in the order made.
std::vector<const Evaluation*> EvaluationsOf(const NodeRecord& node) {
  std::vector<const Evaluation*> made;
  if (node.screening) made.push_back(&*node.screening);
  made.push_back(&node.evaluation);
  return made;
}

double EvaluatorSeconds(const NodeRecord& node) {
  double sum = 0.0;
  for (const Evaluation* each : EvaluationsOf(node)) {
    sum += each->compile_s + each->check_s + each->timing_s;
  }
  return sum;
}

// What trying the configurations took that were not chosen; the evaluation of
// the chosen one is the node's.
double TrialSeconds(const NodeRecord& node) {
  double sum = 0.0;
  for (const TriedConfiguration& trial : node.trials) {
    if (!trial.is_chosen) sum += trial.evaluator_s;
  }
  return sum;
}

// What the first node of some tokens is worth.
Worth WorthOfNew(const NodeRecord& node) {
  std::vector<Evidence> findings;
  for (const Evaluation* each : EvaluationsOf(node)) {
    findings.push_back({each->verdict, each->speedup, false, each->tier});
  }
  return WorthOfNode(node.id, std::move(findings));
}

// If its tokens were judged meanwhile, its evaluations are further ones of the
// node that was.
Result<void> LeaveEvaluations(Connection& connection, CampaignId campaign,
                              const NodeRecord& node, NodeId original,
                              double now_s) {
  if (node.same_as) return {};  // None was made of it.
  for (const Evaluation* each : EvaluationsOf(node)) {
    TRY_DONE(InsertFurther(connection, campaign, original, *each, now_s));
  }
  return {};
}

Result<void> InsertEvaluations(Connection& connection, CampaignId campaign,
                               const NodeRecord& node, double now_s) {
  std::int64_t ordinal = 0;
  for (const Evaluation* each : EvaluationsOf(node)) {
    TRY_DONE(InsertEvaluation(connection, campaign, node.id, ordinal++,
                              std::nullopt, *each, now_s));
  }
  if (node.id != kRootNode) return {};
  connection.Run(
      "UPDATE campaign SET root_runtime_s = ?2 WHERE campaign_id = ?1",
      campaign, node.evaluation.runtime_s);
  return {};
}

void CountNode(Connection& connection, CampaignId campaign,
               std::optional<AttemptId> attempt, double evaluator_s,
               double now_s) {
  connection.Run(
      "UPDATE campaign SET nodes = nodes + 1, updated_at_s = ?2,"
      " evaluator_s = evaluator_s + ?3 WHERE campaign_id = ?1",
      campaign, now_s, evaluator_s);
  if (!attempt) return;
  connection.Run("UPDATE attempt SET stage = ?2 WHERE attempt_id = ?1",
                 *attempt, Stage::kCommitted);
  ClosePicks(connection, *attempt);
}

}  // namespace

Result<void> Nodes::Commit(CampaignId campaign, std::optional<Holding> holding,
                           const NodeRecord& node, double now_s) {
  std::optional<AttemptId> attempt;
  if (holding) attempt = holding->attempt;
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    TRY(counts, CountsOf(connection, campaign));
    TRY_DONE(
        CheckNext(connection, Named(node.id), Index(node.id), counts.nodes));
    TRY(work, CheckOrigin(connection, campaign, holding, node));
    TRY(source, PutSource(connection, campaign, node));
    std::optional<std::uint64_t> written_hash;
    if (attempt) {
      TRY_ASSIGN(written_hash, WrittenHash(connection, work, node, source));
    }
    TRY(plan, PutPlan(connection, campaign, work, node));
    std::uint64_t hash = 0;
    std::optional<NodeId> original;
    if (node.candidate) {
      hash = KernelHash(*node.candidate);
      original = FindKernel(connection, campaign, hash);
    }
    if (node.same_as && node.same_as != original) {
      return connection.FailHere(
          Errc::kUsage,
          Named(node.id) + " is not the same as " + Named(*node.same_as));
    }
    if (original) {
      TRY_DONE(LeaveEvaluations(connection, campaign, node, *original, now_s));
    }
    NodeRecord stored = node;
    stored.same_as = original;
    stored.worth = original ? ComputeWorth(connection, campaign, *original)
                            : WorthOfNew(node);
    if (original) {
      stored.behaviour.limit = LimitOfNode(connection, campaign, *original);
    }
    TRY_ASSIGN(stored.again, CountLinesAgainOf(connection, campaign, node));
    InsertNode(connection, campaign, attempt, stored, hash, written_hash,
               source, plan, now_s);
    InsertTrials(connection, campaign, node);
    double evaluator_s = TrialSeconds(node);
    if (!original) {
      TRY_DONE(InsertEvaluations(connection, campaign, node, now_s));
      if (attempt) evaluator_s += EvaluatorSeconds(node);
    }
    CountNode(connection, campaign, attempt, evaluator_s, now_s);
    RecordEvent(connection, campaign, now_s, "committed", Index(node.id));
    return {};
  });
}

}  // namespace coppice::store
