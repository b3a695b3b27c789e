#include "engine/documents/value_json.h"

#include <nlohmann/json.hpp>
#include <string>

namespace coppice::cli {

nlohmann::ordered_json ValueJson(const store::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

}  // namespace coppice::cli
