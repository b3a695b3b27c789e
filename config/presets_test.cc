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

TEST(PresetsTest, StarkIsWhatTheDefaultsAre) {
  const Settings defaults;
  const Preset& stark = **FindPreset(defaults.preset);
  EXPECT_EQ(stark.name, "stark");
  for (const auto& [key, value] : stark.values) {
    EXPECT_EQ(Print(*FindKey(key), defaults), value) << key;
  }
}

TEST(PresetsTest, AMistypedNameIsAnsweredWithTheNearest) {
  EXPECT_EQ(FindPreset("samplin").error().what,
            "expected one of stark, multi_agent, search, reflexion, sampling; "
            "did you mean 'sampling'?");
  EXPECT_EQ(FindPreset("").error().code, Errc::kUsage);
}

}  // namespace
}  // namespace coppice::config
