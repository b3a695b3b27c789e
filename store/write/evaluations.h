// Evaluations with their workloads and samples.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write or Read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;
class Statement;

// Reads three columns from `column` on: ratio, low, high.  None: the first is
// NULL.
std::optional<Speedup> SpeedupAt(const Statement& row, int column);

// What goes into these columns.
struct SpeedupColumns {
  explicit SpeedupColumns(const std::optional<Speedup>& speedup);
  std::optional<double> ratio;
  std::optional<double> low;
  std::optional<double> high;
};

// What an evaluation judges: a node, or the baseline of a name.
using Judged = std::variant<NodeId, std::string>;

std::int64_t CountEvaluations(Connection& connection, CampaignId campaign,
                              const Judged& judged);

// `further` numbers those of the campaign that are made of nodes that were
// there already; none: a node is committed with it, or it is a baseline's.
Result<void> InsertEvaluation(Connection& connection, CampaignId campaign,
                              const Judged& judged, std::int64_t ordinal,
                              std::optional<std::int64_t> further,
                              const Evaluation& evaluation, double now_s);

Result<Evaluation> LoadEvaluation(Connection& connection, CampaignId campaign,
                                  const Judged& judged, std::int64_t ordinal);

}  // namespace coppice::store
