#include "store/write/nodes.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/kernel_hash.h"
#include "store/named.h"
#include "store/read_rows.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/records/repeated_lines.h"
#include "store/write/directives.h"
#include "store/write/epoch_check.h"
#include "store/write/evaluations.h"
#include "store/write/events.h"
#include "store/write/model_picks.h"
#include "store/write/node_rows.h"
#include "store/write/numbering.h"
#include "store/write/plans.h"
#include "store/write/worths.h"

namespace coppice::store {
namespace {

// Lines written again are looked for in so many ancestors.
constexpr std::int64_t kMostForebears = 32;

std::int64_t NextDecision(Connection& connection, CampaignId campaign) {
  return connection.Number(
      "SELECT max(decision) + 1 FROM attempt WHERE campaign_id = ?", campaign);
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
  const std::string name = Named(holding.attempt);
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
  return Work{read.OptionalAs<PlanId>(3), read.OptionalAs<BlobId>(4)};
}

Limit LimitOfNode(Connection& connection, CampaignId campaign, NodeId node) {
  Statement read = connection.Prepare(
      "SELECT behaviour_limit, technique_family FROM node"
      " WHERE campaign_id = ? AND number = ?",
      campaign, node);
  read.Step();
  return BehaviourAt(read, 0, node).limit;
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
  return connection.Find<PlanId>(
      "SELECT plan_id FROM node WHERE campaign_id = ? AND number = ?", campaign,
      node);
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

// What tuning made another candidate of; none: it is the attempt's own.
Result<std::optional<std::uint64_t>> WrittenHash(
    Connection& connection, const Work& work, const NodeRecord& node,
    const std::optional<Blobs::Stored>& source) {
  if (work.source == (source ? std::optional(source->id) : std::nullopt)) {
    return std::optional<std::uint64_t>();
  }
  const bool is_tuned =
      node.same_as ||
      std::ranges::any_of(node.trials, &TriedConfiguration::is_chosen);
  if (!is_tuned || !work.source || !source) {
    return connection.FailHere(
        Errc::kUsage,
        Named(node.id) + " has another candidate than its attempt");
  }
  Candidate written = *node.candidate;
  TRY_ASSIGN(written.source, connection.blobs().Text(*work.source));
  return std::optional(KernelHash(written));
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

// The next number of a further evaluation.
std::int64_t CountFurther(Connection& connection, CampaignId campaign) {
  connection.Run(
      "UPDATE campaign SET further = further + 1 WHERE campaign_id = ?",
      campaign);
  return connection.Number("SELECT further FROM campaign WHERE campaign_id = ?",
                           campaign);
}

Result<void> InsertFurther(Connection& connection, CampaignId campaign,
                           NodeId original, const Evaluation& evaluation,
                           double now_s) {
  const Worth before = ComputeWorth(connection, campaign, original);
  TRY_DONE(InsertEvaluation(connection, campaign, original,
                            CountEvaluations(connection, campaign, original),
                            CountFurther(connection, campaign), evaluation,
                            now_s));
  RecordEvent(connection, campaign, now_s, "evaluated", Index(original));
  const Worth worth = ComputeWorth(connection, campaign, original);
  PutWorth(connection, campaign, original, worth);
  if (worth.is_refuted && !before.is_refuted) {
    RecordEvent(connection, campaign, now_s, "quarantined", Index(original),
                std::string(Name(worth.verdict)));
  }
  return {};
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

Result<void> Nodes::AddEvaluation(CampaignId campaign, NodeId node,
                                  const Evaluation& evaluation, double now_s,
                                  std::optional<DirectiveId> asked) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    const NodeId original = OriginalOf(connection, campaign, node);
    if (CountEvaluations(connection, campaign, original) == 0) {
      return connection.Missing(Named(node));
    }
    if (asked) {
      // The first that sees what came of it.
      TRY_DONE(TakeUp(connection, campaign, NextDecision(connection, campaign),
                      {{*asked, ""}}));
    }
    return InsertFurther(connection, campaign, original, evaluation, now_s);
  });
}

}  // namespace coppice::store
