#include "engine/cli/comparison_report.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "engine/cli/counted.h"
#include "engine/cli/metrics.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/table.h"
#include "store/records/formatted.h"

namespace coppice::cli {
namespace {

// A line has room for so many points of a curve.
constexpr std::size_t kCurveColumns = 8;

std::string PercentText(double share) {
  return Formatted("%.0f %%", 100.0 * share);
}

std::string PText(double p) {
  return p < 0.001 ? "<0.001" : Formatted("%.3f", p);
}

// Before their attempts were used up.
std::int64_t CountEndedByARule(const ComparisonReport& report) {
  const engine::Budget& budget = report.grid.budget;
  if (budget.kind != engine::BudgetKind::kAttempts) return 0;
  return std::ranges::count_if(report.scores, [&](const lab::Score& score) {
    return static_cast<double>(score.attempts) < budget.amount;
  });
}

void PrintHeading(const ComparisonReport& report, Streams& streams) {
  const engine::Grid& grid = report.grid;
  streams.out << Counted(grid.policies.size(), "policy", "policies") << " on "
              << Counted(grid.tasks.size(), "task") << " with "
              << Counted(grid.seeds.size(), "seed") << ", "
              << Describe(grid.budget)
              << " each: " << Counted(report.scores.size(), "campaign")
              << " in " << Printable(report.source) << "\n";
  if (!report.missing.empty()) {
    streams.out << Counted(report.missing.size(),
                           "more is not at the end of its budget",
                           "more are not at the end of their budget")
                << ", and left out\n";
  }
  if (const std::int64_t ended = CountEndedByARule(report)) {
    streams.out << ended
                << " ended before, with nothing left to try or by another "
                   "rule, and "
                << (ended == 1 ? "counts with what it came to\n"
                               : "count with what they came to\n");
  }
  if (const std::int64_t unproven = CountUnproven(report)) {
    streams.out << "of " << unproven
                << " the best kernel was not measured once more, and counts by "
                   "what made it the best; without --report it is\n";
  }
  streams.out << "\n";
}

void PrintPolicies(const lab::Comparison& comparison, Streams& streams) {
  Table shares({"policy", Right("campaigns"), Right("success"), Right("fast_1"),
                Right("attempts compiled"), Right("passed")});
  for (const lab::PolicySummary& policy : comparison.policies) {
    shares.AddRow({policy.policy, std::to_string(policy.campaigns),
                   PercentText(policy.success),
                   ShareText({policy.fast_1, policy.undecided}),
                   PercentText(policy.compiled), PercentText(policy.passed)});
  }
  shares.Print(streams);
  streams.out << "\nspeedup over the root, and its logarithm with 95 % "
                 "intervals\n";
  Table speed({"policy", Right("mean"), Right("geometric"), "mean of log",
               "interquartile mean of log"});
  for (const lab::PolicySummary& policy : comparison.policies) {
    speed.AddRow({policy.policy, TimesText(policy.arithmetic_mean_speedup),
                  TimesText(policy.geometric_mean_speedup),
                  Ranged(policy.log_speedup.mean, "%.3f"),
                  Ranged(policy.log_speedup.interquartile_mean, "%.3f")});
  }
  speed.Print(streams);
  streams.out << IntervalWarning(comparison);
}

}  // namespace

void PrintDifferences(const lab::Comparison& comparison, Streams& streams) {
  if (comparison.differences.empty()) return;
  streams.out
      << "\nagainst " << Printable(comparison.baseline)
      << ", in pairs of equal task and seed; 95 % over seeds of these tasks\n";
  Table table({"policy", Right("pairs"), "difference of log", Right("p"),
               Right("p (Holm)"), Right("P(better)"), "finding"});
  for (const lab::Difference& each : comparison.differences) {
    table.AddRow({each.policy, std::to_string(each.pairs),
                  Ranged(each.log_speedup, "%+.3f"), PText(each.p),
                  PText(each.adjusted_p),
                  PercentText(each.probability_of_improvement),
                  FindingText(each)});
  }
  table.Print(streams);
}

void PrintOverTasks(const lab::Comparison& comparison, Streams& streams) {
  const bool has_families = std::ranges::any_of(
      comparison.differences,
      [](const auto& each) { return each.families < each.tasks; });
  if (comparison.tasks.size() < 2 || comparison.differences.empty()) return;
  streams.out << "\ndifference of log from " << OneLine(comparison.baseline)
              << ", with 95 % intervals of what other "
              << (has_families ? "tasks, or families of them," : "tasks")
              << " would show\n";
  Table table({"policy", Right("tasks"), "over tasks",
               OnlyIf(has_families, Right("families")),
               OnlyIf(has_families, "over families")});
  for (const lab::Difference& each : comparison.differences) {
    table.AddRow({each.policy, std::to_string(each.tasks),
                  Ranged(each.over_tasks, "%+.3f"),
                  std::to_string(each.families),
                  Ranged(each.over_families, "%+.3f")});
  }
  table.Print(streams);
}

void PrintKnown(const lab::Comparison& comparison, Streams& streams) {
  if (!comparison.known) return;
  const lab::KnownOptima& known = *comparison.known;
  streams.out << "\nshare of the fastest kernel's log speedup, on "
              << Counted(known.tasks, "task")
              << "; score over random search (0; 1 is the fastest), on "
              << known.open_tasks << "\n";
  const bool has_others = known.policies.size() > 1 && known.tasks > 1;
  const bool has_families = has_others && known.families < known.tasks;
  Table table({"policy", "share", "over random",
               OnlyIf(has_others, "difference of share over tasks"),
               OnlyIf(has_families,
                      "over " + std::to_string(known.families) + " families")});
  for (const lab::KnownSummary& each : known.policies) {
    const bool is_other = each.policy != comparison.baseline;
    table.AddRow(
        {each.policy, Ranged(each.share, "%.3f"),
         known.open_tasks == 0 ? "-" : Ranged(each.over_random, "%.3f"),
         is_other ? Ranged(each.over_tasks, "%+.3f") : "",
         is_other ? Ranged(each.over_families, "%+.3f") : ""});
  }
  table.AddRow({"random", Formatted("%.3f", known.random_share), "0", "", ""});
  table.Print(streams);
}

namespace {

void PrintProfiles(const lab::Comparison& comparison, Streams& streams) {
  if (comparison.profiles.size() < 2) return;
  streams.out << "\nshare of " << comparison.races
              << " races in which a kernel takes at most so many times as long "
                 "as the fastest\n";
  std::vector<Column> columns = {"policy"};
  for (const double factor : comparison.profile_factors) {
    columns.push_back(Right(Formatted("%.4g", factor) + "x"));
  }
  Table table(std::move(columns));
  for (std::size_t p = 0; p < comparison.profiles.size(); ++p) {
    std::vector<std::string> row = {comparison.policies[p].policy};
    for (const double share : comparison.profiles[p]) {
      row.push_back(PercentText(share));
    }
    table.AddRow(std::move(row));
  }
  table.Print(streams);
}

// Positions of the checkpoints nearest below 1, 2, 5, 10, 20, ... from the last
// one down, each once.
std::vector<std::size_t> ShownPoints(
    const std::vector<lab::CurvePoint>& points) {
  std::vector<std::size_t> shown;
  double below = points.back().spent;
  for (std::size_t i = points.size(); i-- > 0;) {
    if (shown.size() == kCurveColumns) break;
    const bool is_last = i + 1 == points.size();
    if (!is_last && points[i].spent > below) continue;
    shown.push_back(i);
    const double unit =
        std::pow(10.0, std::floor(std::log10(points[i].spent * (1.0 - 1e-9))));
    const double digit = points[i].spent * (1.0 - 1e-9) / unit;
    below = unit * (digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0);
  }
  std::reverse(shown.begin(), shown.end());
  return shown;
}

void PrintCurves(const ComparisonReport& report, Streams& streams) {
  const lab::Comparison& comparison = report.comparison;
  if (comparison.curves.empty() || comparison.curves.front().empty()) return;
  std::string unit(Name(report.grid.budget.kind));
  std::replace(unit.begin(), unit.end(), '_', ' ');
  streams.out << "\nmean log speedup of the best kernel so far, after "
                 "so many "
              << unit << "\n";
  const auto shown = ShownPoints(comparison.curves.front());
  std::vector<Column> columns = {"policy"};
  for (const std::size_t i : shown) {
    columns.push_back(
        Right(Formatted("%.4g", comparison.curves.front()[i].spent)));
  }
  Table table(std::move(columns));
  for (std::size_t p = 0; p < comparison.curves.size(); ++p) {
    std::vector<std::string> row = {comparison.policies[p].policy};
    for (const std::size_t i : shown) {
      row.push_back(
          Formatted("%.3f", comparison.curves[p][i].log_speedup.mean.value));
    }
    table.AddRow(std::move(row));
  }
  table.Print(streams);
}

}  // namespace

std::string Ranged(const lab::IntervalEstimate& estimate, const char* format) {
  std::string text = Formatted(format, estimate.value);
  if (!estimate.interval) return text;
  return text + " (" + Formatted(format, estimate.interval->low) + " to " +
         Formatted(format, estimate.interval->high) + ")";
}

std::int64_t CountUnproven(const ComparisonReport& report) {
  return std::ranges::count(report.scores, false, &lab::Score::proven);
}

std::string IntervalWarning(const lab::Comparison& comparison) {
  if (comparison.least_seeds != 1) return "";
  return "there are no intervals over seeds, as a task has but one\n";
}

std::string FindingText(const lab::Difference& difference) {
  if (difference.finding != lab::DifferenceSign::kCannotTell) {
    return std::string(NameOf(difference.finding));
  }
  if (!difference.more_seeds) {
    return difference.pairs < 2 ? "cannot tell: too few pairs"
                                : "cannot tell: hardly a difference seen";
  }
  return "cannot tell: about " + Counted(*difference.more_seeds, "more seed") +
         " would";
}

void PrintComparison(const ComparisonReport& report, Streams& streams) {
  PrintHeading(report, streams);
  if (report.scores.empty()) return;
  PrintPolicies(report.comparison, streams);
  PrintDifferences(report.comparison, streams);
  PrintOverTasks(report.comparison, streams);
  PrintKnown(report.comparison, streams);
  PrintProfiles(report.comparison, streams);
  PrintCurves(report, streams);
}

}  // namespace coppice::cli
