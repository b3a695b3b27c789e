#include "config/presets.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "config/settings.h"

namespace coppice::config {
namespace {

TEST(PresetsTest, EveryValueOfEveryPresetIsASetting) {
  for (const Preset& preset : Presets()) {
    Settings settings;
    for (const auto& [key, value] : preset.values) {
      const Key* known = FindKey(key);
      ASSERT_NE(known, nullptr) << key;
      EXPECT_TRUE(Assign(*known, value, settings).has_value()) << key;
    }
  }
}

TEST(PresetsTest, TheDefaultIsWhatTheDefaultsAre) {
  const Settings defaults;
  for (const auto& [key, value] : (*FindPreset(defaults.preset))->values) {
    EXPECT_EQ(Print(*FindKey(key), defaults), value) << key;
  }
}

// STARK's cap counts its own node and the root; ours does not.
TEST(PresetsTest, TheDefaultIsStarkButForItsPolicyAndCap) {
  const Preset& ours = **FindPreset(Settings().preset);
  const Preset& stark = **FindPreset("stark");
  ASSERT_EQ(ours.values.size(), stark.values.size());
  for (std::size_t i = 0; i < stark.values.size(); ++i) {
    EXPECT_EQ(ours.values[i].key, stark.values[i].key);
    if (stark.values[i].key == "policy") {
      EXPECT_EQ(stark.values[i].value, "stark");
      EXPECT_EQ(ours.values[i].value, "xei_hint");
    } else if (stark.values[i].key == "window_cap") {
      EXPECT_EQ(stark.values[i].value, "all");
      EXPECT_EQ(ours.values[i].value, "others");
    } else {
      EXPECT_EQ(ours.values[i].value, stark.values[i].value);
    }
  }
}

// So a preset leaves nothing of the one before it.
TEST(PresetsTest, AllSetTheSameKeysOnceEach) {
  std::vector<std::string_view> first;
  for (const PresetValue& value : Presets().front().values) {
    first.push_back(value.key);
  }
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), first.size());
  for (const Preset& preset : Presets()) {
    std::vector<std::string_view> keys;
    for (const PresetValue& value : preset.values) keys.push_back(value.key);
    EXPECT_EQ(keys, first) << preset.name;
    EXPECT_EQ(FindPreset(preset.name).value(), &preset);
  }
}

// A single agent is shown no attempts but its own kernel's, and writes code at
// KernelBench's temperature.
TEST(PresetsTest, ASingleAgentIsShownNoOtherAttempts) {
  for (const char* name : {"search", "reflexion", "sampling"}) {
    Settings settings;
    for (const auto& [key, value] : (*FindPreset(name))->values) {
      ASSERT_TRUE(Assign(*FindKey(key), value, settings));
    }
    EXPECT_EQ(settings.agents, Agents::kAlone) << name;
    EXPECT_EQ(settings.window_history, 0) << name;
    EXPECT_EQ(settings.window_leaders, 0) << name;
    EXPECT_EQ(settings.code_temperature, 0.7) << name;
  }
}

TEST(PresetsTest, AMistypedNameIsAnsweredWithTheNearest) {
  EXPECT_EQ(FindPreset("samplin").error().what,
            "expected one of xei, stark, multi_agent, search, reflexion, "
            "sampling; did you mean 'sampling'?");
  EXPECT_EQ(FindPreset("").error().code, Errc::kUsage);
}

}  // namespace
}  // namespace coppice::config
