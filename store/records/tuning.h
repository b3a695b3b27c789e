// Numbers in a source that its author leaves to be tuned.  Each stands on a
// line of its own, whose comment lists all values that it may have:
//
//   constexpr int TILE = 64;  //@ tune 16 32 64 128
//   #define UNROLL 4          //@ tune 1 2 4 8
//   BLOCK = 128               #@ tune 64 128 256
//
// So a source is whole as it stands, by its author's own values, and a
// configuration is the same source with other numbers in these places.  A
// launch plan (eval/cuda/launch_plan.h) may use the names as it uses axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/result.h"

namespace coppice {

struct TuningParameter {
  std::string name;
  std::vector<std::int64_t> choices;  // As listed; no two are equal.
  std::size_t chosen = 0;             // The author's, among them.
  std::size_t begin = 0;              // Where its number stands in the source,
  std::size_t bytes = 0;              // and how long it is.
};

// Which choice of each parameter.
using Configuration = std::vector<std::size_t>;

inline constexpr std::size_t kMostTuningParameters = 16;
inline constexpr std::size_t kMostTuningChoices = 64;  // Of one parameter.

// In the order of their lines; empty if there are none.  kCorrupt says what is
// wrong with a line that means to declare one: "line 3: ...".
Result<std::vector<TuningParameter>> TuningParametersOf(
    std::string_view source);

Configuration AuthorsChoice(std::span<const TuningParameter> parameters);

// How many configurations there are; capped at 2^62.
std::uint64_t CountConfigurations(std::span<const TuningParameter> parameters);

// The configuration of that number, the last parameter changing first.
// REQUIRES: number < CountConfigurations(parameters).
Configuration ConfigurationAt(std::span<const TuningParameter> parameters,
                              std::uint64_t number);

// REQUIRES: `parameters` are those of `source`.
std::string Configured(std::string_view source,
                       std::span<const TuningParameter> parameters,
                       const Configuration& configuration);

// "TILE=64 UNROLL=4".
std::string ConfigurationText(std::span<const TuningParameter> parameters,
                              const Configuration& configuration);

}  // namespace coppice
