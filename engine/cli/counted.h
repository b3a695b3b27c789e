// A number with its noun.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace coppice::cli {

// "1 seed", "3 policies".  Without `many` the noun takes an "s".
template <std::integral Count>
std::string Counted(Count count, std::string_view one,
                    std::string_view many = {}) {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one) + "s" : text.append(many);
}

}  // namespace coppice::cli
