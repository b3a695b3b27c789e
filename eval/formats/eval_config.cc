#include "eval/formats/eval_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "eval/formats/yaml.h"
#include "store/records/nearest_name.h"

namespace coppice::eval {
namespace {

constexpr std::int64_t kMostCalls = 1'000'000;

using Names = std::vector<std::string>;

const Names kOfLayers = {"warmup_runs", "iterations", "num_trials",
                         "rtol",        "atol",       "required_matched_ratio",
                         "extra"};
// The keys at the top level; most are about their runner.
const Names kAtTheTop = {"op_type_config",
                         "definition_config",
                         "warmup_runs",
                         "iterations",
                         "num_trials",
                         "rtol",
                         "atol",
                         "required_matched_ratio",
                         "use_isolated_runner",
                         "definitions",
                         "solutions",
                         "timeout_seconds",
                         "profile_baseline",
                         "log_dir",
                         "sampling_validation_trials",
                         "sampling_tvd_threshold"};

// There, a key that nobody knows is left out, and a limit with it.
Result<void> MustBeKnown(const Cursor& layer, const Names& names) {
  TRY(members, layer.Members());
  for (const auto& [name, member] : members) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const auto nearest = NearestName(name, names);
    return member.Wrong("unknown key" +
                        (nearest ? "; did you mean '" + *nearest + "'?" : ""));
  }
  return {};
}

// None if it is absent or null.
std::optional<Cursor> Given(const Cursor& layer, const char* key) {
  std::optional<Cursor> place = layer.Find(key);
  if (place && place->Value().is_null()) place.reset();
  return place;
}

Result<void> TakeCount(const Cursor& layer, const char* key, std::int64_t least,
                       std::int64_t& count) {
  const std::optional<Cursor> place = Given(layer, key);
  if (!place) return {};
  TRY(given, place->NonNegativeInteger());
  if (given < least || given > kMostCalls) {
    return place->Wrong("expected an integer from " + std::to_string(least) +
                        " to 10^6");
  }
  count = given;
  return {};
}

// Above 0.
Result<std::optional<double>> NumberOf(const Cursor& layer, const char* key,
                                       double most) {
  const std::optional<Cursor> place = Given(layer, key);
  if (!place) return std::optional<double>();
  TRY(given, place->Number());
  // Written so that NaN is refused too.
  if (!(given > 0.0 && given <= most)) {
    return place->Wrong(most == 1.0 ? "expected a number above 0 and up to 1"
                                    : "expected a number above 0");
  }
  return std::optional(given);
}

// Layers of others are read, too, so that what is wrong is told.
Result<void> TakeNamed(const Cursor& document, const char* key,
                       const std::string& name, EvalConfig& config) {
  const std::optional<Cursor> layers = Given(document, key);
  if (!layers) return {};
  TRY(members, layers->Members());
  for (const auto& [other, layer] : members) {
    EvalConfig ignored;
    if (!layer.Value().is_null()) TRY_DONE(MustBeKnown(layer, kOfLayers));
    TRY_DONE(TakeEvalConfig(layer, other == name ? config : ignored));
  }
  return {};
}

}  // namespace

Result<void> TakeEvalConfig(const Cursor& layer, EvalConfig& config) {
  if (layer.Value().is_null()) return {};
  TRY_DONE(layer.Members());  // It is an object.
  TRY_DONE(TakeCount(layer, "warmup_runs", 0, config.warmup_runs));
  TRY_DONE(TakeCount(layer, "iterations", 1, config.iterations));
  TRY_DONE(TakeCount(layer, "num_trials", 1, config.num_trials));
  TRY(rtol, NumberOf(layer, "rtol", 1e300));
  config.rtol = rtol.value_or(config.rtol);
  TRY(atol, NumberOf(layer, "atol", 1e300));
  config.atol = atol.value_or(config.atol);
  TRY(ratio, NumberOf(layer, "required_matched_ratio", 1.0));
  if (ratio) config.required_matched_ratio = ratio;
  return {};
}

Json ToJson(const EvalConfig& config) {
  Json json = {{"warmup_runs", config.warmup_runs},
               {"iterations", config.iterations},
               {"num_trials", config.num_trials},
               {"rtol", config.rtol},
               {"atol", config.atol}};
  if (config.required_matched_ratio) {
    json["required_matched_ratio"] = *config.required_matched_ratio;
  }
  return json;
}

Result<EvalConfig> EvalConfigOf(const std::string& yaml,
                                const std::string& file,
                                const Definition& definition) {
  TRY(json, ParseYaml(yaml, file));
  const Cursor document(json, file);
  if (json.is_null()) return document.Wrong("is empty");
  TRY_DONE(MustBeKnown(document, kAtTheTop));
  const std::optional<Cursor> by_type = Given(document, "op_type_config");
  const bool is_named = by_type && by_type->Find(definition.op_type);
  EvalConfig config = is_named ? EvalConfig{} : BundledEvalConfig(definition);
  TRY_DONE(TakeNamed(document, "op_type_config", definition.op_type, config));
  TRY_DONE(TakeNamed(document, "definition_config", definition.name, config));
  TRY_DONE(TakeEvalConfig(document, config));
  return config;
}

EvalConfig BundledEvalConfig(const Definition& definition) {
  EvalConfig config;
  if (definition.op_type == "moe") config.required_matched_ratio = 0.95;
  return config;
}

}  // namespace coppice::eval
