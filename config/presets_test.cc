#include "config/presets.h"

#include <gtest/gtest.h>

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

TEST(PresetsTest, AMistypedNameIsAnsweredWithTheNearest) {
  EXPECT_EQ(FindPreset("samplin").error().what,
            "expected one of xei, stark, multi_agent, search, reflexion, "
            "sampling; did you mean 'sampling'?");
  EXPECT_EQ(FindPreset("").error().code, Errc::kUsage);
}

}  // namespace
}  // namespace coppice::config
