// What was observed of a kernel, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "store/records/profile.h"

namespace coppice::cli {

nlohmann::ordered_json CountersJson(const Counters& counters);

// Null if there is none.  Its fields are those of store/records/profile.h; what
// is not known is null.
nlohmann::ordered_json ProfileJson(const std::optional<Profile>& profile);

}  // namespace coppice::cli
