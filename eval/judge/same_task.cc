#include "eval/judge/same_task.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace coppice::eval {
namespace {

// Descriptions explain, and judge nothing.
bool SameAxis(const Axis& a, const Axis& b) {
  return a.name == b.name && a.constant == b.constant;
}

bool SameTensor(const TensorSpec& a, const TensorSpec& b) {
  return a.name == b.name && a.shape == b.shape && a.dtype == b.dtype;
}

bool SameTensors(const std::vector<TensorSpec>& a,
                 const std::vector<TensorSpec>& b) {
  return std::ranges::equal(a, b, SameTensor);
}

bool SameInput(const std::pair<std::string, InputSpec>& a,
               const std::pair<std::string, InputSpec>& b) {
  if (a.first != b.first || a.second.index() != b.second.index()) return false;
  if (const auto* random = std::get_if<RandomInput>(&a.second)) {
    return random->draw == std::get<RandomInput>(b.second).draw;
  }
  if (const auto* scalar = std::get_if<ScalarInput>(&a.second)) {
    return scalar->value == std::get<ScalarInput>(b.second).value;
  }
  const auto* file = std::get_if<SafetensorsInput>(&a.second);
  return file == nullptr ||
         file->tensor_key == std::get<SafetensorsInput>(b.second).tensor_key;
}

bool SameWorkload(const Workload& a, const Workload& b) {
  return a.uuid == b.uuid && a.axes == b.axes &&
         std::ranges::equal(a.inputs, b.inputs, SameInput);
}

bool SameSource(const Solution& a, const Solution& b) {
  return SourceOf(a) == SourceOf(b) && a.entry_symbol == b.entry_symbol;
}

}  // namespace

const std::string& SourceOf(const Solution& solution) {
  static const std::string none;
  for (const SourceFile& file : solution.sources) {
    if (file.path == solution.entry_file) return file.content;
  }
  return none;
}

bool SameTask(const Task& a, const Task& b) {
  return a.definition.name == b.definition.name &&
         std::ranges::equal(a.definition.axes, b.definition.axes, SameAxis) &&
         SameTensors(a.definition.inputs, b.definition.inputs) &&
         SameTensors(a.definition.outputs, b.definition.outputs) &&
         std::ranges::equal(a.workloads, b.workloads, SameWorkload) &&
         SameSource(a.root, b.root) && SameSource(a.oracle, b.oracle) &&
         a.definition.tags == b.definition.tags && a.format == b.format &&
         a.protocol == b.protocol && a.delegation == b.delegation &&
         (a.format == TaskFormat::kNative ||
          a.definition.reference == b.definition.reference) &&
         a.tolerance.factor == b.tolerance.factor &&
         a.eval_config == b.eval_config;
}

}  // namespace coppice::eval
