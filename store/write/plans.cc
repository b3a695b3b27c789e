#include "store/write/plans.h"

#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/records/technique.h"

namespace coppice::store {

Result<PlanId> InsertPlan(Connection& connection, const Plan& plan,
                          std::optional<BlobId> like) {
  TRY(annotated,
      connection.blobs().Put(plan.annotated_source, like, Future::kLeaf));
  const std::vector<Technique> techniques = TechniquesOf(plan.technique);
  connection.Run(
      "INSERT INTO plan (technique, technique_name, technique_arguments,"
      " advice, annotated_blob, anchors, grounded)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)",
      plan.technique, NamesOf(techniques), ArgumentsOf(techniques), plan.advice,
      annotated.id, plan.anchors, plan.grounded);
  return static_cast<PlanId>(connection.LastRowId());
}

Result<Plan> LoadPlan(Connection& connection, PlanId id) {
  Plan plan;
  BlobId annotated{};
  {
    Statement read = connection.Prepare(
        "SELECT technique, advice, annotated_blob, anchors, grounded FROM plan"
        " WHERE plan_id = ?");
    if (!read.Bind(id).Step()) {
      return connection.FailHere(
          Errc::kCorrupt, "plan " +
                              std::to_string(static_cast<std::int64_t>(id)) +
                              " is missing");
    }
    plan.technique = read.Text(0);
    plan.advice = read.Text(1);
    annotated = read.As<BlobId>(2);
    plan.anchors = read.As<int>(3);
    plan.grounded = read.Int(4) != 0;
  }
  TRY_ASSIGN(plan.annotated_source, connection.blobs().Text(annotated));
  return plan;
}

std::optional<BlobId> SourceOf(Connection& connection, CampaignId campaign,
                               NodeId node) {
  return connection.Find<BlobId>(
      "SELECT source_blob FROM node WHERE campaign_id = ? AND number = ?",
      campaign, node);
}

}  // namespace coppice::store
