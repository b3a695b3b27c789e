#include "eval/judge/distributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "store/records/random.h"

namespace coppice::eval {
namespace {

constexpr std::array<std::string_view, 15> kNames = {
    "plain",     "zeros",  "ties",    "sorted",     "negative",
    "tiny",      "large",  "offset",  "cancelling", "dominant",
    "wild_tail", "scales", "extreme", "infinity",   "nan"};

// Powers of two that keep squares, cubes and long sums of products finite.
struct Scale {
  int tiny;
  int large;
  int offset;
  int dominant;
  int tail;
  int spread;  // To both sides of 0.
  float greatest;
  float least;  // Of the normal ones.
};

Scale ScaleOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {-18, 6, 4, 8, 4, 4, 65504.0f, 0x1p-14f};
    case DType::kBFloat16:
      return {-130, 20, 3, 14, 10, 12, 0x1.fep127f, 0x1p-126f};
    default:
      return {-130, 20, 12, 14, 10, 12, 0x1.fffffep127f, 0x1p-126f};
  }
}

std::uint64_t Mix(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// One in about a thousand, and at least one.
template <class Assign>
void Sprinkle(std::uint64_t seed, std::size_t count, Assign assign) {
  for (std::size_t i = 0; i < count / 1000 + 1; ++i) {
    const std::uint64_t random = Mix(seed, i);
    assign(random % count, (random >> 63) != 0);
  }
}

template <class Assign>
void ForEach(std::span<float> values, Assign assign) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = assign(values[i], i);
  }
}

float Tied(float x) {
  return std::clamp(0.25f * std::nearbyint(4.0f * x), -2.0f, 2.0f);
}

void Ascend(std::uint64_t seed, std::size_t row, std::span<float> values) {
  const double step = 6.0 / static_cast<double>(row);
  ForEach(values, [&](float, std::size_t i) {
    const double place = static_cast<double>(i % row) + OpenUnit(Mix(seed, i));
    return static_cast<float>(-3.0 + step * place);
  });
}

// Each by a power of two of its own.
void Spread(std::uint64_t seed, int spread, std::span<float> values) {
  const std::uint64_t steps = 2 * static_cast<std::uint64_t>(spread) + 1;
  ForEach(values, [&](float x, std::size_t i) {
    const auto step = static_cast<int>(Mix(seed, i) % steps);
    return std::ldexp(x, step - spread);
  });
}

}  // namespace

std::string_view Name(Distribution distribution) {
  return kNames[static_cast<std::size_t>(distribution)];
}

std::optional<Distribution> ParseDistribution(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Distribution>(found - kNames.begin());
}

Result<std::vector<Distribution>> AdversarialDistributions(
    const Definition& definition) {
  constexpr auto kFirst = static_cast<std::size_t>(Distribution::kZeros);
  constexpr auto kLast = static_cast<std::size_t>(Distribution::kScales);
  std::array<bool, kNames.size()> wanted{};
  std::fill(wanted.begin() + kFirst, wanted.begin() + kLast + 1, true);
  for (const std::string& tag : definition.tags) {
    const bool with = tag.starts_with("with:");
    if (!with && !tag.starts_with("without:")) continue;
    const auto named = ParseDistribution(tag.substr(tag.find(':') + 1));
    if (!named || *named == Distribution::kPlain) {
      return Fail(Errc::kUsage, definition.name + ": tag " + tag +
                                    ": no such distribution of inputs");
    }
    wanted[static_cast<std::size_t>(*named)] = with;
  }
  std::vector<Distribution> distributions;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) distributions.push_back(static_cast<Distribution>(i));
  }
  return distributions;
}

void Reshape(Distribution distribution, DType dtype, std::uint64_t seed,
             std::size_t row, std::span<float> values) {
  if (values.empty()) return;
  const Scale scale = ScaleOf(dtype);
  const auto times = [&](int exponent) {
    const float factor = std::ldexp(1.0f, exponent);
    ForEach(values, [&](float x, std::size_t) { return x * factor; });
  };
  const auto sprinkle = [&](float value) {
    Sprinkle(seed, values.size(), [&](std::size_t at, bool negative) {
      values[at] = negative ? -value : value;
    });
  };
  switch (distribution) {
    case Distribution::kPlain:
      return;
    case Distribution::kZeros:
      return ForEach(
          values, [](float x, std::size_t) { return std::copysign(0.0f, x); });
    case Distribution::kTies:
      return ForEach(values, [](float x, std::size_t) { return Tied(x); });
    case Distribution::kSorted:
      return Ascend(seed, row, values);
    case Distribution::kNegative:
      return ForEach(values, [](float x, std::size_t) { return -std::abs(x); });
    case Distribution::kTiny:
      return times(scale.tiny);
    case Distribution::kLarge:
      return times(scale.large);
    case Distribution::kOffset: {
      const float offset = std::ldexp(1.0f, scale.offset);
      return ForEach(values, [&](float x, std::size_t) { return x + offset; });
    }
    case Distribution::kCancelling:
      for (std::size_t i = 1; i < values.size(); i += 2) {
        values[i] = values[i] * 0x1p-10f - values[i - 1];
      }
      return;
    case Distribution::kDominant:
      values[Mix(seed, 0) % values.size()] = std::ldexp(1.0f, scale.dominant);
      return;
    case Distribution::kWildTail:
      values = values.subspan(values.size() - values.size() / 8);
      return times(scale.tail);
    case Distribution::kScales:
      return Spread(seed, scale.spread, values);
    case Distribution::kExtreme:
      sprinkle(scale.greatest);
      seed = ~seed;
      return sprinkle(scale.least);
    case Distribution::kInfinity:
      return sprinkle(std::numeric_limits<float>::infinity());
    case Distribution::kNan:
      return sprinkle(std::numeric_limits<float>::quiet_NaN());
  }
}

void Reshape(Distribution distribution, std::uint64_t seed, std::size_t row,
             std::span<std::int64_t> values) {
  if (values.empty()) return;
  const auto [least, greatest] = std::ranges::minmax(values);
  switch (distribution) {
    case Distribution::kZeros:
      std::ranges::fill(values, 0);
      return;
    case Distribution::kTies:
      for (std::int64_t& value : values) {
        value = std::clamp<std::int64_t>(value % 3, least, greatest);
      }
      return;
    case Distribution::kSorted:
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = least + (greatest - least) *
                                static_cast<std::int64_t>(i % row) /
                                static_cast<std::int64_t>(row);
      }
      return;
    case Distribution::kNegative:
      std::ranges::fill(values, least);
      return;
    case Distribution::kDominant:
      std::ranges::fill(values, least);
      values[Mix(seed, 0) % values.size()] = greatest;
      return;
    default:
      return;
  }
}

}  // namespace coppice::eval
