#include "search/constants.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "store/records/parse_number.h"

namespace coppice::search {
namespace {

// Shortest text that reads back as the same number.
std::string NumberText(double number) {
  char text[32];
  const auto end = std::to_chars(text, std::end(text), number).ptr;
  return {text, end};
}

std::string RangeText(const Constant& constant) {
  const std::string least = NumberText(constant.least);
  if (constant.most >= kMany) return least + " or more";
  return least + " to " + NumberText(constant.most);
}

std::optional<double> Number(std::string_view text, const Constant& constant) {
  const auto number = ParseNumber<double>(text);
  if (!number || !(*number >= constant.least && *number <= constant.most) ||
      (constant.is_whole && *number != std::floor(*number))) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

Result<std::vector<double>> ReadConstants(
    std::string_view text, const std::vector<Constant>& constants) {
  std::vector<std::optional<double>> given(constants.size());
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto row =
        std::ranges::find(constants, word.substr(0, equals), &Constant::name);
    if (row == constants.end()) {
      return Fail(Errc::kUsage, "has no constant '" +
                                    std::string(word.substr(0, equals)) +
                                    "'; it has " + Listed(constants));
    }
    const std::string_view value =
        equals == word.size() ? "" : word.substr(equals + 1);
    auto& place = given[static_cast<std::size_t>(row - constants.begin())];
    if (place) {
      return Fail(Errc::kUsage, std::string(row->name) + " is given twice");
    }
    place = Number(value, *row);
    if (!place) {
      return Fail(Errc::kUsage, std::string(row->name) + "=" +
                                    std::string(value) + ": expected a " +
                                    (row->is_whole ? "whole " : "") +
                                    "number, " + RangeText(*row));
    }
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < given.size(); ++i) {
    values.push_back(given[i].value_or(constants[i].standard));
  }
  return values;
}

std::string PrintConstants(const std::vector<Constant>& constants,
                           std::span<const double> values) {
  std::string text;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (values[i] == constants[i].standard) continue;
    text += text.empty() ? "" : ",";
    text.append(constants[i].name).append("=").append(NumberText(values[i]));
  }
  return text;
}

std::string Listed(const std::vector<Constant>& constants) {
  if (constants.empty()) return "no constants";
  std::string text;
  for (const Constant& constant : constants) {
    text += text.empty() ? "" : ", ";
    text.append(constant.name).append("=");
    text += NumberText(constant.standard) + " (" + RangeText(constant) + ")";
  }
  return text;
}

}  // namespace coppice::search
