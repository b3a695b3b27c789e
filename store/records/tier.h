// How thoroughly a candidate is judged.
#pragma once

#include <cstdint>

namespace coppice {

// How much an evaluation costs and proves.  DO NOT RENUMBER: stored.
enum class Tier : std::uint8_t {
  kFast = 0,  // Every candidate: all checks, few samples.
  // Would-be leaders and reported results: more calls and samples, in two
  // sessions that must agree, and under sanitizers.
  kFull = 1,
};

}  // namespace coppice
