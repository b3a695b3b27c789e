// Random numbers without hidden state: a stream is a pure function of
// (campaign seed, purpose, index), so a killed campaign that resumes draws what
// it would have drawn.  The distributions are our own, because those of the
// standard library differ by platform.
//
// The generator is Philox4x32-10: Salmon, Moraes, Dror, Shaw 2011, "Parallel
// random numbers: as easy as 1, 2, 3", SC'11.
#pragma once

#include <array>
#include <cstdint>

namespace coppice {

// What a stream is for.  DO NOT RENUMBER: stored campaigns are replayed by it.
enum class Purpose : std::uint32_t {
  kSelect = 1,      // The policy's draws for one decision.
  kPlanWindow = 2,  // Sampling of a window that is over its cap.
  kCodeWindow = 3,
  kDebugWindow = 4,
  kPlanAgent = 5,  // An embedded agent's own draws.
  kCodeAgent = 6,
  kDebugAgent = 7,
  kInputs = 8,       // Inputs of a workload.
  kSimulation = 9,   // Landscapes.
  kBackoff = 10,     // Waits between calls to a provider.
  kShapes = 11,      // Sizes that no agent was shown.
  kModel = 12,       // Which of several models an attempt asks.
  kStatistics = 64,  // Resampling of results; nothing is stored of it.
};

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t index);

  std::uint64_t NextU64();

  // Uniform in the open interval (0, 1), by OpenUnit.
  double Uniform();

  // Uniform in [0, n).  REQUIRES: n > 0.  Unbiased (Lemire 2019).
  std::uint64_t Below(std::uint64_t n);

  // Normal with mean 0 and variance 1 (Box and Muller 1958, cosine branch:
  // two uniforms a draw).
  double Normal();

  // Gamma with this shape and scale 1 (Marsaglia and Tsang 2000).  Some three
  // draws or more.  REQUIRES: shape > 0.
  double Gamma(double shape);

  // Beta(a, b), by two gammas.  In [0, 1].  REQUIRES: a > 0, b > 0.
  double Beta(double a, double b);

  // What it was made of, for whoever draws the same numbers elsewhere.
  std::uint64_t seed() const;
  Purpose purpose() const { return Purpose{counter_[1]}; }
  std::uint64_t index() const;

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;  // Words of block_ already handed out.
};

// The 53 high bits as a number in (0, 1), never an end point: the middle of
// their interval, of the last one what is below it.
double OpenUnit(std::uint64_t bits);

// One Philox4x32-10 block, exposed for its known-answer test.
std::array<std::uint32_t, 4> Philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

}  // namespace coppice
