#include "tests/mutator.h"

#include <algorithm>
#include <array>
#include <utility>

namespace coppice {
namespace {

using namespace std::string_view_literals;

// What parsers trip over.  DO NOT REORDER: inputs are found again by number.
constexpr std::array kOddities = {"\0"sv,
                                  "\xff\xfe"sv,
                                  "\xed\xa0\x80"sv,
                                  "\\ud800"sv,
                                  "\r\n"sv,
                                  "\""sv,
                                  "null"sv,
                                  "-1"sv,
                                  "1e999"sv,
                                  "-0.0"sv,
                                  "9223372036854775807"sv,
                                  "-9223372036854775808"sv,
                                  "18446744073709551616"sv,
                                  "99999999999999999999999999999999999999"sv,
                                  "{}"sv,
                                  "[]"sv,
                                  ":"sv,
                                  ","sv,
                                  "="sv,
                                  "#"sv,
                                  "//"sv,
                                  "/*"sv,
                                  "*/"sv,
                                  "```"sv,
                                  "<<<"sv,
                                  ">>>"sv,
                                  "%0"sv,
                                  "/0"sv,
                                  "\x7f"sv,
                                  "."sv,
                                  ".."sv,
                                  "/"sv};

constexpr std::array kNests = {"["sv,
                               "{\"a\":"sv,
                               "("sv,
                               "-"sv,
                               "min(1,"sv,
                               "{"sv,
                               "<<<IMPROVE BEGIN>>>"sv,
                               "if(1)"sv};
constexpr std::array<std::size_t, 4> kDepths = {3, 100, 3000, 50000};

std::string Repeated(std::string_view text, std::size_t times) {
  std::string repeated;
  for (std::size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

}  // namespace

Mutator::Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

std::string Mutator::Next() {
  std::string text = seeds_[Below(seeds_.size())];
  for (std::size_t left = 1 + Below(4); left > 0; --left) Damage(text);
  return text;
}

void Mutator::Damage(std::string& text) {
  const std::size_t at = Below(text.size() + 1);
  const std::size_t length =
      1 + Below(std::max<std::size_t>(
              1, std::min<std::size_t>(64, text.size() - at)));
  switch (Below(8)) {
    case 0:
      if (at < text.size()) {
        text[at] = static_cast<char>(text[at] ^ (1 << Below(8)));
      }
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(Below(256));
      break;
    case 2:
      text.resize(at);
      break;
    case 3:
      text.erase(at, length);
      break;
    case 4:
      text.insert(at, text.substr(at, length));
      break;
    case 5: {
      const std::string& other = seeds_[Below(seeds_.size())];
      text.insert(at, other.substr(Below(other.size()), 1 + Below(256)));
      break;
    }
    default:
      InsertOddity(text, at);
  }
}

// In place of what looks like a number, if one is near.
void Mutator::InsertOddity(std::string& text, std::size_t at) {
  if (Below(8) == 0) {
    const std::size_t depth = kDepths[Below(kDepths.size())];
    text.insert(at, Repeated(kNests[Below(kNests.size())], depth));
    return;
  }
  const std::size_t digits = text.find_first_of("0123456789", at);
  const std::string_view oddity = kOddities[Below(kOddities.size())];
  if (digits == std::string::npos || Below(2) == 0) {
    text.insert(at, oddity);
    return;
  }
  const std::size_t end = text.find_first_not_of("0123456789", digits);
  text.replace(digits, std::min(end, text.size()) - digits, oddity);
}

}  // namespace coppice
