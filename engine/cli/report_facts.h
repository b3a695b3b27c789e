// All that the report of a campaign tells, read once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/campaign/failure_groups.h"
#include "engine/documents/campaign_rows.h"
#include "store/read/history.h"
#include "store/read/improvements.h"
#include "store/read/spend.h"
#include "store/records/environment.h"
#include "store/records/evaluation.h"
#include "store/records/outcome.h"
#include "store/write/baselines.h"
#include "store/write/claims.h"

namespace coppice::cli {

// A step of the way to the best.
struct LineageStep {
  store::Ancestor ancestor;
  std::string diff;  // From the one before; empty: the first, or nothing.
};

// What failed alike, with the log of the first; empty: of a group far down.
struct FailureExample {
  engine::FailureGroup group;
  std::string log;
};

// A node in the curve.
struct CurveNode {
  Verdict verdict = Verdict::kInconclusive;
  std::optional<double> speedup;
};

struct ReportFacts {
  Standing standing;
  std::vector<store::Leader> leaders;  // At most ten.
  std::vector<store::Improvement> improvements;
  std::vector<CurveNode> points;       // By number.
  std::vector<store::NodeLine> nodes;  // By number, the first of them.
  std::map<NodeId, store::ClaimLine> claims;
  std::vector<LineageStep> lineage;       // Of the best; empty: nothing passed.
  bool is_simulated = false;              // Its kernels are no programs.
  std::string source;                     // The best one's.
  std::vector<Evaluation> evaluations;    // The best one's, in the order made.
  std::vector<Environment> environments;  // The root's and the best one's.
  std::vector<FailureExample> failures;   // The largest first.
  std::int64_t failing = 0;               // Nodes that failed.
  std::vector<store::Baseline> baselines;
  std::vector<store::SpendLine> spend;
  store::ImprovementCost cost;
  std::optional<double> first_at_s;  // Unix time of the first node
  std::optional<double> last_at_s;   // and of the last.
};

Result<ReportFacts> ReadReportFacts(store::Database& database,
                                    const std::filesystem::path& file,
                                    store::CampaignRow row);

}  // namespace coppice::cli
