#include "config/presets.h"

#include <array>
#include <string>
#include <vector>

#include "store/records/nearest_name.h"

namespace coppice::config {
namespace {

using Values = std::array<PresetValue, 8>;

// A single agent is asked as KernelBench asks it: at temperature 0.7, and
// shown the kernel that it works on, but no other attempts.
constexpr Values Alone(std::string_view policy) {
  return {{{"policy", policy},
           {"agents", "alone"},
           {"plan_temperature", "0.7"},
           {"code_temperature", "0.7"},
           {"debug_temperature", "0.7"},
           {"window_history", "0"},
           {"window_cap", "others"},
           {"window_leaders", "0"}}};
}

// `history` is the window's cap, and `cap` what that counts.
constexpr Values Team(std::string_view policy, std::string_view history,
                      std::string_view cap, std::string_view leaders) {
  return {{{"policy", policy},
           {"agents", "team"},
           {"plan_temperature", "0.8"},
           {"code_temperature", "0.1"},
           {"debug_temperature", "0.1"},
           {"window_history", history},
           {"window_cap", cap},
           {"window_leaders", leaders}}};
}

constexpr Values kXei = Team("xei_hint", "5", "others", "2");
constexpr Values kStark = Team("stark", "5", "all", "2");
// "Generates multiple candidates independently" (section 4.2), "with
// plan/code/debug" (section 5): no sample is shown another.
constexpr Values kMultiAgent = Team("best_of_k:repairs=1", "0", "others", "0");
constexpr Values kSearch = Alone("stark");
constexpr Values kReflexion = Alone("reflexion");
constexpr Values kSampling = Alone("best_of_k");

constexpr Preset kPresets[] = {
    {"xei", "plan, code and debug agents, searching by expected improvement",
     kXei},
    {"stark", "the same agents with STARK's search", kStark},
    {"multi_agent", "the same agents, on samples that know of no other",
     kMultiAgent},
    {"search", "a single agent with STARK's search", kSearch},
    {"reflexion", "a single agent, always from its last attempt", kReflexion},
    {"sampling", "a single agent, always from the root", kSampling},
};

}  // namespace

std::span<const Preset> Presets() { return kPresets; }

Result<const Preset*> FindPreset(std::string_view name) {
  std::vector<std::string> names;
  std::string all;
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return &preset;
    names.emplace_back(preset.name);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  std::string what = "expected one of " + all;
  if (const auto nearest = NearestName(std::string(name), names)) {
    what += "; did you mean '" + *nearest + "'?";
  }
  return Fail(Errc::kUsage, what);
}

}  // namespace coppice::config
