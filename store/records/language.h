// The word for a language, in documents, requests and the table `language`.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "store/records/task.h"

namespace coppice {

inline constexpr std::array<std::string_view, 6> kLanguageWords = {
    "cpp", "cuda", "python", "triton", "tilelang", "sim"};  // By Language.

inline std::string_view WordFor(Language language) {
  return kLanguageWords[static_cast<std::size_t>(language)];
}

}  // namespace coppice
