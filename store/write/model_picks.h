// Which of several models attempts ask: as chosen, and what came of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/model_pick.h"

namespace coppice::store {

// What every decision chose, by decision and role.
Result<std::vector<AskedModel>> ReadAsked(Database& database,
                                          CampaignId campaign);

// What came of asking a model as the agent of a role: the view model_scores.
struct ModelScore {
  std::string campaign;
  std::string role;
  std::string model;
  std::int64_t chosen = 0;
  std::int64_t asked = 0;  // Of these: the attempt has its node.
  std::int64_t passed = 0;
  std::int64_t improved = 0;        // Over the nearest ancestor that passes.
  std::optional<double> mean_gain;  // None: nothing has come yet.
  std::optional<double> best_gain;  // None: nothing passed.
  std::optional<double> cost_usd;   // None: no price is known.
};

// How models of all campaigns did, or of the one named; by campaign, role and
// model.
Result<std::vector<ModelScore>> ReadModelScores(
    Database& database, const std::optional<std::string>& campaign);

// Private to this folder; each is a part of a transaction or reading.
void InsertPicks(Connection& connection, AttemptId attempt,
                 const std::vector<ModelPick>& picks);
std::vector<ModelPick> PicksOf(Connection& connection, AttemptId attempt);
// When the attempt is committed: no answer comes any more that counts.
void ClosePicks(Connection& connection, AttemptId attempt);

}  // namespace coppice::store
