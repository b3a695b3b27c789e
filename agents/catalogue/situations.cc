#include "agents/catalogue/situations.h"

#include "agents/catalogue/anchors.h"
#include "agents/catalogue/kernel.h"

namespace coppice::agents::catalogue {

Task TaskOfSizes() {
  Task task;
  task.workloads.push_back({"w", {{"M", 200}, {"N", 300}, {"K", 100}}, {}});
  return task;
}

Situation SituationOf(const Task& task, const std::string& source) {
  Situation situation;
  situation.task = &task;
  situation.threads = 2;
  situation.root.source = source;
  situation.root.verdict = Verdict::kPassed;
  situation.root.speedup = Speedup{};
  situation.selected = situation.root;
  situation.seed = 7;
  return situation;
}

Sighting Attempted(const Situation& situation, const std::string& technique,
                   Verdict verdict) {
  const std::string& source = situation.selected.source;
  const auto kernel = ParseKernel(source);
  Sighting child;
  child.id = NodeId{1};
  child.kinship = Kinship::kChild;
  child.verdict = verdict;
  child.plan = Plan{"words", technique,
                    WithAnchors(source, {kernel->body.front().first_line,
                                         kernel->body.back().last_line}),
                    1, true};
  return child;
}

}  // namespace coppice::agents::catalogue
