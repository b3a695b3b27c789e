#include "engine/cli/in_memory_report.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/cli/comparison_report.h"
#include "engine/cli/counted.h"
#include "engine/cli/figures.h"
#include "engine/cli/in_memory_words.h"
#include "engine/documents/csv.h"
#include "engine/documents/document.h"
#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "store/records/formatted.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using engine::InMemoryGrid;

std::string FindingOf(const InMemoryTrial& trial,
                      const lab::Difference& difference) {
  if (!trial.sequential) return FindingText(difference);
  const auto& all = trial.sequential->told();
  const auto told = all.find(difference.policy);
  if (told == all.end()) return "cannot tell";
  return std::string(NameOf(told->second.finding)) + ", told after " +
         std::to_string(told->second.seeds);
}

void PrintTogether(const InMemoryTrial& trial, const TrialPart& part,
                   Streams& streams) {
  streams.out << "\n"
              << part.budget << " " << UnitOf(trial.grid) << ": log speedup";
  if (trial.grid.policies.size() > 1) {
    streams.out << ", and difference from " << OneLine(trial.baseline)
                << " (95 % over seeds of these landscapes)";
  }
  streams.out << "\n";
  Table table({"policy", "mean", "interquartile mean", "difference",
               Right("p (Holm)"), Right("P(better)"), "finding"});
  for (const lab::PolicySummary& policy : part.comparison.policies) {
    std::vector<std::string> row = {
        policy.policy, Ranged(policy.log_speedup.mean, "%.3f"),
        Ranged(policy.log_speedup.interquartile_mean, "%.3f")};
    const lab::Difference* each = part.comparison.FindDifference(policy.policy);
    if (each == nullptr) {
      row.insert(row.end(), {"", "", "", ""});
    } else {
      row.insert(
          row.end(),
          {Ranged(each->log_speedup, "%+.3f"),
           Formatted("%.4f", each->adjusted_p),
           Formatted("%.0f %%", 100.0 * each->probability_of_improvement),
           FindingOf(trial, *each)});
    }
    table.AddRow(std::move(row));
  }
  table.Print(streams);
  streams.out << IntervalWarning(part.comparison);
  PrintOverTasks(part.comparison, streams);
  PrintKnown(part.comparison, streams);
}

// A row for each landscape: the baseline's mean, and how far the others differ.
void PrintByLandscape(const InMemoryTrial& trial, std::int64_t budget,
                      Streams& streams) {
  std::vector<Column> columns = {"by landscape", Right(trial.baseline)};
  for (const std::string& policy : trial.grid.policies) {
    if (policy != trial.baseline) columns.push_back(Right(policy));
  }
  Table table(std::move(columns));
  for (const TrialPart& part : trial.parts) {
    if (part.budget != budget || part.landscape.empty()) continue;
    const auto base = std::ranges::find(
        part.comparison.policies, trial.baseline, &lab::PolicySummary::policy);
    std::vector<std::string> row = {
        part.landscape, Formatted("%.3f ", base->log_speedup.mean.value)};
    for (const std::string& policy : trial.grid.policies) {
      const lab::Difference* each = part.comparison.FindDifference(policy);
      if (each == nullptr) continue;  // The baseline itself.
      const bool told = !trial.sequential &&
                        each->finding != lab::DifferenceSign::kCannotTell;
      row.push_back(Formatted("%+.3f", each->log_speedup.value) +
                    (told ? "*" : " "));
    }
    table.AddRow(std::move(row));
  }
  table.Print(streams);
}

Json PartJson(const TrialPart& part) {
  Json json = ComparisonJson(part.comparison);
  json["budget"] = part.budget;
  json["landscape"] = TextOrNull(part.landscape);
  return json;
}

}  // namespace

