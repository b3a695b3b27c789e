// What a comparison of policies came to, for people, as JSON and as CSV files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/documents/row_sheet.h"
#include "engine/documents/verb.h"
#include "engine/lab/comparison.h"
#include "engine/run/grid.h"

namespace coppice::cli {

struct ComparisonReport {
  std::string source;  // Where its campaigns are: "x.db".
  engine::Grid grid;
  std::vector<lab::Score> scores;
  std::vector<engine::Cell> missing;  // Cells without a score.
  lab::Comparison comparison;         // Of the scores.
};

// Scores that are of the measurement that chose the kernel.
std::int64_t CountUnproven(const ComparisonReport& report);

void PrintComparison(const ComparisonReport& report, Streams& streams);
void PrintComparisonJson(const ComparisonReport& report, Streams& streams);

// What both have: policies, baseline, differences, profiles, curves.
nlohmann::ordered_json ComparisonJson(const lab::Comparison& comparison);

nlohmann::ordered_json EstimateJson(const lab::IntervalEstimate& estimate);
nlohmann::ordered_json DifferenceJson(const lab::Difference& difference);

// Appends value, low end and high end; without an interval the ends are null.
void AppendCells(const lab::IntervalEstimate& estimate,
                 std::vector<nlohmann::ordered_json>& row);

// Makes the directories of --csv and --figures, so that one that cannot be made
// is known before hours of work.
Result<void> MakeDirectories(const Invocation& invocation);

// Writes into a directory that exists: policies.csv, differences.csv,
// profiles.csv, curves.csv and campaigns.csv.
Result<void> WriteComparisonCsv(const ComparisonReport& report,
                                const std::filesystem::path& directory);

// "0.452 (0.424 to 0.474)".
std::string Ranged(const lab::IntervalEstimate& estimate, const char* format);

// Each difference from the baseline, with its finding; nothing if there is
// none.
void PrintDifferences(const lab::Comparison& comparison, Streams& streams);

// What each difference is worth over other tasks, and over other families of
// them; nothing if there is but one task.
void PrintOverTasks(const lab::Comparison& comparison, Streams& streams);

// Shares of the optimum and scores over random search; nothing if no task has a
// reference to tell by.
void PrintKnown(const lab::Comparison& comparison, Streams& streams);

// Why intervals are not there, as a line; empty: they are.
std::string IntervalWarning(const lab::Comparison& comparison);

std::string_view NameOf(lab::DifferenceSign finding);  // "cannot_tell"

// "cannot tell: about 12 more seeds would".
std::string FindingText(const lab::Difference& difference);

}  // namespace coppice::cli
