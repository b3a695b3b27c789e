#include "engine/interchange/solutions.h"

#include <algorithm>
#include <utility>

#include "engine/campaign/torch_baselines.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/same_task.h"
#include "store/records/node.h"
#include "store/write/baselines.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kBy = " by ";

void SetEntry(const Candidate& candidate, Solution& solution) {
  solution.entry_symbol = candidate.entry_symbol;
  for (SourceFile& file : solution.sources) {
    if (file.path == solution.entry_file) file.content = candidate.source;
  }
}

// The root's with another source; or the document that the source is.
Solution WithSource(const Task& task, const NodeRecord& node) {
  const Candidate& candidate = *node.candidate;
  if (eval::IsSolutionDocument(candidate.source)) {
    if (auto own = eval::ParseSolution(candidate.source, "")) {
      return *std::move(own);
    }
  }
  Solution solution = task.root;
  solution.description = node.plan ? node.plan->advice : "";
  solution.language = candidate.language;
  SetEntry(candidate, solution);
  return solution;
}

}  // namespace

Solution SolutionOf(const store::CampaignRow& campaign, const Task& task,
                    const NodeRecord& node) {
  if (!node.parent) return task.root;
  Solution solution = WithSource(task, node);
  solution.name = campaign.spec.name + ".node" + std::to_string(Index(node.id));
  std::replace(solution.name.begin(), solution.name.end(), '/', '_');
  solution.author = "coppice";
  return solution;
}

std::string ReasonFor(const Solution& solution) {
  return solution.name + std::string(kBy) + solution.author;
}

Solution ImportedSolution(const Task& task, const NodeRecord& node,
                          const std::string& reason) {
  Solution solution = WithSource(task, node);
  if (eval::IsSolutionDocument(node.candidate->source)) return solution;
  const std::size_t by = reason.rfind(kBy);
  if (by == std::string::npos) return solution;
  solution.name = reason.substr(0, by);
  solution.author = reason.substr(by + kBy.size());
  return solution;
}

Result<Solution> BaselineSolution(const Task& task,
                                  const std::string& baseline) {
  if (baseline == store::kExpertBaseline && task.expert) return *task.expert;
  const auto torch = StoredAs(baseline);
  if (!torch) {
    return Fail(
        Errc::kCorrupt,
        task.definition.name + ": no baseline is called \"" + baseline + "\"");
  }
  TRY(candidate, CandidateOf(*torch, task));
  Solution solution = task.root;
  solution.name = task.definition.name + "__" + baseline;
  solution.author = baseline;
  SetEntry(candidate, solution);
  return solution;
}

void Plant(const Solution& solution, const Task& task, NodeRecord& node) {
  node.candidate = Candidate{solution.language, eval::SourceOf(solution),
                             solution.entry_symbol};
  const std::string advice = solution.description.value_or("");
  if (!advice.empty()) {
    node.plan.emplace();
    node.plan->advice = advice;
  }
  const std::string document = eval::SerialiseSolution(solution);
  const Solution back = ImportedSolution(task, node, ReasonFor(solution));
  if (eval::SerialiseSolution(back) == document) return;
  node.plan.reset();
  node.candidate->source = document;
}

}  // namespace coppice::engine
