// Prints STARK's tables 1 to 3 as they come out on the calibrated landscapes,
// beside what the paper says: what fits, and what does not.
// docs/landscapes.md shows it.
//
//   calibration_report [CAMPAIGNS]   of each row; by default 4,000
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/calibration.h"

namespace coppice {
namespace {

using Numbers = std::array<Comparison, 5>;

constexpr std::size_t kCompiled = 0;
constexpr std::size_t kCorrect = 1;
constexpr std::size_t kSuccess = 2;
constexpr std::size_t kFast1 = 3;
constexpr std::size_t kSpeed = 4;

// The numbers of each row of the paper, by family.
struct Results {
  std::array<std::vector<Numbers>, search::kFamilyNames.size()> of;
};

Results Simulate(int campaigns) {
  Results results;
  for (std::size_t f = 0; f < search::kFamilyNames.size(); ++f) {
    const auto family = *search::ParseFamily(search::kFamilyNames.at(f));
    for (const PaperRow& row : PaperRows()) {
      results.of.at(f).push_back(Compare(row, TallyOf(family, row, campaigns)));
    }
  }
  return results;
}

std::string Beside(double simulated, const std::optional<double>& paper) {
  char text[32];
  if (paper) {
    std::snprintf(text, sizeof text, "%.3f / %.3f", simulated, *paper);
  } else {
    std::snprintf(text, sizeof text, "%.3f /   -", simulated);
  }
  return text;
}

// The mean over the families; "!2" if two of them are outside the band.
std::string Cell(const Results& results, std::size_t row, std::size_t number) {
  double sum = 0.0;
  int outside = 0;
  for (const auto& family : results.of) {
    sum += family[row].at(number).simulated;
    outside += family[row].at(number).is_in_band ? 0 : 1;
  }
  std::string text = Beside(sum / static_cast<double>(results.of.size()),
                            results.of[0][row].at(number).paper);
  if (outside > 0) text += " !" + std::to_string(outside);
  return text;
}

// Cells in columns, and no blank at the end.
void PrintLine(std::string line, const std::vector<std::string>& cells) {
  constexpr std::size_t kWidth = 17;
  for (const std::string& cell : cells) {
    line += "  " + cell;
    line.append(kWidth - std::min(kWidth, cell.size()), ' ');
  }
  line.resize(line.find_last_not_of(' ') + 1);
  std::printf("%s\n", line.c_str());
}

void PrintTable(const char* title, const Results& results,
                const std::function<bool(const PaperRow&)>& is_in,
                const std::vector<std::size_t>& numbers) {
  std::vector<std::string> names;
  for (const std::size_t number : numbers) {
    names.emplace_back(results.of[0][0].at(number).name);
  }
  std::printf("%s\n\n", title);
  PrintLine("level  agent      ", names);
  for (std::size_t i = 0; i < PaperRows().size(); ++i) {
    const PaperRow& row = PaperRows().at(i);
    if (!is_in(row)) continue;
    char head[32];
    std::snprintf(head, sizeof head, "%-5d  %-11s", row.level,
                  std::string(row.agent).c_str());
    std::vector<std::string> cells;
    for (const std::size_t number : numbers) {
      cells.push_back(Cell(results, i, number));
    }
    PrintLine(head, cells);
  }
  std::printf("\n");
}

void PrintMisfits(const Results& results) {
  std::printf("Outside the band\n\n");
  for (std::size_t i = 0; i < PaperRows().size(); ++i) {
    const PaperRow& row = PaperRows().at(i);
    for (std::size_t number = 0; number < Numbers().size(); ++number) {
      std::string families;
      for (std::size_t f = 0; f < results.of.size(); ++f) {
        const Comparison& one = results.of.at(f)[i].at(number);
        if (one.is_in_band) continue;
        char text[48];
        std::snprintf(text, sizeof text, "  %s %.3f",
                      std::string(search::kFamilyNames.at(f)).c_str(),
                      one.simulated);
        families += text;
      }
      if (families.empty()) continue;
      const Comparison& one = results.of[0][i].at(number);
      std::printf("level %d %s %s, %.3f in the paper:%s\n", row.level,
                  std::string(row.agent).c_str(), one.name, *one.paper,
                  families.c_str());
    }
  }
  std::printf("\nPrinted, but no share of so many\n\n");
  for (const PrintedShare& share : ImpossibleShares()) {
    const int problems = PaperTasks(share.level);
    std::printf("table %s, level %d %s %s: %.1f %% of %d %s\n", share.table,
                share.level, share.agent, share.name, share.percent,
                share.is_of_attempts ? problems * kPaperAttempts : problems,
                share.is_of_attempts ? "attempts" : "problems");
  }
}

void PrintFamilies(const Results& results) {
  std::vector<std::string> names;
  for (const Comparison& number : results.of[0][0]) {
    names.emplace_back(number.name);
  }
  std::printf("\nBy family\n\n");
  PrintLine("family     l  agent      ", names);
  for (std::size_t f = 0; f < results.of.size(); ++f) {
    for (std::size_t i = 0; i < PaperRows().size(); ++i) {
      const PaperRow& row = PaperRows().at(i);
      char head[40];
      std::snprintf(head, sizeof head, "%-9s  %d  %-11s",
                    std::string(search::kFamilyNames.at(f)).c_str(), row.level,
                    std::string(row.agent).c_str());
      std::vector<std::string> cells;
      for (const Comparison& number : results.of.at(f)[i]) {
        cells.push_back(Beside(number.simulated, number.paper) +
                        (number.is_in_band ? "" : " !"));
      }
      PrintLine(head, cells);
    }
  }
}

int Run(int campaigns) {
  std::printf(
      "%d campaigns of %d attempts a row and family; simulated / paper; ! "
      "outside the band\n\n",
      campaigns, kPaperAttempts);
  const Results results = Simulate(campaigns);
  PrintTable(
      "Table 1, over Torch eager, which is the root (its columns over "
      "torch.compile have no counterpart)",
      results, [](const PaperRow& row) { return row.success.has_value(); },
      {kSuccess, kFast1, kSpeed});
  PrintTable("Table 2", results,
             [](const PaperRow& row) { return row.compiled.has_value(); },
             {kCompiled, kCorrect});
  PrintTable("Table 3, over Torch eager", results,
             [](const PaperRow& row) {
               return row.level == 3 && row.agent != "reflexion";
             },
             {kFast1, kSpeed});
  PrintMisfits(results);
  PrintFamilies(results);
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
