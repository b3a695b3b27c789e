// Texts as one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace coppice {

// "plan, code" with ", " between them; `of` makes each a text.
template <class Range, class Of = std::identity>
std::string Joined(Range&& all, std::string_view between, Of of = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& each : all) {
    if (!is_first) text += between;
    is_first = false;
    text += std::invoke(of, each);
  }
  return text;
}

}  // namespace coppice
