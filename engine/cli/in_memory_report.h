// What campaigns in memory came to, for people, as JSON, as CSV and as figures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/compare/in_memory_grid.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/verb.h"
#include "engine/lab/sequential.h"

namespace coppice::cli {

// Policies at one budget, on one landscape or on all of them together.
struct TrialPart {
  std::int64_t budget = 0;
  std::string landscape;  // Empty: all.
  lab::Comparison comparison;
};

struct InMemoryTrial {
  engine::InMemoryGrid grid;
  std::optional<lab::Sequential> sequential;  // Of --until-told.
  std::string file;          // In which its scores are kept; empty: in none.
  std::int64_t missing = 0;  // Campaigns that are not played yet.
  std::string baseline;
  std::vector<TrialPart>
      parts;  // Budget by budget; of each, all together first.
};

// Compares policies part by part, by all threads, since resampling takes a
// while, too.  There is nothing to say where no seed was played by all policies
// yet.  `tell` is called by one thread at a time.
void CompareParts(const engine::InMemoryScores& scores,
                  const std::vector<lab::References>& references, int threads,
                  const std::function<void(double share)>& tell,
                  InMemoryTrial& trial);

// Whether so many seeds are enough, by all landscapes together.
bool IsTold(std::int64_t seeds, InMemoryTrial& trial);

void PrintTrial(const InMemoryTrial& trial, Streams& streams);
void PrintTrialJson(const InMemoryTrial& trial, Streams& streams);
RowSheet TrialSheet(const InMemoryTrial& trial);

// Every score that is known, as in_memory_scores.csv: the report can be made
// again from them.
Result<void> WriteScores(const engine::InMemoryScores& scores,
                         const std::filesystem::path& directory);

// All landscapes together at the last budget, and on the way there.  Single
// campaigns would be too many.
Result<void> DrawTrial(const InMemoryTrial& trial,
                       const std::filesystem::path& directory);

}  // namespace coppice::cli
