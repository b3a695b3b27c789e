// How a kernel behaves, beside how fast it is: what bounds it, and which family
// of techniques made it.  Recorded with its node and never changed, so that
// policies that go by it decide the same again.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace coppice {

struct Evaluation;

// What limits a kernel that passed, on the workload that takes longest.
// DO NOT RENUMBER: stored.
enum class Limit : std::uint8_t {
  kUnknown = 0,  // It did not pass, or no roof is known.
  kMemory = 1,
  kCompute = 2,
  kLatency = 3,  // It is far below both roofs.
};

inline constexpr std::array<std::string_view, 4> kLimitNames = {
    "unknown", "memory", "compute", "latency"};

// DO NOT RENUMBER: stored.
enum class TechniqueFamily : std::uint8_t {
  kOther = 0,      // None was said, or none of these.
  kAlgorithm = 1,  // Another way to compute it.
  kFusion = 2,     // Fewer passes.
  kLoops = 3,      // Order, tiles and unrolling.
  kMemory = 4,     // Layout, staging and reuse of data.
  kVectors = 5,    // Lanes, and units for matrices.
  kParallel = 6,   // Threads, and how work is split among them.
  kPrecision = 7,  // Narrower numbers.
};

inline constexpr std::array<std::string_view, 8> kTechniqueFamilyNames = {
    "other",  "algorithm", "fusion",   "loops",
    "memory", "vectors",   "parallel", "precision"};

struct Behaviour {
  Limit limit = Limit::kUnknown;
  TechniqueFamily family = TechniqueFamily::kOther;

  bool operator==(const Behaviour&) const = default;
};

// By its profile.
Limit LimitOf(const Evaluation& evaluation);

// By words of the label of a plan, "interchange(i, k) + parallel(i)", the first
// of whose techniques that is of a family tells.
TechniqueFamily FamilyOf(std::string_view label);

// For what has parts in the place of techniques, as points of landscapes have:
// the k-th from 1 stands for the families in turn, and 0 for kOther.
TechniqueFamily FamilyOfPart(int part);

}  // namespace coppice
