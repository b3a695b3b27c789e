// Dollars that requests cost, and the days (UTC) that they count in.  Private
// to this folder.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "store/records/formatted.h"

namespace coppice::store {

inline constexpr double kDay_s = 86400.0;

inline std::int64_t DayOf(double unix_s) {
  return static_cast<std::int64_t>(std::floor(unix_s / kDay_s));
}

// A sum of roundings may be off by so little that no bill shows it.
inline constexpr double kRounding_usd = 1e-9;

// "$0.25", and "$0.002500" of less than a cent.
inline std::string Dollars(double usd) {
  return Formatted(usd != 0.0 && usd < 0.01 ? "$%.6f" : "$%.2f", usd);
}

}  // namespace coppice::store
