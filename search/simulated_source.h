// The text form of a point on a simulated landscape: a "kernel" of a few lines
// that agents can mark, edit and break as they would a real one.
//
//   sim basic
//   # layout: the basin, 0 to 3.  The others: how far each technique is taken.
//   layout 2
//   tile 3
//   vectorise 0 bug wrong_output
//   unroll 1
//   prefetch 0
//   fuse 0
//
// Blank lines and lines that start with `#` are comments; so anchors are too.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "store/records/result.h"
#include "store/records/verdict.h"

namespace coppice::search {

inline constexpr std::array<std::string_view, 6> kSettingNames = {
    "layout", "tile", "vectorise", "unroll", "prefetch", "fuse"};
inline constexpr int kLayout = 0;  // Index of the layout's setting.
inline constexpr int kSettings = static_cast<int>(kSettingNames.size());
inline constexpr int kLayouts = 4;
inline constexpr int kMaxLevel = 6;  // Of a technique.

struct SimulatedBug {
  int setting = 0;  // On whose line it is.
  Verdict verdict = Verdict::kWrongOutput;
  bool stubborn = false;  // No repair will ever find it.

  bool operator==(const SimulatedBug&) const = default;
};

struct SimulatedSource {
  std::string landscape;
  std::array<int, kSettings> settings{};  // By kSettingNames.
  std::optional<SimulatedBug> bug;

  bool operator==(const SimulatedSource&) const = default;
};

// How far a setting goes: the last value it may have.
int LastValue(int setting);

// The index of a name in kSettingNames.
std::optional<int> FindSetting(std::string_view name);

// Every setting must occur exactly once.  Error kCorrupt with the number of
// the line, as a compiler would say it.
Result<SimulatedSource> ParseSimulatedSource(std::string_view text);

// The canonical text; parses to the same source.
std::string Render(const SimulatedSource& source);

}  // namespace coppice::search
