// What may be missing, as JSON: null where it is; and what there are several
// of.  Who uses it includes nlohmann/json.hpp.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace coppice::cli {

// `of` makes JSON, or what becomes it, of a value that is there.
template <class Value, class Of = std::identity,
          class Json = nlohmann::ordered_json>
Json OrNull(const std::optional<Value>& value, Of of = {}) {
  return value ? Json(std::invoke(of, *value)) : Json();
}

// By its Name().
template <class Named, class Json = nlohmann::ordered_json>
Json NameOrNull(const std::optional<Named>& value) {
  return value ? Json(Name(*value)) : Json();
}

// An empty text is missing.
template <class Json = nlohmann::ordered_json>
Json TextOrNull(std::string_view text) {
  return text.empty() ? Json() : Json(text);
}

// What `of` makes of each.
template <class Range, class Of, class Json = nlohmann::ordered_json>
Json ArrayOf(Range&& all, Of of) {
  Json array = Json::array();
  for (const auto& each : all) array.push_back(Json(std::invoke(of, each)));
  return array;
}

}  // namespace coppice::cli
