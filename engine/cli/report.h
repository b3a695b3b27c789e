// What campaigns came to: a row for each, for people or as JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/metrics.h"
#include "engine/cli/verb.h"
#include "engine/session.h"

namespace coppice::cli {

// Of speedups; 1 for none.
double GeometricMean(const std::vector<double>& values);

// Share of the reports with a passing node beside the root, and with one
// faster than the root (fast_1 of KernelBench, with the root as baseline).
struct Shares {
  double success = 0.0;
  double fast_1 = 0.0;
  // Reports that count for fast_1, though their interval holds 1.
  std::int64_t undecided = 0;
};
Shares SharesOf(const std::vector<engine::CampaignReport>& reports);

// A task that is not as it should be.
struct Blemish {
  std::string task;
  std::string reason;
};

// Of the tasks that were asked for.
struct Screened {
  std::vector<Blemish> left_out;
  std::vector<Blemish> kept;  // Though they measure nothing.
};

// Task, root and best runtime, speedup, attempts, failures by verdict; then the
// geometric mean, and where the database is.  If any expert was judged, its
// speedup stands beside the best one's, and how much of it that reached.  Then
// the metrics of a benchmark, if it is one, and the tasks that were left out.
void PrintReport(const std::vector<engine::CampaignReport>& reports,
                 const std::optional<Metrics>& metrics,
                 const Screened& screened,
                 const std::filesystem::path& database, Streams& streams);
void PrintReportJson(const std::vector<engine::CampaignReport>& reports,
                     const std::optional<Metrics>& metrics,
                     const Screened& screened,
                     const std::filesystem::path& database, Streams& streams);

}  // namespace coppice::cli
