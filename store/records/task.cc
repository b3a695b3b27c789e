#include "store/records/task.h"

#include <algorithm>

namespace coppice {

std::optional<std::string> TagValue(const Definition& definition,
                                    const std::string& key) {
  for (const std::string& tag : definition.tags) {
    if (tag.starts_with(key + ":")) return tag.substr(key.size() + 1);
  }
  return std::nullopt;
}

std::optional<std::string> WhyShapesAreFixed(const Task& task) {
  const auto varies = [](const Axis& axis) { return !axis.constant; };
  if (std::ranges::none_of(task.definition.axes, varies)) {
    return "no axis varies";
  }
  for (const Workload& workload : task.workloads) {
    for (const auto& [name, input] : workload.inputs) {
      if (std::holds_alternative<SafetensorsInput>(input)) {
        return "input " + name + " is stored";
      }
      if (std::holds_alternative<CustomInput>(input)) {
        return "input " + name + " is made by a function of the definition's";
      }
    }
  }
  // Constraints are Python: nobody here could tell what breaks them.
  if (!task.definition.constraints.empty()) {
    return "the definition has a constraint, " +
           task.definition.constraints.front();
  }
  return std::nullopt;
}

}  // namespace coppice
