#include "config/presets.h"

#include <array>
#include <string>
#include <vector>

#include "config/nearest.h"

namespace coppice::config {
namespace {

// A single agent is asked as KernelBench asks it: at temperature 0.7, and
// shown the kernel that it works on, but no other attempts.
using Values = std::array<PresetValue, 7>;

constexpr Values Alone(std::string_view policy) {
  return {{{"policy", policy},
           {"agents", "alone"},
           {"plan_temperature", "0.7"},
           {"code_temperature", "0.7"},
           {"debug_temperature", "0.7"},
           {"window_history", "0"},
           {"window_leaders", "0"}}};
}

constexpr Values Team(std::string_view policy) {
  return {{{"policy", policy},
           {"agents", "team"},
           {"plan_temperature", "0.8"},
           {"code_temperature", "0.1"},
           {"debug_temperature", "0.1"},
           {"window_history", "5"},
           {"window_leaders", "2"}}};
}

constexpr Values kXei = Team("xei_b");
constexpr Values kStark = Team("stark");
constexpr Values kMultiAgent = Team("best_of_k");
constexpr Values kSearch = Alone("stark");
constexpr Values kReflexion = Alone("reflexion");
constexpr Values kSampling = Alone("best_of_k");

constexpr Preset kPresets[] = {
    {"xei", "plan, code and debug agents, searching by expected improvement",
     kXei},
    {"stark", "the same agents with STARK's search", kStark},
    {"multi_agent", "the same agents, always from the root", kMultiAgent},
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
  if (const auto nearest = Nearest(std::string(name), names)) {
    what += "; did you mean '" + *nearest + "'?";
  }
  return Fail(Errc::kUsage, what);
}

}  // namespace coppice::config
