// Presets, each a name for the settings that make it: the agents that STARK
// compares (section 5, appendix B), and before them the default, which is its
// team of agents with a search of ours.
#pragma once

#include <span>
#include <string_view>

#include "store/records/result.h"

namespace coppice::config {

struct PresetValue {
  std::string_view key;
  std::string_view value;
};

struct Preset {
  std::string_view name;
  std::string_view help;  // One line.
  std::span<const PresetValue> values;
};

std::span<const Preset> Presets();

// kUsage names those there are, and the nearest.
Result<const Preset*> FindPreset(std::string_view name);

}  // namespace coppice::config
