#include "store/experts.h"

#include "store/connection.h"
#include "store/evaluations.h"
#include "store/events.h"

namespace coppice::store {

Result<void> AddExpertEvaluation(Database& database, CampaignId campaign,
                                 const Evaluation& evaluation, double now_s) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<void> {
    const std::int64_t ordinal =
        CountEvaluations(connection, campaign, std::nullopt);
    TRY_DONE(InsertEvaluation(connection, campaign, std::nullopt, ordinal,
                              evaluation, now_s));
    RecordEvent(connection, campaign, now_s, "evaluated", std::nullopt,
                "expert");
    return {};
  });
}

Result<std::optional<Evaluation>> ReadExpertEvaluation(Database& database,
                                                       CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::optional<Evaluation>> {
    const std::int64_t count =
        CountEvaluations(connection, campaign, std::nullopt);
    if (count == 0) return std::optional<Evaluation>();
    TRY(evaluation,
        LoadEvaluation(connection, campaign, std::nullopt, count - 1));
    return std::optional(std::move(evaluation));
  });
}

}  // namespace coppice::store
