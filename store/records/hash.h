// FNV-1a (Fowler, Noll, Vo) of 64 bits: the same on every platform, for names
// and seeds.  Two texts that somebody chose may share one.
#pragma once

#include <cstdint>
#include <string_view>

namespace coppice {

constexpr std::uint64_t Fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace coppice
