#include "eval/judge/operation_count.h"

#include <optional>
#include <string_view>

#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

std::optional<double> ValueOf(const Definition& definition,
                              const Workload& workload, std::string_view word) {
  if (const auto number = ParseCount(word)) {
    return static_cast<double>(*number);
  }
  for (const auto& [axis, value] : workload.axes) {
    if (axis == word) return static_cast<double>(value);
  }
  for (const Axis& axis : definition.axes) {
    if (axis.name == word && axis.constant) {
      return static_cast<double>(*axis.constant);
    }
  }
  return std::nullopt;
}

// Takes the text up to `separator`, which goes too.
std::string_view Take(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text = at == text.npos ? std::string_view() : text.substr(at + 1);
  return taken;
}

}  // namespace

Result<OperationCount> LeastWork(const Definition& definition,
                                 const Workload& workload,
                                 const Shapes& shapes) {
  OperationCount work;
  work.bytes = static_cast<double>(BytesOf(shapes.outputs));
  if (TagValue(definition, "floor") != "outputs") {
    work.bytes += static_cast<double>(BytesOf(shapes.inputs));
  }
  TRY_ASSIGN(work.flops, StatedFlops(definition, workload));
  return work;
}

Result<double> StatedFlops(const Definition& definition,
                           const Workload& workload) {
  const auto stated = TagValue(definition, "flops");
  if (!stated) return 0.0;
  const auto refuse = [&] {
    return Fail(Errc::kUsage,
                definition.name + ": tag flops:" + *stated +
                    ": expected a sum of products of numbers and axes, as in "
                    "flops:2*M*N*K");
  };
  if (stated->empty() || stated->back() == '+' || stated->back() == '*') {
    return refuse();
  }
  double flops = 0.0;
  std::string_view sum = *stated;
  while (!sum.empty()) {
    std::string_view product = Take(sum, '+');
    if (product.empty()) return refuse();
    double value = 1.0;
    while (!product.empty()) {
      const auto factor = ValueOf(definition, workload, Take(product, '*'));
      if (!factor) return refuse();
      value *= *factor;
    }
    flops += value;
  }
  return flops;
}

}  // namespace coppice::eval