void CompareParts(const engine::InMemoryScores& scores,
                  const std::vector<lab::References>& references, int threads,
                  const std::function<void(double share)>& tell,
                  InMemoryTrial& trial) {
  const std::size_t landscapes = trial.grid.landscapes.size();
  struct Question {
    std::size_t budget;
    std::size_t landscape;
  };
  std::vector<Question> questions;
  trial.parts.clear();
  for (std::size_t b = 0; b < trial.grid.budgets.size(); ++b) {
    questions.push_back({b, landscapes});
    trial.parts.push_back({trial.grid.budgets[b], "", {}});
    for (std::size_t l = 0; l < landscapes && landscapes > 1; ++l) {
      questions.push_back({b, l});
      trial.parts.push_back(
          {trial.grid.budgets[b], trial.grid.landscapes[l], {}});
    }
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;  // Guards tell and
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < questions.size(); i = next++) {
      const std::vector<lab::Score> own =
          scores.ScoresOf(questions[i].budget, questions[i].landscape);
      if (!own.empty()) {
        trial.parts[i].comparison = lab::Compare(
            own, trial.baseline, {}, references[questions[i].budget]);
      }
      const std::lock_guard lock(mutex);
      tell(static_cast<double>(++done) / static_cast<double>(questions.size()));
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  std::erase_if(trial.parts, [](const TrialPart& part) {
    return part.comparison.policies.empty();
  });
}

bool IsTold(std::int64_t seeds, InMemoryTrial& trial) {
  if (!trial.sequential) return true;
  trial.sequential->Look(trial.parts.front().comparison, seeds);
  return trial.sequential->AllTold();
}

void PrintTrial(const InMemoryTrial& trial, Streams& streams) {
  const InMemoryGrid& grid = trial.grid;
  streams.out << "in memory: "
              << Counted(grid.policies.size(), "policy", "policies") << ", "
              << Counted(grid.landscapes.size(), "landscape") << ", "
              << Counted(grid.seeds.size(), "campaign") << " of each"
              << Printable(trial.file.empty() ? "" : " in " + trial.file)
              << "\n";
  if (trial.sequential) {
    streams.out << "until each policy is told from " << OneLine(trial.baseline)
                << ", at p (Holm) of "
                << Formatted("%.4f", trial.sequential->level()) << " a look\n";
  }
  if (trial.missing > 0) {
    const std::size_t all =
        grid.policies.size() * grid.landscapes.size() * grid.seeds.size();
    streams.out << trial.missing << " of " << all
                << " campaigns are not played yet; what counts are seeds that "
                   "all policies have played\n";
  }
  if (trial.parts.empty()) return;
  for (const std::int64_t budget : grid.budgets) {
    for (const TrialPart& part : trial.parts) {
      if (part.budget == budget && part.landscape.empty()) {
        PrintTogether(trial, part, streams);
      }
    }
    if (grid.landscapes.size() == 1) continue;
    streams.out << "\n";
    PrintByLandscape(trial, budget, streams);
  }
  if (grid.landscapes.size() > 1 && grid.policies.size() > 1 &&
      !trial.sequential) {
    streams.out << "\n* told apart from " << OneLine(trial.baseline)
                << " on this landscape, after Holm over the policies but not "
                   "over the landscapes\n";
  }
}

void PrintTrialJson(const InMemoryTrial& trial, Streams& streams) {
  Json document = {{"policies", trial.grid.policies},
                   {"landscapes", trial.grid.landscapes},
                   {"seeds", trial.grid.seeds.size()},
                   {"unit", UnitOf(trial.grid)},
                   {"budgets", trial.grid.budgets},
                   {"missing", trial.missing},
                   {"baseline", trial.baseline},
                   {"parts", ArrayOf(trial.parts, PartJson)}};
  if (trial.sequential) {
    RowSheet told{"told", {"policy", "finding", "seeds"}};
    for (const auto& [policy, when] : trial.sequential->told()) {
      told.rows.push_back({policy, NameOf(when.finding), when.seeds});
    }
    document["until_told"] = {{"level", trial.sequential->level()},
                              {"told", RowsJson(told)}};
  }
  PrintDocument(document, streams.out);
}

RowSheet TrialSheet(const InMemoryTrial& trial) {
  RowSheet sheet{"in_memory",
                 {"budget",
                  "landscape",
                  "policy",
                  "campaigns",
                  "success",
                  "fast_1",
                  "mean_log_speedup",
                  "mean_low",
                  "mean_high",
                  "iqm_log_speedup",
                  "iqm_low",
                  "iqm_high",
                  "difference",
                  "difference_low",
                  "difference_high",
                  "standard_deviation",
                  "p",
                  "p_holm",
                  "probability_of_improvement",
                  "over_tasks",
                  "over_tasks_low",
                  "over_tasks_high",
                  "over_families",
                  "over_families_low",
                  "over_families_high"}};
  for (const TrialPart& part : trial.parts) {
    for (const lab::PolicySummary& policy : part.comparison.policies) {
      sheet.rows.push_back(
          {part.budget, part.landscape.empty() ? "all" : part.landscape,
           policy.policy, policy.campaigns, policy.success, policy.fast_1});
      std::vector<Json>& row = sheet.rows.back();
      AppendCells(policy.log_speedup.mean, row);
      AppendCells(policy.log_speedup.interquartile_mean, row);
      if (const auto* each = part.comparison.FindDifference(policy.policy)) {
        AppendCells(each->log_speedup, row);
        row.insert(row.end(),
                   {each->standard_deviation, each->p, each->adjusted_p,
                    each->probability_of_improvement});
        AppendCells(each->over_tasks, row);
        AppendCells(each->over_families, row);
      }
      row.resize(sheet.columns.size());
    }
  }
  return sheet;
}

Result<void> WriteScores(const engine::InMemoryScores& scores,
                         const fs::path& directory) {
  const fs::path path = directory / "in_memory_scores.csv";
  std::ofstream file(path);
  file << "policy,landscape,seed,budget,solved,log_speedup,attempts,"
          "compiled,correct\n";
  const InMemoryGrid& grid = scores.grid();
  engine::InMemoryScores::Place at;
  for (at.policy = 0; at.policy < grid.policies.size(); ++at.policy) {
    for (at.landscape = 0; at.landscape < grid.landscapes.size();
         ++at.landscape) {
      const std::string first = CsvLine(
          {grid.policies[at.policy], grid.landscapes[at.landscape], ""});
      for (at.seed = 0; at.seed < grid.seeds.size(); ++at.seed) {
        for (at.budget = 0; at.budget < grid.budgets.size(); ++at.budget) {
          const engine::InMemoryScores::Value& value = scores.At(at);
          if (!value.known) continue;
          file << std::string_view(first).substr(0, first.size() - 1)
               << grid.seeds[at.seed] << ',' << grid.budgets[at.budget] << ','
               << (value.solved ? 1 : 0) << ',' << CsvNumber(value.log_speedup)
               << ',' << value.attempts << ',' << value.compiled << ','
               << value.correct << '\n';
        }
      }
    }
  }
  file.close();
  if (file) return {};
  return Fail(Errc::kIo, path.string() + ": cannot be written");
}

Result<void> DrawTrial(const InMemoryTrial& trial, const fs::path& directory) {
  ComparisonReport report;
  report.grid.budget.kind =
      trial.grid.unit == search::BudgetUnit::kEvaluatorSeconds
          ? engine::BudgetKind::kEvaluatorSeconds
          : engine::BudgetKind::kAttempts;
  std::vector<std::vector<lab::CurvePoint>> curves(trial.grid.policies.size());
  for (const TrialPart& part : trial.parts) {
    if (!part.landscape.empty()) continue;
    for (std::size_t p = 0; p < curves.size(); ++p) {
      curves[p].push_back({static_cast<double>(part.budget),
                           part.comparison.policies[p].log_speedup});
    }
    report.comparison = part.comparison;
  }
  report.comparison.curves = std::move(curves);
  TRY_DONE(WriteComparisonCsv(report, directory));
  return DrawFigures(directory);
}

}  // namespace coppice::cli
