#include "eval/torch/closeness.h"

#include <charconv>
#include <cmath>
#include <string>

#include "store/records/parse_number.h"

namespace coppice::eval::torch {
namespace {

// None: the definition has no such tag, or one that is no bound.
std::optional<double> Bound(const Definition& definition,
                            const std::string& key) {
  const auto text = TagValue(definition, key);
  if (!text) return std::nullopt;
  const auto bound = ParseNumber<double>(*text);
  const bool is_bound = bound && std::isfinite(*bound) && *bound >= 0.0;
  return is_bound ? bound : std::nullopt;
}

}  // namespace

void AddCloseness(const Closeness& closeness, Definition& definition) {
  const auto add = [&](const std::string& key, double value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    definition.tags.push_back(key + ":" + std::string(text, end));
  };
  add("rtol", closeness.relative);
  add("atol", closeness.absolute);
}

std::optional<Closeness> ClosenessOf(const Definition& definition) {
  const auto relative = Bound(definition, "rtol");
  const auto absolute = Bound(definition, "atol");
  if (!relative || !absolute || *relative == 0.0) return std::nullopt;
  return Closeness{*relative, *absolute};
}

}  // namespace coppice::eval::torch
