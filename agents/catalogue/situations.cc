#include "agents/catalogue/situations.h"

#include "agents/catalogue/anchors.h"
#include "agents/catalogue/kernel.h"

namespace coppice::agents::catalogue {

Task TaskOfSizes() {
  Task task;
  task.workloads.push_back({"w", {{"M", 200}, {"N", 300}, {"K", 100}}, {}});
  return task;
}

PromptContext PromptContextOf(const Task& task, const std::string& source) {
  PromptContext context;
  context.task = &task;
  context.threads = 2;
  context.root.source = source;
  context.root.verdict = Verdict::kPassed;
  context.root.speedup = Speedup{};
  context.selected = context.root;
  context.seed = 7;
  return context;
}

Sighting Attempted(const PromptContext& context, const std::string& technique,
                   Verdict verdict) {
  const std::string& source = context.selected.source;
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
