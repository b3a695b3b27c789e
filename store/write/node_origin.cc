#include "store/write/node_origin.h"

#include <algorithm>
#include <string>

#include "store/connection.h"
#include "store/kernel_hash.h"
#include "store/named.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/write/epoch_check.h"
#include "store/write/plans.h"

namespace coppice::store {
namespace {

Result<CodedWork> CheckAttempt(Connection& connection, CampaignId campaign,
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
  return CodedWork{read.OptionalAs<PlanId>(3), read.OptionalAs<BlobId>(4)};
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

}  // namespace

Result<CodedWork> CheckOrigin(Connection& connection, CampaignId campaign,
                              const std::optional<Holding>& attempt,
                              const NodeRecord& node) {
  if (attempt) return CheckAttempt(connection, campaign, *attempt, node);
  if (node.id != kRootNode || node.parent) {
    return connection.FailHere(
        Errc::kUsage,
        Named(node.id) + " has no attempt: only the root has none");
  }
  return CodedWork{};
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

Result<std::optional<PlanId>> PutPlan(Connection& connection,
                                      CampaignId campaign,
                                      const CodedWork& work,
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

Result<std::optional<std::uint64_t>> WrittenHash(
    Connection& connection, const CodedWork& work, const NodeRecord& node,
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

}  // namespace coppice::store
