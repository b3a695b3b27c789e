#include "eval/torch/cases.h"

namespace coppice::eval::torch {

std::vector<Case> CasesOf(const Task& task) {
  if (task.format != TaskFormat::kGpuMode) {
    return {{task.workloads.front().uuid}};
  }
  std::vector<Case> cases;
  for (const std::string& tag : task.definition.tags) {
    if (!tag.starts_with(kTestTag)) continue;
    cases.push_back({"test " + tag.substr(sizeof kTestTag - 1), false});
  }
  for (const Workload& workload : task.workloads) {
    cases.push_back({workload.uuid});
  }
  return cases;
}

}  // namespace coppice::eval::torch
