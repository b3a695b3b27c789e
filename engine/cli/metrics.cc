#include "engine/cli/metrics.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "engine/cli/counted.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "store/records/formatted.h"

namespace coppice::cli {
namespace {

std::string WholePercent(double share) {
  return Formatted("%.0f %%", 100.0 * share);
}

std::string ShortText(double number) { return Formatted("%g", number); }

std::string NameOf(const store::YardstickMetrics& yardstick) {
  return yardstick.over + (yardstick.quoted ? " (quoted)" : "");
}

// Beside what it is of, in the narrow columns of a table.
std::string WithUndecided(std::string text, std::int64_t undecided) {
  if (undecided > 0) text += " ?" + std::to_string(undecided);
  return text;
}

bool IsAnyOpen(const std::vector<store::YardstickMetrics::FastP>& fast) {
  return std::ranges::any_of(
      fast, [](const auto& at) { return at.fast.undecided > 0; });
}

bool IsAnyOpen(const std::vector<store::YardstickMetrics::PerfAtK>& perf) {
  return std::ranges::any_of(perf,
                             [](const auto& at) { return at.undecided > 0; });
}

void PrintFast(const std::vector<store::YardstickMetrics>& over,
               Streams& streams) {
  std::vector<Column> columns = {"over", Right("tasks"), Right("speed")};
  for (const auto& [p, fast] : over.front().fast) {
    columns.push_back(Right("fast_" + ShortText(p)));
  }
  Table table(std::move(columns));
  for (const store::YardstickMetrics& row : over) {
    std::vector<std::string> cells = {NameOf(row),
                                      std::to_string(row.campaigns),
                                      TimesText(row.geometric_mean)};
    for (const auto& [p, fast] : row.fast) {
      cells.push_back(WithUndecided(WholePercent(fast.share), fast.undecided));
    }
    table.AddRow(std::move(cells));
  }
  table.Print(streams);
}

RowSheet AtKSheet(const std::vector<store::AtK>& at_k) {
  RowSheet sheet{"at_k",
                 {"k", RowColumn("pass@k", "pass_at_k", WholePercent),
                  RowColumn("speedup@k", "speedup_at_k", TimesText),
                  RowColumn("efficiency@k", "efficiency_at_k", WholePercent)}};
  for (const store::AtK& row : at_k) {
    sheet.rows.push_back(
        {row.k, row.pass, row.speedup, OrNull(row.efficiency)});
  }
  return sheet;
}

void PrintPerf(const std::vector<store::YardstickMetrics>& over,
               Streams& streams) {
  std::vector<Column> columns = {"perf@k over", Right("tasks")};
  const store::YardstickMetrics& longest = *std::ranges::max_element(
      over, {},
      [](const store::YardstickMetrics& one) { return one.perf.size(); });
  for (const auto& at : longest.perf) {
    columns.push_back(Right("k=" + std::to_string(at.k)));
  }
  Table table(std::move(columns));
  for (const store::YardstickMetrics& row : over) {
    if (row.perf.empty()) continue;
    std::vector<std::string> cells = {NameOf(row),
                                      std::to_string(row.campaigns)};
    for (const auto& at : row.perf) {
      cells.push_back(WithUndecided(TimesText(at.perf), at.undecided));
    }
    cells.resize(longest.perf.size() + 2);
    table.AddRow(std::move(cells));
  }
  table.Print(streams);
}

}  // namespace

std::string ShareText(const store::Share& share) {
  std::string text = WholePercent(share.share);
  if (share.undecided > 0) {
    text += " (" + std::to_string(share.undecided) + " undecided)";
  }
  return text;
}

void PrintMetrics(const store::Metrics& metrics, bool efficiency_is_bound,
                  Streams& streams) {
  streams.out << "\ncompile rate " << WholePercent(metrics.compile_rate)
              << ", correct rate " << WholePercent(metrics.correct_rate)
              << " of all candidates; success on " << ShareText(metrics.success)
              << " of the tasks\n";
  if (metrics.others > 0) {
    streams.out << Counted(metrics.others,
                           "candidate that another policy chose is",
                           "candidates that another policy chose are")
                << " not counted\n";
  }
  if (metrics.over.empty()) return;
  streams.out << "\n";
  PrintFast(metrics.over, streams);
  const auto any = [&](auto has) {
    return std::ranges::any_of(metrics.over, has);
  };
  if (any([](const store::YardstickMetrics& one) {
        return IsAnyOpen(one.fast);
      })) {
    streams.out << "?N: N of the tasks are undecided\n";
  }
  if (any([](const store::YardstickMetrics& one) { return one.quoted; })) {
    streams.out << "quoted: the root's seconds here over those that others "
                   "measured; no interval\n";
  }
  if (metrics.at_k.empty()) return;
  streams.out << "\n";
  PrintTable(AtKSheet(metrics.at_k), streams);
  streams.out << "of k candidates of a search, which know of those before "
                 "them\n";
  const bool efficient = std::ranges::any_of(
      metrics.at_k, [](const store::AtK& row) { return bool(row.efficiency); });
  if (efficiency_is_bound && efficient) {
    streams.out << "efficiency@k is a lower bound: of tasks in PyTorch only "
                   "writing the outputs counts\n";
  }
  if (!any([](const store::YardstickMetrics& one) {
        return !one.perf.empty();
      })) {
    return;
  }
  streams.out << "\n";
  PrintPerf(metrics.over, streams);
  if (any([](const store::YardstickMetrics& one) {
        return IsAnyOpen(one.perf);
      })) {
    streams.out << "?N: of N tasks it cannot be told from 1\n";
  }
}

nlohmann::ordered_json MetricsJson(const store::Metrics& metrics,
                                   bool efficiency_is_bound) {
  nlohmann::ordered_json over = nlohmann::ordered_json::array();
  for (const store::YardstickMetrics& row : metrics.over) {
    nlohmann::ordered_json fast;
    nlohmann::ordered_json perf;
    nlohmann::ordered_json fast_open;
    nlohmann::ordered_json perf_open;
    for (const auto& [p, share] : row.fast) {
      fast[ShortText(p)] = share.share;
      fast_open[ShortText(p)] = share.undecided;
    }
    for (const auto& at : row.perf) {
      perf[std::to_string(at.k)] = at.perf;
      perf_open[std::to_string(at.k)] = at.undecided;
    }
    over.push_back({{"over", row.over},
                    {"quoted", row.quoted},
                    {"tasks", row.campaigns},
                    {"geometric_mean_speed", row.geometric_mean},
                    {"fast_p", fast},
                    {"fast_p_undecided", fast_open},
                    {"perf_at_k", perf},
                    {"perf_at_k_undecided", perf_open}});
  }
  return {{"candidates_of_other_policies", metrics.others},
          {"compile_rate", metrics.compile_rate},
          {"correct_rate", metrics.correct_rate},
          {"success", metrics.success.share},
          {"undecided", metrics.success.undecided},
          {"over", over},
          {"at_k", RowsJson(AtKSheet(metrics.at_k))},
          {"efficiency_is_lower_bound", efficiency_is_bound}};
}

}  // namespace coppice::cli
