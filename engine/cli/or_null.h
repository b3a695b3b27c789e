// A value that may be missing, as JSON.
#ifndef COPPICE_ENGINE_CLI_OR_NULL_H_
#define COPPICE_ENGINE_CLI_OR_NULL_H_

#include <nlohmann/json.hpp>
#include <optional>

namespace coppice::cli {

template <class Value>
nlohmann::ordered_json OrNull(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value)
               : nlohmann::ordered_json(nullptr);
}

}  // namespace coppice::cli

#endif  // COPPICE_ENGINE_CLI_OR_NULL_H_
