// A comparison as JSON and as CSV files.
#include <nlohmann/json.hpp>

#include "engine/cli/comparison_report.h"
#include "engine/cli/output.h"
#include "engine/documents/document.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"

namespace coppice::cli {
namespace fs = std::filesystem;
namespace {
using Json = nlohmann::ordered_json;
}

std::string_view NameOf(lab::DifferenceSign finding) {
  switch (finding) {
    case lab::DifferenceSign::kBetter:
      return "better";
    case lab::DifferenceSign::kWorse:
      return "worse";
    case lab::DifferenceSign::kCannotTell:
      return "cannot_tell";
  }
  return "cannot_tell";
}

Json EstimateJson(const lab::IntervalEstimate& estimate) {
  return {{"value", estimate.value},
          {"low", OrNull(estimate.interval, &Interval::low)},
          {"high", OrNull(estimate.interval, &Interval::high)}};
}

Json DifferenceJson(const lab::Difference& difference) {
  return {{"policy", difference.policy},
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
          {"more_seeds", OrNull(difference.more_seeds)}};
}

namespace {

Json PolicyJson(const lab::PolicySummary& policy) {
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

Json KnownPolicyJson(const lab::KnownSummary& each) {
  return {
      {"policy", each.policy},
      {"share_of_optimum", EstimateJson(each.share)},
      {"over_random_search", EstimateJson(each.over_random)},
      {"difference_of_share_over_tasks", EstimateJson(each.over_tasks)},
      {"difference_of_share_over_families", EstimateJson(each.over_families)}};
}

Json KnownJson(const lab::KnownOptima& known) {
  return {{"tasks", known.tasks},
          {"open_tasks", known.open_tasks},
          {"families", known.families},
          {"random_share_of_optimum", known.random_share},
          {"policies", ArrayOf(known.policies, KnownPolicyJson)}};
}

Json PointJson(const lab::CurvePoint& point) {
  return {{"spent", point.spent},
          {"mean_log_speedup", EstimateJson(point.log_speedup.mean)},
          {"interquartile_mean_log_speedup",
           EstimateJson(point.log_speedup.interquartile_mean)}};
}

Json CurvesJson(const lab::Comparison& comparison) {
  Json curves = Json::array();
  for (std::size_t p = 0; p < comparison.curves.size(); ++p) {
    curves.push_back({{"policy", comparison.policies[p].policy},
                      {"points", ArrayOf(comparison.curves[p], PointJson)}});
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

RowSheet PoliciesSheet(const lab::Comparison& comparison) {
  RowSheet sheet{
      "policies",
      {"policy", "campaigns", "success", "fast_1", "compiled", "passed",
       "mean_speedup", "geometric_mean_speedup", "mean_log_speedup", "mean_low",
       "mean_high", "iqm_log_speedup", "iqm_low", "iqm_high", "undecided"}};
  for (const lab::PolicySummary& policy : comparison.policies) {
    sheet.rows.push_back({policy.policy, policy.campaigns, policy.success,
                          policy.fast_1, policy.compiled, policy.passed,
                          policy.arithmetic_mean_speedup,
                          policy.geometric_mean_speedup});
    std::vector<Json>& row = sheet.rows.back();
    AppendCells(policy.log_speedup.mean, row);
    AppendCells(policy.log_speedup.interquartile_mean, row);
    row.push_back(policy.undecided);
  }
  return sheet;
}

RowSheet DifferencesSheet(const lab::Comparison& comparison) {
  RowSheet sheet{"differences",
                 {"policy",
                  "baseline",
                  "pairs",
                  "log_speedup",
                  "low",
                  "high",
                  "standard_deviation",
                  "p",
                  "p_holm",
                  "probability_of_improvement",
                  "finding",
                  "more_seeds",
                  "tasks",
                  "over_tasks",
                  "over_tasks_low",
                  "over_tasks_high",
                  "families",
                  "over_families",
                  "over_families_low",
                  "over_families_high"}};
  for (const lab::Difference& each : comparison.differences) {
    sheet.rows.push_back({each.policy, comparison.baseline, each.pairs});
    std::vector<Json>& row = sheet.rows.back();
    AppendCells(each.log_speedup, row);
    row.insert(row.end(),
               {each.standard_deviation, each.p, each.adjusted_p,
                each.probability_of_improvement, NameOf(each.finding),
                OrNull(each.more_seeds), each.tasks});
    AppendCells(each.over_tasks, row);
    row.push_back(each.families);
    AppendCells(each.over_families, row);
  }
  return sheet;
}

RowSheet ProfilesSheet(const lab::Comparison& comparison) {
  RowSheet sheet{"profiles", {"policy", "factor", "share"}};
  for (std::size_t p = 0; p < comparison.profiles.size(); ++p) {
    for (std::size_t i = 0; i < comparison.profile_factors.size(); ++i) {
      sheet.rows.push_back({comparison.policies[p].policy,
                            comparison.profile_factors[i],
                            comparison.profiles[p][i]});
    }
  }
  return sheet;
}

RowSheet CurvesSheet(const ComparisonReport& report) {
  RowSheet sheet{"curves",
                 {"policy", Column(std::string(Name(report.grid.budget.kind))),
                  "mean_log_speedup", "mean_low", "mean_high",
                  "iqm_log_speedup", "iqm_low", "iqm_high"}};
  const lab::Comparison& comparison = report.comparison;
  for (std::size_t p = 0; p < comparison.curves.size(); ++p) {
    for (const lab::CurvePoint& point : comparison.curves[p]) {
      sheet.rows.push_back({comparison.policies[p].policy, point.spent});
      AppendCells(point.log_speedup.mean, sheet.rows.back());
      AppendCells(point.log_speedup.interquartile_mean, sheet.rows.back());
    }
  }
  return sheet;
}

RowSheet CampaignsSheet(const std::vector<lab::Score>& scores) {
  RowSheet sheet{"campaigns",
                 {"policy", "task", "seed", "log_speedup", "proven", "solved",
                  "attempts", "compiled", "passed"}};
  for (const lab::Score& score : scores) {
    sheet.rows.push_back({score.policy, score.task, score.seed,
                          score.log_speedup, score.proven ? 1 : 0,
                          score.solved ? 1 : 0, score.attempts, score.compiled,
                          score.passed});
  }
  return sheet;
}

}  // namespace

void AppendCells(const lab::IntervalEstimate& estimate,
                 std::vector<Json>& row) {
  for (const Json& cell : EstimateJson(estimate)) row.push_back(cell);
}

Json ComparisonJson(const lab::Comparison& comparison) {
  return {{"policies", ArrayOf(comparison.policies, PolicyJson)},
          {"baseline", TextOrNull(comparison.baseline)},
          {"differences", ArrayOf(comparison.differences, DifferenceJson)},
          {"known", OrNull(comparison.known, KnownJson)},
          {"profiles", ProfilesJson(comparison)},
          {"curves", CurvesJson(comparison)}};
}

void PrintComparisonJson(const ComparisonReport& report, Streams& streams) {
  Json document = {{"source", report.source},
                   {"tasks", report.grid.tasks},
                   {"seeds", report.grid.seeds},
                   {"budget_kind", Name(report.grid.budget.kind)},
                   {"budget", report.grid.budget.amount},
                   {"campaigns", report.scores.size()},
                   {"unproven", CountUnproven(report)},
                   {"missing", ArrayOf(report.missing, CellJson)}};
  document.update(ComparisonJson(report.comparison));
  PrintDocument(document, streams.out);
}

Result<void> MakeDirectories(const Invocation& invocation) {
  for (const char* option : {"csv", "figures"}) {
    const auto directory = invocation.Text(option);
    if (directory) TRY_DONE(MakeDirectory(*directory));
  }
  return {};
}

Result<void> WriteComparisonCsv(const ComparisonReport& report,
                                const fs::path& directory) {
  for (const RowSheet& sheet :
       {PoliciesSheet(report.comparison), DifferencesSheet(report.comparison),
        ProfilesSheet(report.comparison), CurvesSheet(report),
        CampaignsSheet(report.scores)}) {
    TRY_DONE(WriteCsv(sheet, directory));
  }
  return {};
}

}  // namespace coppice::cli
