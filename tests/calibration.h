// What an agent of the paper's tables comes to on a calibrated landscape.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "search/landscapes/calibration.h"

namespace coppice {

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
Tally TallyOf(search::Family family, const search::PaperRow& row,
              int campaigns);

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
std::array<Comparison, 5> Compare(const search::PaperRow& row,
                                  const Tally& tally);

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
