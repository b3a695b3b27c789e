// Draws without an order: each is a pure function of a key (a task's or a
// node's) and of what it decides.  So the k-th child of a node is the same for
// every policy that asks for it, whenever it asks (common random numbers, which
// make comparisons of policies sharp).
#pragma once

#include <cstdint>
#include <string_view>

namespace coppice::search {

// What a draw decides.  DO NOT RENUMBER: stored campaigns go on by it.
enum class DrawKey : std::uint32_t {
  // What a task is like.
  kCeiling = 1,
  kFirstHopShift = 2,
  kRightLogit = 3,
  kHard = 4,
  kCompileLogit = 5,
  kGeneValues = 6,
  kHasPrerequisite = 7,
  kPrerequisite = 8,
  kHasConflict = 9,
  kEase = 10,
  kInsightGain = 11,
  // What an attempt comes to, whatever the landscape.
  kChild = 32,
  kCompiles = 33,
  kIsRight = 34,
  kIsStubborn = 35,
  kNoise = 36,
  // What a move changes.
  kMove = 48,
  kConservative = 49,
  kFirstHop = 50,
  kBasin = 51,
  kStep = 52,
  kStepSkew = 53,
  kGene = 54,
  kTries = 55,
  kIsDoubleEdit = 56,
  kWhere = 57,
  kWhat = 58,
  kTail = 59,
  kFromMate = 60,
  // What is said of a wrong kernel.
  kHint = 64,
  kIsFalseHint = 65,
  kFalseHint = 66,
};

class KeyedDraws {
 public:
  explicit KeyedDraws(std::uint64_t key) : key_(key) {}

  // `which` tells apart what is decided several times, as for each locus.
  // In [0, 2^32).
  double Uniform(DrawKey draw, std::int64_t which = 0) const;      // In (0, 1).
  double Normal(DrawKey draw, std::int64_t which = 0) const;       // N(0, 1).
  double Exponential(DrawKey draw, std::int64_t which = 0) const;  // Mean 1.
  int Below(int n, DrawKey draw,
            std::int64_t which = 0) const;  // REQUIRES n > 0.

  // Mean shape * scale.
  double Gamma(DrawKey draw, double shape, double scale) const;

  // The key of the child of this node that is made `earlier` attempts after
  // its first one.
  std::uint64_t ChildKey(std::int64_t earlier) const;

 private:
  std::uint64_t key_;
};

// The key of the task that a campaign's seed chooses from a landscape.
std::uint64_t TaskKey(std::string_view landscape, std::uint64_t seed);

}  // namespace coppice::search
