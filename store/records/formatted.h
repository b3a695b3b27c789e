// Numbers within text.
#pragma once

#include <string>

namespace coppice {

// What printf would print, however long.
[[gnu::format(printf, 1, 2)]] std::string Formatted(const char* format, ...);

}  // namespace coppice
