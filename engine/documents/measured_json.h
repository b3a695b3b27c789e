// What was measured of kernels, as the members that JSON of all verbs has of
// it. Who uses it includes nlohmann/json.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "store/records/verdict.h"

namespace coppice {
struct Hint;
struct Speedup;
}  // namespace coppice
namespace coppice::engine {
struct Rival;
}

namespace coppice::cli {

// {"ratio": 1.31, "low": 1.28, "high": 1.34, "told_apart": true}
nlohmann::ordered_json ComparisonJson(const Speedup& comparison);

// The same with its "node"; null: nobody comes next.
nlohmann::ordered_json NextJson(const std::optional<engine::Rival>& rival);

// {"speedup": 1.31, "speedup_low": 1.28, "speedup_high": 1.34}, null where it
// is not known.
nlohmann::ordered_json SpeedupJson(const std::optional<Speedup>& speedup);

// {"passed": 3, "crashed": 1, ...}: all verdicts.
nlohmann::ordered_json VerdictsJson(const VerdictCounts& verdicts);

// {"factor": 1.8, "low": 1.6, "high": 2.0, "samples": 15}; null: there is none.
nlohmann::ordered_json HintJson(const std::optional<Hint>& hint);

}  // namespace coppice::cli
