// How much of what could be tried a test tries.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace coppice {

// COPPICE_TEST_WHOLE=1: all of it, for hours; else the part that changes wait
// for, which a fixed rule chooses.
inline bool TriesAll() {
  const char* whole = std::getenv("COPPICE_TEST_WHOLE");
  return whole != nullptr && std::string_view(whole) == "1";
}

// One of `of` names, by a hash of it (FNV-1a), unless all are tried.
inline bool IsTried(std::string_view name, std::uint64_t of) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return TriesAll() || hash % of == 0;
}

}  // namespace coppice
