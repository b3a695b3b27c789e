#include "engine/documents/or_null.h"

#include <nlohmann/json.hpp>

namespace coppice::cli {
namespace {

template <class Number>
nlohmann::ordered_json NumberOrNull(const std::optional<Number>& number) {
  return number ? nlohmann::ordered_json(*number)
                : nlohmann::ordered_json(nullptr);
}

}  // namespace

nlohmann::ordered_json OrNull(std::optional<double> number) {
  return NumberOrNull(number);
}

nlohmann::ordered_json OrNull(std::optional<std::int64_t> number) {
  return NumberOrNull(number);
}

}  // namespace coppice::cli
