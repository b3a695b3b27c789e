// What model calls cost: the views spend_by_day and improvement_costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"

namespace coppice::store {

// What one campaign, UTC day, role and model cost.
struct SpendLine {
  std::string campaign;
  std::string day;  // "2026-11-21".
  std::string role;
  std::string provider;
  std::string model;
  std::int64_t calls = 0;
  std::int64_t failed = 0;
  std::int64_t unanswered = 0;  // In flight, or of unknown outcome.
  std::int64_t input_tokens = 0;
  std::int64_t cached_input_tokens = 0;  // Of input_tokens.
  std::int64_t output_tokens = 0;
  double cost_usd = 0.0;
  double latency_s = 0.0;
};

// What all campaigns cost, or the one named; by campaign, day, role and model.
Result<std::vector<SpendLine>> ReadSpend(
    Database& database, const std::optional<std::string>& campaign);

struct ImprovementCost {
  std::string campaign;
  double cost_usd = 0.0;
  double unsettled_usd = 0.0;  // That unanswered calls may have cost besides.
  std::int64_t improvements = 0;
  std::optional<double> usd_per_improvement;  // None: there is none.
  std::optional<double> best_speedup;
};

Result<std::vector<ImprovementCost>> ReadImprovementCosts(
    Database& database, const std::optional<std::string>& campaign);

// What counts against caps of the UTC day that `now_s`, Unix time, is in: of
// all campaigns, with all that requests on their way may cost.
Result<double> ReadDayCost(Database& database, double now_s);

}  // namespace coppice::store
