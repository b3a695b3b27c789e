// What campaigns came to: a row for each, for people or as JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/cli/screened.h"
#include "engine/documents/verb.h"
#include "engine/run/campaign_report.h"
#include "store/read/metrics.h"

namespace coppice::cli {

// All that is reported.
struct ReportContents {
  std::vector<engine::CampaignReport> reports;
  store::Summary summary;                 // Of these.
  std::optional<store::Metrics> metrics;  // Of those of a benchmark.
  bool efficiency_is_bound = false;       // Of any of these.
  Screened screened;
};

// Task, root and best runtime, speedup, attempts, failures by verdict; then the
// geometric mean, and where the database is.  If any expert was judged, its
// speedup stands beside the best one's, and how much of it that reached.  Then
// the metrics of a benchmark, if it is one, and the tasks that were left out.
void PrintReport(const ReportContents& outcome,
                 const std::filesystem::path& database, Streams& streams);
void PrintReportJson(const ReportContents& outcome,
                     const std::filesystem::path& database, Streams& streams);

}  // namespace coppice::cli
