#include "engine/assistant/numbers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>

namespace coppice::assistant {
namespace {

bool IsDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool IsInWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         (c & 0x80) != 0;
}

// Digits, with commas between thousands, a fraction and an exponent.
std::size_t EndOfNumber(std::string_view text, std::size_t at) {
  const auto digits = [&] {
    while (at < text.size() && IsDigit(text[at])) ++at;
  };
  const auto are_digits = [&](std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      if (i >= text.size() || !IsDigit(text[i])) return false;
    }
    return true;
  };
  constexpr std::size_t kGroup = 3;
  digits();
  while (at < text.size() && text[at] == ',' && are_digits(at + 1, kGroup) &&
         !are_digits(at + 1, kGroup + 1)) {
    at += 1 + kGroup;
  }
  if (at + 1 < text.size() && text[at] == '.' && IsDigit(text[at + 1])) {
    ++at;
    digits();
  }
  if (at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const bool is_signed = text[at + 1] == '-' || text[at + 1] == '+';
    const std::size_t from = at + (is_signed ? 2 : 1);
    if (are_digits(from, 1)) {
      at = from;
      digits();
    }
  }
  return at;
}

// How many times a stored number what is written with the unit is; 0: what
// follows is no unit but the rest of a word.
double ScaleOf(std::string_view rest) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"x", 1},    {"ms", 1e3},     {"us", 1e6}, {"\xC2\xB5s", 1e6},
      {"ns", 1e9}, {"s", 1},        {"k", 1e-3}, {"K", 1e-3},
      {"M", 1e-6}, {"\xC3\x97", 1}, {"G", 1e-9}, {"th", 1},
      {"st", 1},   {"nd", 1},       {"rd", 1}};
  const std::size_t space = rest.starts_with(' ') ? 1 : 0;
  if (rest.substr(space).starts_with('%')) return 100;
  for (const auto& [unit, scale] : kUnits) {
    const std::string_view after = rest.substr(space);
    if (!after.starts_with(unit)) continue;
    if (after.size() == unit.size() || !IsInWord(after[unit.size()])) {
      return scale;
    }
  }
  return space == 1 || rest.empty() || !IsInWord(rest[0]) ? 1 : 0;
}

// "1. First" at the beginning of a line.
bool IsOfList(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t line = text.rfind('\n', begin);
  const std::size_t start = line == text.npos ? 0 : line + 1;
  const std::string_view before = text.substr(start, begin - start);
  return before.find_first_not_of(" \t") == before.npos &&
         end + 1 < text.size() && (text[end] == '.' || text[end] == ')') &&
         text[end + 1] == ' ';
}

Number Read(std::string_view text, std::size_t begin, std::size_t end) {
  std::string digits(text.substr(begin, end - begin));
  std::erase(digits, ',');
  Number number{begin, end, std::strtod(digits.c_str(), nullptr)};
  const std::size_t exponent =
      std::min(digits.find_first_of("eE"), digits.size());
  const std::size_t point = digits.find('.');
  double power = 0.0;
  if (point < exponent) power -= static_cast<double>(exponent - point - 1);
  if (exponent < digits.size()) {
    power += std::strtod(digits.c_str() + exponent + 1, nullptr);
  }
  number.half_unit = 0.5 * std::pow(10.0, power);
  return number;
}

}  // namespace

std::vector<Number> FindNumbers(
    std::string_view text,
    const std::vector<std::pair<std::size_t, std::size_t>>& skipped) {
  std::vector<Number> found;
  auto skip = skipped.begin();
  for (std::size_t at = 0; at < text.size();) {
    while (skip != skipped.end() && skip->second <= at) ++skip;
    if (skip != skipped.end() && skip->first <= at) {
      at = skip->second;
      continue;
    }
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    const bool starts =
        begin == 0 || (!IsInWord(text[begin - 1]) && text[begin - 1] != '.');
    at = EndOfNumber(text, begin);
    const double scale = ScaleOf(text.substr(at));
    if (!starts || scale == 0 || IsOfList(text, begin, at)) {
      while (at < text.size() && IsInWord(text[at])) ++at;
      continue;
    }
    Number number = Read(text, begin, at);
    number.scale = scale;
    if (std::isfinite(number.value)) found.push_back(number);
  }
  return found;
}

void KnownNumbers::Add(double value) {
  if (!std::isfinite(value)) return;
  values_.push_back(std::abs(value));  // A sign in prose is a dash.
  is_sorted_ = false;
}

void KnownNumbers::AddAllIn(std::string_view text) {
  // Within words, too: "tile8" knows 8.
  for (std::size_t at = 0; at < text.size();) {
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    const std::size_t end = EndOfNumber(text, at);
    const Number number = Read(text, at, end);
    Add(number.value);
    at = end;
  }
}

bool KnownNumbers::Has(const Number& number) const {
  // A hair more: halves are not exact.
  constexpr double kHair = 1e-9;
  const double distance =
      number.half_unit * (1 + kHair) + std::abs(number.value) * kHair;
  return HasNear(number.value, distance) ||
         (number.scale != 1.0 &&
          HasNear(number.value / number.scale, distance / number.scale));
}

bool KnownNumbers::HasNear(double value, double distance) const {
  if (!is_sorted_) {
    std::ranges::sort(values_);
    is_sorted_ = true;
  }
  const auto found = std::ranges::lower_bound(values_, value - distance);
  return found != values_.end() && *found <= value + distance;
}

}  // namespace coppice::assistant
