// Caps on what requests to providers may use.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace coppice::store {

struct Cap {
  std::optional<std::int64_t> tokens;  // Input and output together.
  std::optional<double> usd;
  bool operator==(const Cap&) const = default;
};

// Unset is no cap.  What requests in flight, or of unknown outcome, may have
// used at most counts as used.
struct Caps {
  Cap campaign;              // All that the campaign uses,
  std::array<Cap, 3> roles;  // and what its agents of a Role use.
  Cap day;                   // All campaigns of the file, in a UTC day.
  // Before a cap is passed, requests of unknown outcome that were sent longer
  // ago than this are settled by estimate.  Unset: never.
  std::optional<double> settle_after_s{};
};

}  // namespace coppice::store
