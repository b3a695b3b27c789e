// A comparison as JSON and as CSV files.
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>
#include <utility>

#include "engine/cli/comparison_report.h"
#include "engine/cli/output.h"
#include "engine/documents/csv.h"
#include "engine/documents/document.h"

namespace coppice::cli {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string_view NameOf(lab::Finding finding) {
  switch (finding) {
    case lab::Finding::kBetter:
      return "better";
    case lab::Finding::kWorse:
      return "worse";
    case lab::Finding::kCannotTell:
      return "cannot_tell";
  }
  return "cannot_tell";
}

}  // namespace

Json EstimateJson(const lab::Estimate& estimate) {
  Json json = {{"value", estimate.value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate.interval) {
    json["low"] = estimate.interval->low;
    json["high"] = estimate.interval->high;
  }
  return json;
}

Json DifferenceJson(const lab::Difference& difference) {
  Json json = {
      {"policy", difference.policy},
      {"pairs", difference.pairs},
      {"log_speedup", EstimateJson(difference.log_speedup)},
      {"tasks", difference.tasks},
      {"log_speedup_over_tasks", EstimateJson(difference.over_tasks)},
      {"families", difference.families},
      {"log_speedup_over_families", EstimateJson(difference.over_families)},
      {"standard_deviation", difference.standard_deviation},
      {"p", difference.p},
      {"p_holm", difference.adjusted_p},
      {"probability_of_improvement", difference.probability_of_improvement},
      {"finding", NameOf(difference.finding)},
      {"more_seeds", nullptr}};
  if (difference.more_seeds) json["more_seeds"] = *difference.more_seeds;
  return json;
}

namespace {

Json ToJson(const lab::PolicySummary& policy) {
  return {{"policy", policy.policy},
          {"campaigns", policy.campaigns},
          {"success", policy.success},
          {"fast_1", policy.fast_1},
          {"undecided", policy.undecided},
          {"compiled", policy.compiled},
          {"passed", policy.passed},
          {"mean_speedup", policy.arithmetic_mean_speedup},
          {"geometric_mean_speedup", policy.geometric_mean_speedup},
          {"mean_log_speedup", EstimateJson(policy.log_speedup.mean)},
          {"interquartile_mean_log_speedup",
           EstimateJson(policy.log_speedup.interquartile_mean)}};
}

Json KnownJson(const std::optional<lab::Known>& known) {
  if (!known) return nullptr;
  Json policies = Json::array();
  for (const lab::KnownSummary& each : known->policies) {
    policies.push_back(
        {{"policy", each.policy},
         {"share_of_optimum", EstimateJson(each.share)},
         {"over_random_search", EstimateJson(each.over_random)},
         {"difference_of_share_over_tasks", EstimateJson(each.over_tasks)},
         {"difference_of_share_over_families",
          EstimateJson(each.over_families)}});
  }
  return {{"tasks", known->tasks},
          {"open_tasks", known->open_tasks},
          {"families", known->families},
          {"random_share_of_optimum", known->random_share},
          {"policies", std::move(policies)}};
}

Json CurvesJson(const lab::Comparison& comparison) {
  Json curves = Json::array();
  for (std::size_t p = 0; p < comparison.curves.size(); ++p) {
    Json points = Json::array();
    for (const lab::CurvePoint& point : comparison.curves[p]) {
      points.push_back(
          {{"spent", point.spent},
           {"mean_log_speedup", EstimateJson(point.log_speedup.mean)},
           {"interquartile_mean_log_speedup",
            EstimateJson(point.log_speedup.interquartile_mean)}});
    }
    curves.push_back({{"policy", comparison.policies[p].policy},
                      {"points", std::move(points)}});
  }
  return curves;
}

Json ProfilesJson(const lab::Comparison& comparison) {
  Json profiles = {{"factors", comparison.profile_factors},
                   {"races", comparison.races},
                   {"shares", Json::array()}};
  for (std::size_t p = 0; p < comparison.profiles.size(); ++p) {
    profiles["shares"].push_back({{"policy", comparison.policies[p].policy},
                                  {"at_factors", comparison.profiles[p]}});
  }
  return profiles;
}

Json CellJson(const engine::Cell& cell) {
  return {{"policy", cell.policy}, {"task", cell.task}, {"seed", cell.seed}};
}

std::string PoliciesCsv(const lab::Comparison& comparison) {
  std::string text =
      "policy,campaigns,success,fast_1,compiled,passed,mean_speedup,"
      "geometric_mean_speedup,mean_log_speedup,mean_low,mean_high,"
      "iqm_log_speedup,iqm_low,iqm_high,undecided\n";
  for (const lab::PolicySummary& policy : comparison.policies) {
    std::vector<std::string> row = {policy.policy,
                                    std::to_string(policy.campaigns)};
    for (const double value :
         {policy.success, policy.fast_1, policy.compiled, policy.passed,
          policy.arithmetic_mean_speedup, policy.geometric_mean_speedup}) {
      row.push_back(CsvNumber(value));
    }
    AppendFields(policy.log_speedup.mean, row);
    AppendFields(policy.log_speedup.interquartile_mean, row);
    row.push_back(std::to_string(policy.undecided));
    text += CsvLine(row);
  }
  return text;
}

std::string DifferencesCsv(const lab::Comparison& comparison) {
  std::string text =
      "policy,baseline,pairs,log_speedup,low,high,standard_deviation,p,p_holm,"
      "probability_of_improvement,finding,more_seeds,tasks,over_tasks,"
      "over_tasks_low,over_tasks_high,families,over_families,"
      "over_families_low,over_families_high\n";
  for (const lab::Difference& each : comparison.differences) {
    std::vector<std::string> row = {each.policy, comparison.baseline,
                                    std::to_string(each.pairs)};
    AppendFields(each.log_speedup, row);
    for (const double value : {each.standard_deviation, each.p, each.adjusted_p,
                               each.probability_of_improvement}) {
      row.push_back(CsvNumber(value));
    }
    row.emplace_back(NameOf(each.finding));
    row.push_back(each.more_seeds ? std::to_string(*each.more_seeds) : "");
    row.push_back(std::to_string(each.tasks));
    AppendFields(each.over_tasks, row);
    row.push_back(std::to_string(each.families));
    AppendFields(each.over_families, row);
    text += CsvLine(row);
  }
  return text;
}

std::string ProfilesCsv(const lab::Comparison& comparison) {
  std::string text = "policy,factor,share\n";
  for (std::size_t p = 0; p < comparison.profiles.size(); ++p) {
    for (std::size_t i = 0; i < comparison.profile_factors.size(); ++i) {
      text += CsvLine({comparison.policies[p].policy,
                       CsvNumber(comparison.profile_factors[i]),
                       CsvNumber(comparison.profiles[p][i])});
    }
  }
  return text;
}

std::string CurvesCsv(const ComparisonReport& report) {
  std::string text =
      "policy," + std::string(Name(report.grid.budget.kind)) +
      ",mean_log_speedup,mean_low,mean_high,iqm_log_speedup,iqm_low,iqm_high\n";
  const lab::Comparison& comparison = report.comparison;
  for (std::size_t p = 0; p < comparison.curves.size(); ++p) {
    for (const lab::CurvePoint& point : comparison.curves[p]) {
      std::vector<std::string> row = {comparison.policies[p].policy,
                                      CsvNumber(point.spent)};
      AppendFields(point.log_speedup.mean, row);
      AppendFields(point.log_speedup.interquartile_mean, row);
      text += CsvLine(row);
    }
  }
  return text;
}

std::string CampaignsCsv(const std::vector<lab::Score>& scores) {
  std::string text =
      "policy,task,seed,log_speedup,proven,solved,attempts,compiled,passed\n";
  for (const lab::Score& score : scores) {
    text +=
        CsvLine({score.policy, score.task, std::to_string(score.seed),
                 CsvNumber(score.log_speedup), score.proven ? "1" : "0",
                 score.solved ? "1" : "0", std::to_string(score.attempts),
                 std::to_string(score.compiled), std::to_string(score.passed)});
  }
  return text;
}

}  // namespace

void AppendFields(const lab::Estimate& estimate,
                  std::vector<std::string>& row) {
  row.push_back(CsvNumber(estimate.value));
  const auto& interval = estimate.interval;
  row.push_back(interval ? CsvNumber(interval->low) : "");
  row.push_back(interval ? CsvNumber(interval->high) : "");
}

Json ComparisonJson(const lab::Comparison& comparison) {
  Json policies = Json::array();
  for (const auto& policy : comparison.policies) {
    policies.push_back(ToJson(policy));
  }
  Json differences = Json::array();
  for (const auto& each : comparison.differences) {
    differences.push_back(DifferenceJson(each));
  }
  Json document = {{"policies", std::move(policies)},
                   {"baseline", nullptr},
                   {"differences", std::move(differences)},
                   {"known", KnownJson(comparison.known)},
                   {"profiles", ProfilesJson(comparison)},
                   {"curves", CurvesJson(comparison)}};
  if (!comparison.baseline.empty()) document["baseline"] = comparison.baseline;
  return document;
}

void PrintComparisonJson(const ComparisonReport& report, Streams& streams) {
  Json missing = Json::array();
  for (const auto& cell : report.missing) missing.push_back(CellJson(cell));
  Json document = {{"source", report.source},
                   {"tasks", report.grid.tasks},
                   {"seeds", report.grid.seeds},
                   {"budget_kind", Name(report.grid.budget.kind)},
                   {"budget", report.grid.budget.amount},
                   {"campaigns", report.scores.size()},
                   {"unproven", CountUnproven(report)},
                   {"missing", std::move(missing)}};
  document.update(ComparisonJson(report.comparison));
  PrintDocument(document, streams.out);
}

Result<void> MakeDirectories(const Invocation& invocation) {
  for (const char* option : {"csv", "figures"}) {
    const auto directory = invocation.Text(option);
    if (!directory) continue;
    std::error_code failed;
    fs::create_directories(*directory, failed);
    if (failed) return Fail(Errc::kIo, *directory + ": " + failed.message());
  }
  return {};
}

Result<void> WriteComparisonCsv(const ComparisonReport& report,
                                const fs::path& directory) {
  const lab::Comparison& comparison = report.comparison;
  TRY_DONE(WriteFile(directory / "policies.csv", PoliciesCsv(comparison)));
  TRY_DONE(
      WriteFile(directory / "differences.csv", DifferencesCsv(comparison)));
  TRY_DONE(WriteFile(directory / "profiles.csv", ProfilesCsv(comparison)));
  TRY_DONE(WriteFile(directory / "curves.csv", CurvesCsv(report)));
  return WriteFile(directory / "campaigns.csv", CampaignsCsv(report.scores));
}

}  // namespace coppice::cli
