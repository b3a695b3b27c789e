#include "eval/torch/closeness.h"

#include <charconv>
#include <cstdlib>
#include <string>

namespace coppice::eval::torch {

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
  const auto relative = TagValue(definition, "rtol");
  const auto absolute = TagValue(definition, "atol");
  if (!relative || !absolute) return std::nullopt;
  return Closeness{std::strtod(relative->c_str(), nullptr),
                   std::strtod(absolute->c_str(), nullptr)};
}

}  // namespace coppice::eval::torch
