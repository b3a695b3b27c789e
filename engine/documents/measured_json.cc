#include "engine/documents/measured_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "engine/campaign/rival.h"
#include "engine/documents/or_null.h"
#include "store/records/hint.h"
#include "store/records/ids.h"
#include "store/records/speedup.h"

namespace coppice::cli {

nlohmann::ordered_json ComparisonJson(const Speedup& comparison) {
  return {{"ratio", comparison.ratio},
          {"low", OrNull(comparison.interval, &Interval::low)},
          {"high", OrNull(comparison.interval, &Interval::high)},
          {"told_apart", comparison.Sign() != 0}};
}

nlohmann::ordered_json NextJson(const std::optional<engine::Rival>& rival) {
  if (!rival) return nullptr;
  nlohmann::ordered_json json = ComparisonJson(rival->winner_over);
  json["node"] = Index(rival->node);
  return json;
}

nlohmann::ordered_json SpeedupJson(const std::optional<Speedup>& speedup) {
  const auto interval = speedup ? speedup->interval : std::nullopt;
  return {{"speedup", OrNull(speedup, &Speedup::ratio)},
          {"speedup_low", OrNull(interval, &Interval::low)},
          {"speedup_high", OrNull(interval, &Interval::high)}};
}

nlohmann::ordered_json VerdictsJson(const VerdictCounts& verdicts) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
    json[std::string(kVerdictNames[i])] = verdicts[i];
  }
  return json;
}

nlohmann::ordered_json HintJson(const std::optional<Hint>& hint) {
  if (!hint) return nullptr;
  return {{"factor", hint->factor},
          {"low", hint->low},
          {"high", hint->high},
          {"samples", hint->samples}};
}

}  // namespace coppice::cli
