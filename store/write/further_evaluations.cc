#include "store/write/further_evaluations.h"

#include <optional>
#include <string>

#include "store/connection.h"
#include "store/database.h"
#include "store/named.h"
#include "store/records/verdict.h"
#include "store/records/worth.h"
#include "store/write/directives.h"
#include "store/write/evaluations.h"
#include "store/write/events.h"
#include "store/write/nodes.h"
#include "store/write/worths.h"

namespace coppice::store {
namespace {

std::int64_t NextDecision(Connection& connection, CampaignId campaign) {
  return connection.Number(
      "SELECT max(decision) + 1 FROM attempt WHERE campaign_id = ?", campaign);
}

// The next number of a further evaluation.
std::int64_t CountFurther(Connection& connection, CampaignId campaign) {
  connection.Run(
      "UPDATE campaign SET further = further + 1 WHERE campaign_id = ?",
      campaign);
  return connection.Number("SELECT further FROM campaign WHERE campaign_id = ?",
                           campaign);
}

}  // namespace

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
