#include "eval/torch/operators.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "store/records/utf8.h"

namespace coppice::eval::torch {
namespace {

constexpr std::size_t kMostOperators = 100;
constexpr std::size_t kMostNameBytes = 200;
constexpr std::uint64_t kMostCalls = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::vector<KernelProfile> ParseOperators(const std::string& text) {
  const auto all = nlohmann::json::parse(text, nullptr,
                                         /*allow_exceptions=*/false);
  std::vector<KernelProfile> operators;
  if (!all.is_array()) return operators;
  for (const auto& one : all) {
    if (operators.size() == kMostOperators) break;
    if (!one.is_array() || one.size() != 3 || !one[0].is_string() ||
        !one[1].is_number_unsigned() || !one[2].is_number() ||
        one[1].get<std::uint64_t>() > kMostCalls) {
      continue;
    }
    const double seconds = one[2].get<double>();
    if (!std::isfinite(seconds) || seconds < 0.0) continue;
    operators.push_back({.name = one[0].get<std::string>(),
                         .calls = one[1].get<std::int64_t>(),
                         .total_s = seconds});
    std::string& own = operators.back().name;
    own.resize(WholeCharacters(own, kMostNameBytes));
  }
  return operators;
}

}  // namespace coppice::eval::torch
