// What an agent of the paper's tables comes to on a calibrated landscape.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "search/landscapes/calibration.h"

namespace coppice {

// A row of the paper's tables, by level and agent: what calibration aims at.
struct PaperRow {
  int level;
  std::string_view agent;   // As its preset: "sampling", ...
  std::string_view policy;  // That the agent searches by.
  search::Workforce workforce;
  std::int64_t window;  // Relatives that the agents may be shown.
  // Shares of attempts; none where the paper does not say.
  std::optional<double> compiled;
  std::optional<double> correct;
  // Shares of tasks.  Printed as 92.6 % and 67.5 %, which are shares of no such
  // sample, and read as 13/14 and 5/8.
  std::optional<double> success;
  double fast_1;  // At least as fast as the root.
  double speed;   // Mean speedup of the successful ones.
};
const std::array<PaperRow, 11>& PaperRows();

inline constexpr int kPaperAttempts = 30;

// How many problems of a level the printed shares are of: 14, 8 and 8.
// (KernelBench's representative subset, which the paper names, has 18, 8
// and 9.)
int PaperTasks(int level);

// What the campaigns' own numbers are like.
struct Moments {
  double mean = 0.0;
  double sd = 0.0;
};

struct Tally {
  Moments compiled;  // Shares of a campaign's attempts.
  Moments correct;
  double success = 0.0;  // Shares of campaigns.
  double fast_1 = 0.0;
  // Measured speedups of the campaigns with a correct kernel, none counted
  // above e^3: a ceiling has no upper limit, and 14 tasks have one.
  Moments speed;
};

// Campaigns on the tasks with seeds 1 to `campaigns`, B = kPaperAttempts.
Tally TallyOf(search::Family family, const PaperRow& row, int campaigns);

// A number of the paper's beside the simulated one.
struct Comparison {
  const char* name;  // "compiled", ...
  double simulated = 0.0;
  std::optional<double> paper;
  // Whether the paper's number would be no surprise, had its sample (14, 8 or 8
  // problems) been drawn from the simulation: neither tail beyond it has less
  // than 0.5 %.  Shares of problems are binomial.  Means over problems are
  // normal with the spread that problems have in the simulation.
  bool is_in_band = true;
};
std::array<Comparison, 5> Compare(const PaperRow& row, const Tally& tally);

// A percentage as the paper prints it.
struct PrintedShare {
  const char* table;
  int level;
  const char* agent;
  const char* name;
  double percent;
  int decimals;         // Printed with so many at most.
  bool is_of_attempts;  // 30 of each problem; else of the problems.
};

// Those of tables 1 to 3 that are no share of so many.
std::vector<PrintedShare> ImpossibleShares();

}  // namespace coppice
