#include "engine/cli/factorial.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "engine/cli/comparison_report.h"
#include "engine/cli/counted.h"
#include "engine/cli/lists.h"
#include "engine/documents/document.h"
#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "store/records/formatted.h"
#include "store/records/joined.h"

namespace coppice::cli {
namespace {
using Json = nlohmann::ordered_json;

const engine::SamplingBaseline* SamplingOf(const FactorialPlan& plan,
                                           const std::string& policy) {
  const auto found = std::ranges::find(plan.samplings, policy,
                                       &engine::SamplingBaseline::policy);
  return found == plan.samplings.end() ? nullptr : &*found;
}

// What the final calls a contender.
std::string NameIn(const FactorialPlan& plan, const std::string& policy) {
  const engine::SamplingBaseline* const sampling = SamplingOf(plan, policy);
  return sampling == nullptr ? policy : sampling->name;
}

bool IsSampling(const FactorialPlan& plan, const std::string& name) {
  return std::ranges::find(plan.samplings, name,
                           &engine::SamplingBaseline::name) !=
         plan.samplings.end();
}

const lab::DesignCell& CellOf(const lab::Design& design,
                              const std::string& policy) {
  return *std::ranges::find(design.cells, policy, &lab::DesignCell::policy);
}

std::string FactorsText(const lab::Design& design,
                        const std::vector<lab::Change>& changes) {
  return Joined(changes, " x ", [&](const lab::Change& change) {
    return design.factors[change.factor].name;
  });
}

std::string ChangesText(const lab::Design& design,
                        const std::vector<lab::Change>& changes) {
  return Joined(changes, ", ", [&](const lab::Change& change) {
    const auto& levels = design.factors[change.factor].levels;
    return levels.front() + " -> " + levels[change.level];
  });
}

// Two changes together are neither better nor worse than each.
std::string EffectFinding(const lab::Effect& effect) {
  const lab::Difference& difference = effect.difference;
  if (effect.changes.size() == 1 ||
      difference.finding == lab::DifferenceSign::kCannotTell) {
    return FindingText(difference);
  }
  return difference.finding == lab::DifferenceSign::kBetter ? "more together"
                                                            : "less together";
}

bool HasFamilies(const lab::OverTasks& over) {
  return over.families < over.tasks;
}

void PrintHeading(const FactorialReport& report, Streams& streams) {
  const lab::Design& design = report.plan.design;
  const auto factor = [](const lab::Factor& one) {
    return std::to_string(one.levels.size()) + " " + one.name;
  };
  streams.out << design.cells.size() << " cells ("
              << Joined(design.factors, " x ", factor)
              << "), and sampling beside them, at equal money: " << report.money
              << " a campaign\n";
  for (const engine::SamplingBaseline& sampling : report.plan.samplings) {
    streams.out << sampling.name << " is " << sampling.policy << "\n";
  }
  streams.out << "\nto choose by: " << Counted(report.tasks.size(), "task")
              << " with " << Counted(report.seeds, "seed") << "\n";
  if (report.missing > 0) {
    streams.out << Counted(report.missing, "campaign is", "campaigns are")
                << " not at the end of the budget, without which nobody "
                   "wins\n";
  }
}

void PrintCells(const FactorialReport& report, Streams& streams) {
  const lab::Design& design = report.plan.design;
  const bool has_families = HasFamilies(report.choice.cells.front());
  std::vector<Column> columns;
  for (const lab::Factor& factor : design.factors) {
    columns.push_back({factor.name});
  }
  columns.push_back(Right("attempts"));
  columns.emplace_back("log speedup over tasks");
  columns.push_back(OnlyIf(has_families, "over families"));
  Table table(std::move(columns));
  const auto add = [&](std::vector<std::string> row,
                       const lab::CellMean& mean) {
    row.resize(design.factors.size());
    row.push_back(Formatted("%.1f", mean.attempts));
    row.push_back(Ranged(mean.over_tasks, "%.3f"));
    row.push_back(Ranged(mean.over_families, "%.3f"));
    table.AddRow(std::move(row));
  };
  for (const lab::CellMean& mean : report.choice.cells) {
    const lab::DesignCell& cell = CellOf(design, mean.policy);
    std::vector<std::string> row;
    for (std::size_t f = 0; f < design.factors.size(); ++f) {
      row.push_back(design.factors[f].levels[cell.levels[f]]);
    }
    add(std::move(row), mean);
  }
  for (const lab::CellMean& mean : report.choice.others) {
    add({NameIn(report.plan, mean.policy)}, mean);
  }
  table.Print(streams);
}

void PrintEffects(const FactorialReport& report, Streams& streams) {
  const auto& effects = report.choice.effects;
  const bool has_families = HasFamilies(effects.front().difference);
  streams.out << "\nwhat a change of level is worth on average over the other "
                 "factors, and what two of them are worth together beyond "
                 "that; 95 %\n";
  Table table({"factor", "change", "over tasks",
               OnlyIf(has_families, "over families"), Right("p (Holm)"),
               "on these tasks"});
  for (const lab::Effect& effect : effects) {
    const lab::Difference& difference = effect.difference;
    table.AddRow({FactorsText(report.plan.design, effect.changes),
                  ChangesText(report.plan.design, effect.changes),
                  Ranged(difference.over_tasks, "%+.3f"),
                  Ranged(difference.over_families, "%+.3f"),
                  Formatted("%.4f", difference.adjusted_p),
                  EffectFinding(effect)});
  }
  table.Print(streams);
}

// Sampling that no cell was ahead of where the choice was made has won there.
std::string WinnerOf(const FactorialReport& report) {
  const lab::Comparison& final = report.final;
  return IsSampling(report.plan, final.baseline) ? final.baseline
                                                 : lab::WinnerOf(final);
}

lab::IntervalEstimate Negated(const lab::IntervalEstimate& estimate) {
  lab::IntervalEstimate negated{-estimate.value, std::nullopt};
  if (estimate.interval) {
    negated.interval = {-estimate.interval->high, -estimate.interval->low};
  }
  return negated;
}

// The winner's lead over one, by seeds of these tasks.
std::string LeadText(const lab::IntervalEstimate& lead,
                     const std::string& over) {
  return Ranged(lead, "%+.3f") + " over " + over;
}

std::vector<std::string> WithSamplings(
    std::vector<std::string> all,
    const std::vector<engine::SamplingBaseline>& samplings) {
  for (const engine::SamplingBaseline& sampling : samplings) {
    all.push_back(sampling.policy);
  }
  KeepFirsts(all);
  return all;
}

// Whether the winner's lead would be told on other tasks, too.
std::string OthersText(const lab::Difference& difference, bool is_lead) {
  if (difference.tasks < 2) {
    return "one task was held out, which says nothing of others\n";
  }
  const bool by_families = HasFamilies(difference) && difference.families > 1;
  const lab::IntervalEstimate& over =
      by_families ? difference.over_families : difference.over_tasks;
  const lab::IntervalEstimate lead = is_lead ? over : Negated(over);
  const bool is_told = lead.interval && lead.interval->low > 0.0;
  return std::string(by_families ? "over families of tasks" : "over tasks") +
         " that lead is " + Ranged(lead, "%+.3f") + ": " +
         (is_told ? "others would show it, too" : "others might not show it") +
         "\n";
}

}  // namespace

std::vector<std::string> FactorialPlan::Contenders() const {
  std::vector<std::string> all;
  for (const lab::DesignCell& cell : design.cells) all.push_back(cell.policy);
  return WithSamplings(std::move(all), samplings);
}

std::vector<std::string> FactorialPlan::Finalists(
    const std::string& chosen) const {
  return WithSamplings({chosen}, samplings);
}

Result<FactorialPlan> PlanFactorial(const Invocation& invocation,
                                    bool in_memory) {
  for (const char* other : {"baseline", "until-told", "csv", "figures"}) {
    if (!invocation.Has(other)) continue;
    return Fail(Errc::kUsage, std::string("--factorial: goes without --") +
                                  other + "; --json prints all numbers");
  }
  TRY(policies, PoliciesOf(invocation, {}));
  auto design = engine::DesignOf(policies);
  if (!design) {
    return Fail(design.error().code, "--factorial: " + design.error().what);
  }
  return FactorialPlan{*std::move(design), engine::Samplings(in_memory)};
}

Result<void> CheckHeldOut(const std::vector<std::string>& tasks,
                          const std::vector<std::string>& held_out) {
  for (const std::string& task : held_out) {
    if (std::ranges::find(tasks, task) == tasks.end()) continue;
    return Fail(Errc::kUsage, "--held-out " + task +
                                  ": is among --tasks, by which is chosen; "
                                  "hold out others");
  }
  return {};
}

Result<std::vector<std::uint64_t>> HeldOutSeeds(
    const std::vector<std::uint64_t>& seeds) {
  std::vector<std::uint64_t> held_out;
  for (const std::uint64_t seed : seeds) {
    if (seed >= kHeldOutSeeds) {
      return Fail(Errc::kUsage, "--seed: seeds from " +
                                    std::to_string(kHeldOutSeeds) +
                                    " up are held out; choose by lesser ones");
    }
    held_out.push_back(seed + kHeldOutSeeds);
  }
  return held_out;
}

lab::Comparison CompareFinal(const FactorialPlan& plan,
                             const std::string& chosen,
                             std::vector<lab::Score> scores,
                             const lab::References& references) {
  for (lab::Score& score : scores) score.policy = NameIn(plan, score.policy);
  return lab::Compare(scores, NameIn(plan, chosen), {}, references);
}

std::string FinalText(const FactorialReport& report) {
  const lab::Comparison& final = report.final;
  const std::string& chosen = final.baseline;
  if (IsSampling(report.plan, chosen)) {
    return chosen +
           " wins: it was the best of the cells where the choice was made\n";
  }
  // The sampling that is nearest to what was chosen, or farthest ahead of it.
  const lab::Difference& nearest = *std::ranges::max_element(
      final.differences, {}, [](const lab::Difference& difference) {
        return difference.log_speedup.value;
      });
  const std::string winner = WinnerOf(report);
  if (winner.empty()) {
    std::vector<lab::Difference> open = final.differences;
    std::erase_if(open, [](const lab::Difference& each) {
      return each.finding != lab::DifferenceSign::kCannotTell;
    });
    const auto text = [](const lab::Difference& each) {
      return each.policy + ", over which it has " +
             Ranged(Negated(each.log_speedup), "%+.3f");
    };
    return "nobody wins: cannot tell " + chosen + " from " +
           Joined(open, ", nor from ", text) + "\n";
  }
  if (winner != chosen) {
    const lab::Difference& ahead = *final.FindDifference(winner);
    return winner + " wins: " +
           LeadText(ahead.log_speedup, chosen + ", which was chosen") + "\n" +
           OthersText(ahead, true);
  }
  const auto lead = [](const lab::Difference& each) {
    return LeadText(Negated(each.log_speedup), each.policy);
  };
  return chosen + " wins: " + Joined(final.differences, " and ", lead) + "\n" +
         OthersText(nearest, false);
}

void PrintFactorial(const FactorialReport& report, Streams& streams) {
  PrintHeading(report, streams);
  if (report.choice.races == 0) return;
  PrintCells(report, streams);
  PrintEffects(report, streams);
  if (report.final.differences.empty()) return;
  streams.out << "\nchosen: " << Printable(report.choice.best())
              << "\nheld out: " << Counted(report.held_out.size(), "other task")
              << " with " << Counted(report.seeds, "other seed")
              << ", at equal money\n";
  PrintDifferences(report.final, streams);
  PrintOverTasks(report.final, streams);
  PrintKnown(report.final, streams);
  streams.out << "\n" << Printable(FinalText(report));
}

namespace {

Json MeanJson(const lab::Design& design, const lab::CellMean& mean) {
  Json levels = Json::object();
  const auto cell =
      std::ranges::find(design.cells, mean.policy, &lab::DesignCell::policy);
  for (std::size_t f = 0;
       cell != design.cells.end() && f < design.factors.size(); ++f) {
    const lab::Factor& factor = design.factors[f];
    levels[factor.name] = factor.levels[cell->levels[f]];
  }
  return {{"policy", mean.policy},
          {"levels", std::move(levels)},
          {"attempts", mean.attempts},
          {"log_speedup_over_tasks", EstimateJson(mean.over_tasks)},
          {"log_speedup_over_families", EstimateJson(mean.over_families)}};
}

Json EffectJson(const lab::Design& design, const lab::Effect& effect) {
  const auto change_json = [&](const lab::Change& change) -> Json {
    const lab::Factor& factor = design.factors[change.factor];
    return {{"factor", factor.name},
            {"from", factor.levels.front()},
            {"to", factor.levels[change.level]}};
  };
  Json one = {{"changes", ArrayOf(effect.changes, change_json)}};
  Json difference = DifferenceJson(effect.difference);
  difference.erase("policy");
  one.update(difference);
  return one;
}

Json SamplingJson(const engine::SamplingBaseline& sampling) {
  return {{"name", sampling.name}, {"policy", sampling.policy}};
}

}  // namespace

void PrintFactorialJson(const FactorialReport& report, Streams& streams) {
  const lab::Design& design = report.plan.design;
  const auto mean = [&](const auto& one) { return MeanJson(design, one); };
  const auto effect = [&](const auto& one) { return EffectJson(design, one); };
  Json document = {{"money", report.money},
                   {"tasks", report.tasks},
                   {"held_out", report.held_out},
                   {"seeds", report.seeds},
                   {"samplings", ArrayOf(report.plan.samplings, SamplingJson)},
                   {"missing", report.missing},
                   {"races", report.choice.races},
                   {"cells", ArrayOf(report.choice.cells, mean)},
                   {"others", ArrayOf(report.choice.others, mean)},
                   {"effects", ArrayOf(report.choice.effects, effect)},
                   {"chosen", nullptr},
                   {"final", nullptr},
                   {"winner", nullptr},
                   {"finding", nullptr}};
  if (!report.final.differences.empty()) {
    document["chosen"] = report.choice.best();
    document["final"] = ComparisonJson(report.final);
    document["winner"] = TextOrNull(WinnerOf(report));
    document["finding"] = FinalText(report);
  }
  PrintDocument(document, streams.out);
}

void ReportFactorial(const Invocation& invocation,
                     const FactorialReport& report, Streams& streams) {
  if (invocation.Has("json")) {
    PrintFactorialJson(report, streams);
  } else {
    PrintFactorial(report, streams);
  }
}

}  // namespace coppice::cli
