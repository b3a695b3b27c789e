// A digest says what a compiler made of a kernel (store/records/profile.h).
// This picks the sentence on the loop that takes the time, or that may: one
// number for prompts, `show` and `eval`.
#pragma once

#include <cstddef>
#include <string_view>

#include "store/records/profile.h"

namespace coppice {

// The line before the block of the loop's instructions; empty if there is none.
inline std::string_view HotLoopOf(std::string_view digest) {
  const std::string_view code = PartsOf(digest).code;
  const std::size_t block = code.find("\n```");
  if (block == code.npos) return "";
  const std::string_view before = code.substr(0, block);
  return before.substr(before.rfind('\n') + 1);  // npos + 1 is 0.
}

}  // namespace coppice
