#include "eval/judge/same_task.h"

namespace coppice::eval {

const std::string& SourceOf(const Solution& solution) {
  static const std::string none;
  for (const SourceFile& file : solution.sources) {
    if (file.path == solution.entry_file) return file.content;
  }
  return none;
}

bool SameTask(const Task& a, const Task& b) {
  const auto axes_and_ids = [](const Task& task) {
    std::string text = task.definition.name;
    for (const Workload& workload : task.workloads) {
      text += "\n" + workload.uuid;
      for (const auto& [axis, value] : workload.axes) {
        text += " " + axis + "=" + std::to_string(value);
      }
    }
    return text;
  };
  return axes_and_ids(a) == axes_and_ids(b) &&
         SourceOf(a.root) == SourceOf(b.root) &&
         SourceOf(a.oracle) == SourceOf(b.oracle) &&
         a.definition.tags == b.definition.tags && a.format == b.format &&
         a.protocol == b.protocol && a.delegation == b.delegation &&
         (a.format == TaskFormat::kNative ||
          a.definition.reference == b.definition.reference) &&
         a.tolerance.factor == b.tolerance.factor;
}

}  // namespace coppice::eval
