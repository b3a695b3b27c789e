// Names of the values of an enum, in a table by their numbers.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace coppice {

template <std::size_t kCount>
using NameTable = std::array<std::string_view, kCount>;

// "unknown" of a number that is not in it: a damaged file may hold any.
template <class Enum, std::size_t kCount>
constexpr std::string_view NameIn(const NameTable<kCount>& names, Enum value) {
  const auto number = static_cast<std::size_t>(value);
  return number < kCount ? names[number] : "unknown";
}

// None: it is the name of no value.
template <class Enum, std::size_t kCount>
constexpr std::optional<Enum> NamedIn(const NameTable<kCount>& names,
                                      std::string_view name) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace coppice
