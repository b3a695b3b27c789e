// What an agent is asked, in words.
#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace coppice::agents {

using TemplateNames = std::set<std::string>;  // File stems.

struct Prompt {
  std::string system;
  std::string user;
  // Every prompt of the campaign starts with so many bytes of `user`.
  std::size_t stable_bytes = 0;
  TemplateNames templates{};  // That it was rendered from.
};

}  // namespace coppice::agents
