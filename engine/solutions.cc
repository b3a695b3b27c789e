#include "engine/solutions.h"

#include <algorithm>

namespace coppice::engine {

Solution SolutionOf(const store::CampaignRow& campaign, const Task& task,
                    const NodeRecord& node) {
  Solution solution = task.root;
  solution.name = campaign.spec.name + ".node" + std::to_string(Index(node.id));
  std::replace(solution.name.begin(), solution.name.end(), '/', '_');
  solution.author = "coppice";
  solution.description = node.plan ? node.plan->advice : "";
  solution.language = node.candidate->language;
  solution.entry_symbol = node.candidate->entry_symbol;
  for (SourceFile& file : solution.sources) {
    if (file.path == solution.entry_file) file.content = node.candidate->source;
  }
  return solution;
}

}  // namespace coppice::engine
