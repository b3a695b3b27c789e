// Numbers as texts say them, in any locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace coppice {

// The number that `text` begins with, which is taken off it.  Format: a base,
// or how a floating number may be written.
template <class Number, class... Format>
std::optional<Number> TakeNumber(std::string_view& text, Format... format) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] =
      std::from_chars(text.data(), end, number, format...);
  if (error != std::errc()) return std::nullopt;
  text = {rest, static_cast<std::size_t>(end - rest)};
  return number;
}

// The number that `text` is, and is nothing more than.
template <class Number, class... Format>
std::optional<Number> ParseNumber(std::string_view text, Format... format) {
  const auto number = TakeNumber<Number>(text, format...);
  return text.empty() ? number : std::nullopt;
}

// One that is not negative.
inline std::optional<std::int64_t> ParseCount(std::string_view text) {
  const auto number = ParseNumber<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

}  // namespace coppice
