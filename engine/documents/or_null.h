// A number that may be missing, as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace coppice::cli {

nlohmann::ordered_json OrNull(std::optional<double> number);
nlohmann::ordered_json OrNull(std::optional<std::int64_t> number);

}  // namespace coppice::cli
