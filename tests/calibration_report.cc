// Prints what sampling, Reflexion, STARK and its ablations come to on every
// calibrated landscape beside what the paper says; docs/landscapes.md shows it.
//
//   calibration_report [CAMPAIGNS]   of each row; by default 4,000
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/calibration.h"

namespace coppice {
namespace {

std::string Cell(const Comparison& number) {
  char text[32];
  if (number.paper) {
    std::snprintf(text, sizeof text, "%.3f / %.3f%s", number.simulated,
                  *number.paper, number.is_in_band ? "" : " !");
  } else {
    std::snprintf(text, sizeof text, "%.3f /   -", number.simulated);
  }
  return text;
}

int Run(int campaigns) {
  std::printf(
      "%d campaigns of %d attempts a row; simulated / paper; ! outside the "
      "band\n\n%-9s  %s  %-11s",
      campaigns, search::kPaperAttempts, "family", "l", "agent");
  for (const Comparison& number : Compare(search::PaperRows()[0], {})) {
    std::printf("  %-15s", number.name);
  }
  std::printf("\n");
  for (const std::string_view name : search::kFamilyNames) {
    const search::Family family = *search::ParseFamily(name);
    for (const search::PaperRow& row : search::PaperRows()) {
      std::printf("%-9s  %d  %-11s", std::string(name).c_str(), row.level,
                  std::string(row.agent).c_str());
      for (const Comparison& number :
           Compare(row, TallyOf(family, row, campaigns))) {
        std::printf("  %-15s", Cell(number).c_str());
      }
      std::printf("\n");
    }
  }
  return 0;
}

}  // namespace
}  // namespace coppice

int main(int argc, char** argv) {
  const int campaigns = argc > 1 ? std::atoi(argv[1]) : 4000;
  if (argc > 2 || campaigns < 1) {
    std::fprintf(stderr, "usage: calibration_report [CAMPAIGNS]\n");
    return 2;
  }
  return coppice::Run(campaigns);
}
