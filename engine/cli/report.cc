#include "engine/cli/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>

#include "engine/cli/document.h"
#include "engine/cli/looking.h"
#include "engine/cli/table.h"
#include "engine/display.h"

namespace coppice::cli {
namespace {

using engine::CampaignReport;

std::string PercentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100.0 * share);
  return text;
}

double RootRuntime(const CampaignReport& report) {
  if (report.confirmation) return report.confirmation->root_runtime_s;
  return report.progress.root_runtime_s.value_or(std::nan(""));
}

std::vector<double> Speedups(const std::vector<CampaignReport>& reports) {
  std::vector<double> speedups;
  speedups.reserve(reports.size());
  for (const CampaignReport& report : reports) {
    speedups.push_back(engine::Speedup(report));
  }
  return speedups;
}

std::int64_t Passed(const CampaignReport& report) {
  return report.progress.verdicts.at(
      static_cast<std::size_t>(Verdict::kPassed));
}

constexpr std::ptrdiff_t kAfterSpeedup = 4;  // Columns.

// Its speedup and the best one's over it, or why there are none.
std::pair<std::string, std::string> ExpertCells(const CampaignReport& report) {
  if (!report.expert) return {};
  const std::optional<double> expert = ExpertSpeedup(report);
  if (!expert) return {std::string(Name(report.expert->verdict)), ""};
  return {TimesText(*expert), TimesText(engine::Speedup(report) / *expert)};
}

nlohmann::ordered_json ExpertJson(const CampaignReport& report) {
  nlohmann::ordered_json document;
  document["verdict"] = Name(report.expert->verdict);
  if (const std::optional<double> expert = ExpertSpeedup(report)) {
    document["runtime_s"] = *report.expert->runtime_s;
    document["root_runtime_s"] = *report.expert->root_runtime_s;
    document["speedup"] = *expert;
    document["best_over_expert"] = engine::Speedup(report) / *expert;
  }
  return document;
}

// A line for each.
void PrintBlemishes(const char* what, const std::vector<Blemish>& blemishes,
                    Streams& streams) {
  for (const Blemish& one : blemishes) {
    streams.out << what << ": " << Printable(one.task + ": " + one.reason)
                << "\n";
  }
}

nlohmann::ordered_json BlemishesJson(const std::vector<Blemish>& blemishes) {
  auto documents = nlohmann::ordered_json::array();
  for (const Blemish& one : blemishes) {
    documents.push_back({{"task", one.task}, {"reason", one.reason}});
  }
  return documents;
}

}  // namespace

double GeometricMean(const std::vector<double>& values) {
  if (values.empty()) return 1.0;
  double log_sum = 0.0;
  for (const double value : values) log_sum += std::log(value);
  return std::exp(log_sum / static_cast<double>(values.size()));
}

Shares SharesOf(const std::vector<CampaignReport>& reports) {
  if (reports.empty()) return {};
  Shares shares;
  for (const CampaignReport& report : reports) {
    if (Passed(report) > 0) shares.success += 1.0;
    if (engine::Speedup(report) > 1.0) shares.fast_1 += 1.0;
  }
  const auto count = static_cast<double>(reports.size());
  return {shares.success / count, shares.fast_1 / count};
}

void PrintReport(const std::vector<CampaignReport>& reports,
                 const std::optional<Metrics>& metrics,
                 const Screened& screened,
                 const std::filesystem::path& database, Streams& streams) {
  const bool has_experts = std::ranges::any_of(
      reports,
      [](const CampaignReport& report) { return report.expert.has_value(); });
  std::vector<Column> columns = {{"task"},
                                 {"root", Align::kRight},
                                 {"best", Align::kRight},
                                 {"speedup", Align::kRight},
                                 {"node", Align::kRight},
                                 {"attempts", Align::kRight},
                                 {"failures"}};
  if (has_experts) {
    columns.insert(columns.begin() + kAfterSpeedup,
                   {{"expert", Align::kRight}, {"best/expert", Align::kRight}});
  }
  Table table(std::move(columns));
  for (const CampaignReport& report : reports) {
    const double root_s = RootRuntime(report);
    std::vector<std::string> row = {
        report.task,
        engine::DurationText(root_s),
        engine::DurationText(root_s / engine::Speedup(report)),
        TimesText(engine::Speedup(report)),
        std::to_string(Index(report.progress.best)),
        std::to_string(report.progress.attempts),
        engine::FailureText(report.progress.verdicts)};
    if (has_experts) {
      const auto [expert, share] = ExpertCells(report);
      row.insert(row.begin() + kAfterSpeedup, {expert, share});
    }
    table.AddRow(std::move(row));
  }
  table.Print(streams);
  const Shares shares = SharesOf(reports);
  streams.out << "\ngeometric-mean speedup "
              << TimesText(GeometricMean(Speedups(reports))) << " over "
              << reports.size() << (reports.size() == 1 ? " task" : " tasks")
              << ", success " << PercentText(shares.success) << ", fast_1 "
              << PercentText(shares.fast_1) << "\n";
  if (metrics) PrintMetrics(*metrics, streams);
  if (metrics) streams.out << "\n";
  PrintBlemishes("left out", screened.left_out, streams);
  PrintBlemishes("kept, though unfit", screened.kept, streams);
  streams.out << "every attempt is in " << database.string() << "\n";
}

void PrintReportJson(const std::vector<CampaignReport>& reports,
                     const std::optional<Metrics>& metrics,
                     const Screened& screened,
                     const std::filesystem::path& database, Streams& streams) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const CampaignReport& report : reports) {
    nlohmann::ordered_json verdicts;
    for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
      verdicts[std::string(kVerdictNames[i])] = report.progress.verdicts[i];
    }
    const double root_s = RootRuntime(report);
    tasks.push_back({{"task", report.task},
                     {"campaign", report.campaign},
                     {"root_runtime_s", root_s},
                     {"best_runtime_s", root_s / engine::Speedup(report)},
                     {"speedup", engine::Speedup(report)},
                     {"confirmed", report.confirmation.has_value()},
                     {"best_node", Index(report.progress.best)},
                     {"attempts", report.progress.attempts},
                     {"elapsed_s", report.progress.elapsed_s},
                     {"verdicts", verdicts}});
    if (report.expert) tasks.back()["expert"] = ExpertJson(report);
  }
  const Shares shares = SharesOf(reports);
  nlohmann::ordered_json document = {
      {"database", database.string()},
      {"geometric_mean_speedup", GeometricMean(Speedups(reports))},
      {"success", shares.success},
      {"fast_1", shares.fast_1},
      {"tasks", tasks},
      {"left_out", BlemishesJson(screened.left_out)},
      {"kept_unfit", BlemishesJson(screened.kept)}};
  if (metrics) document["metrics"] = MetricsJson(*metrics);
  PrintDocument(document, streams.out);
}

}  // namespace coppice::cli
