// compare --factorial: which of several choices a search gains by, and whether
// the best of their combinations beats sampling where nothing was chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/compare/budget_crossing.h"
#include "engine/documents/verb.h"
#include "engine/lab/factorial.h"

namespace coppice::cli {

// Seeds of the final are those of the choice plus so many, whatever their
// number is: none of them ever chooses.
inline constexpr std::uint64_t kHeldOutSeeds = 1'000'000'000;

struct FactorialPlan {
  lab::Design design;
  std::vector<engine::SamplingBaseline> samplings;

  // Those of the design, and the samplings that are not among them.
  std::vector<std::string> Contenders() const;
  // What was chosen, and the samplings.
  std::vector<std::string> Finalists(const std::string& chosen) const;
};

// kUsage: levels are not crossed, or an option makes no sense beside it.
Result<FactorialPlan> PlanFactorial(const Invocation& invocation,
                                    bool in_memory);

// kUsage: a task is among both.
Result<void> CheckHeldOut(const std::vector<std::string>& tasks,
                          const std::vector<std::string>& held_out);

// kUsage: these are held out themselves.
Result<std::vector<std::uint64_t>> HeldOutSeeds(
    const std::vector<std::uint64_t>& seeds);

struct FactorialReport {
  FactorialPlan plan;
  std::string money;  // "60 calls", of each campaign.
  std::vector<std::string> tasks;
  std::vector<std::string> held_out;
  std::size_t seeds = 0;
  // Campaigns that are not at the end of their budget: nothing is chosen, or
  // judged, as long as there are any.
  std::size_t missing = 0;
  lab::Factorial choice;
  // Compares on what was held out.  The baseline is what was chosen; samplings
  // have their names.  No policies: nothing was judged yet.
  lab::Comparison final;
};

// REQUIRES: `scores` are the finalists', and there is one of each.
lab::Comparison CompareFinal(const FactorialPlan& plan,
                             const std::string& chosen,
                             std::vector<lab::Score> scores,
                             const lab::References& references);

// Who wins, in a line, and a line on what that says of other tasks.
std::string FinalText(const FactorialReport& report);

void PrintFactorial(const FactorialReport& report, Streams& streams);
void PrintFactorialJson(const FactorialReport& report, Streams& streams);
// As --json asks.
void ReportFactorial(const Invocation& invocation,
                     const FactorialReport& report, Streams& streams);

}  // namespace coppice::cli
