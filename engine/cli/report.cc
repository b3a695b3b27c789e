#include "engine/cli/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>

#include "engine/campaign/short_text.h"
#include "engine/cli/counted.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/metrics.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "store/records/speedup_text.h"

namespace coppice::cli {
namespace {

using engine::CampaignReport;
using Json = nlohmann::ordered_json;

double RootRuntime(const CampaignReport& report) {
  return report.progress.root_runtime_s.value_or(std::nan(""));
}

// Its speedup and the best one's over it, or why there are none.
std::pair<std::string, std::string> ExpertCells(const CampaignReport& report) {
  if (!report.expert) return {};
  const store::Baseline& expert = *report.expert;
  if (!expert.best_over) return {std::string(Name(expert.verdict)), ""};
  return {SpeedupText(*expert.speedup),
          SpeedupText(*expert.best_over) + (expert.decided ? "" : " ?")};
}

Json ExpertJson(const store::Baseline& expert) {
  Json json = {{"verdict", Name(expert.verdict)}};
  if (!expert.best_over) return json;
  json.update(SpeedupJson(expert.speedup));
  json["best_over_expert"] = ComparisonJson(*expert.best_over);
  return json;
}

bool IsOpen(const CampaignReport& report) {
  return report.expert && report.expert->best_over && !report.expert->decided;
}

bool IsNear(const CampaignReport& report) {
  return report.rival && !report.rival->IsToldApart();
}

std::int64_t RoundsMadeAgain(const std::vector<CampaignReport>& reports) {
  std::int64_t rounds = 0;
  for (const CampaignReport& report : reports) {
    rounds += report.progress.made_again;
  }
  return rounds;
}

// A line for each.
void PrintBlemishes(const char* what, const std::vector<Blemish>& blemishes,
                    Streams& streams) {
  for (const Blemish& one : blemishes) {
    streams.out << what << ": " << Printable(one.task + ": " + one.reason)
                << "\n";
  }
}

Json BlemishJson(const Blemish& one) {
  return {{"task", one.task}, {"reason", one.reason}};
}

Json ReportJson(const CampaignReport& report) {
  const auto& progress = report.progress;
  const double root_s = RootRuntime(report);
  Json json = {{"task", report.task},
               {"campaign", report.campaign},
               {"root_runtime_s", root_s},
               {"best_runtime_s", root_s / progress.best_speedup.ratio},
               {"speedup", progress.best_speedup.ratio},
               {"confirmed", report.is_confirmed},
               {"best_node", Index(progress.best)},
               {"attempts", progress.attempts},
               {"elapsed_s", progress.elapsed_s},
               {"verdicts", VerdictsJson(progress.verdicts)}};
  json.update(SpeedupJson(progress.best_speedup));
  json["next"] = NextJson(report.rival);
  json["discarded_samples"] = progress.made_again;
  if (report.expert) json["expert"] = ExpertJson(*report.expert);
  return json;
}

}  // namespace

void PrintReport(const ReportContents& outcome,
                 const std::filesystem::path& database, Streams& streams) {
  const std::vector<CampaignReport>& reports = outcome.reports;
  const bool has_experts = std::ranges::any_of(
      reports,
      [](const CampaignReport& report) { return report.expert.has_value(); });
  Table table({"task", Right("root"), Right(kSpeedupTitle),
               OnlyIf(has_experts, Right("expert")),
               OnlyIf(has_experts, Right("best/expert")), Right("node"),
               Right("attempts"), "failures"});
  for (const CampaignReport& report : reports) {
    const auto& progress = report.progress;
    const auto [expert, share] = ExpertCells(report);
    table.AddRow({report.task, engine::DurationText(RootRuntime(report)),
                  SpeedupText(progress.best_speedup), expert, share,
                  WinnerText(progress.best, report.rival),
                  std::to_string(progress.attempts),
                  engine::FailureText(progress.verdicts)});
  }
  table.Print(streams);
  if (std::ranges::any_of(reports, IsNear)) streams.out << kWinnerNote;
  if (const std::int64_t again = RoundsMadeAgain(reports); again > 0) {
    streams.out << BusyText(again, "all rounds") << "\n";
  }
  if (std::ranges::any_of(reports, IsOpen)) {
    streams.out << "?: cannot be told from 1\n";
  }
  const store::Summary& summary = outcome.summary;
  streams.out << "\ngeometric-mean speedup "
              << TimesText(summary.geometric_mean) << " over "
              << Counted(reports.size(), "task") << ", success "
              << ShareText(summary.success) << ", fast_1 "
              << ShareText(summary.fast_1) << "\n";
  if (outcome.metrics) {
    PrintMetrics(*outcome.metrics, outcome.efficiency_is_bound, streams);
    streams.out << "\n";
  }
  PrintBlemishes("left out", outcome.screened.left_out, streams);
  PrintBlemishes("kept, though unfit", outcome.screened.kept, streams);
  streams.out << "every attempt is in " << database.string() << "\n";
}

void PrintReportJson(const ReportContents& outcome,
                     const std::filesystem::path& database, Streams& streams) {
  const store::Summary& summary = outcome.summary;
  Json document = {
      {"database", database.string()},
      {"geometric_mean_speedup", summary.geometric_mean},
      {"success", summary.success.share},
      {"success_undecided", summary.success.undecided},
      {"fast_1", summary.fast_1.share},
      {"fast_1_undecided", summary.fast_1.undecided},
      {"tasks", ArrayOf(outcome.reports, ReportJson)},
      {"left_out", ArrayOf(outcome.screened.left_out, BlemishJson)},
      {"kept_unfit", ArrayOf(outcome.screened.kept, BlemishJson)}};
  if (outcome.metrics) {
    document["metrics"] =
        MetricsJson(*outcome.metrics, outcome.efficiency_is_bound);
  }
  PrintDocument(document, streams.out);
}

}  // namespace coppice::cli
