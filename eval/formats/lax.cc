#include "eval/formats/lax.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Without the space around it, a plus sign, and the underscores that part
// digits; none if an underscore does not.
std::optional<std::string> Plain(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(kSpace) - first + 1);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
    } else if (i == 0 || i + 1 == text.size() || !IsDigit(text[i - 1]) ||
               !IsDigit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return plain;
}

}  // namespace

std::optional<std::int64_t> LaxInteger(const std::string& text) {
  std::optional<std::string> plain = Plain(text);
  if (!plain) return std::nullopt;
  const std::size_t point = plain->find('.');
  if (point != plain->npos) {
    const bool whole = point + 1 < plain->size() &&
                       plain->find_first_not_of('0', point + 1) == plain->npos;
    if (!whole) return std::nullopt;
    plain->resize(point);
  }
  return ParseNumber<std::int64_t>(*plain);
}

std::optional<double> LaxNumber(const std::string& text) {
  const std::optional<std::string> plain = Plain(text);
  // from_chars also takes what C calls nan(...).
  if (!plain || plain->find('(') != plain->npos) return std::nullopt;
  return ParseNumber<double>(*plain);
}

std::optional<bool> LaxBool(const std::string& text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "on",   "t",
                                                     "y", "true", "yes"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "off",   "f",
                                                      "n", "false", "no"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  const auto is = [&](std::string_view word) { return word == lower; };
  if (std::any_of(kTrue.begin(), kTrue.end(), is)) return true;
  if (std::any_of(kFalse.begin(), kFalse.end(), is)) return false;
  return std::nullopt;
}

}  // namespace coppice::eval
