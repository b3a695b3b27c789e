#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "search/landscapes/first_hop.h"

namespace coppice::search {
namespace {

constexpr int kInsights = 12;
constexpr int kFree = 3;  // The first of them need no other.
constexpr double kNeedsOther = 0.6;
constexpr double kExcludesNeighbour = 0.4;
constexpr double kKnownAtFirst = 0.08;
constexpr double kLargestChance = 0.98;
constexpr double kGainShare = 1.0 / 7.0;
constexpr double kFailureLoses = 0.6;
constexpr double kFailureLoss = 0.4;  // Of the gap.

struct Insight {
  std::optional<int> prerequisite;
  std::optional<int> excluded_by;
  double ease = 0.0;  // In (0, 1).
  double gain = 0.0;  // Of the height.
};

bool Has(std::uint64_t known, int insight) { return known >> insight & 1; }

class Ladder final : public Terrain {
 public:
  Ladder(const Shape& shape, std::uint64_t task_key) : shape_(shape) {
    const KeyedDraws draws(task_key);
    for (int i = 0; i < kInsights; ++i) {
      Insight& insight = insights_[static_cast<std::size_t>(i)];
      if (i >= kFree &&
          draws.Uniform(DrawKey::kHasPrerequisite, i) < kNeedsOther) {
        insight.prerequisite = draws.Below(i, DrawKey::kPrerequisite, i);
      }
      // Insights 2 j and 2 j + 1 are neighbours.
      if (draws.Uniform(DrawKey::kHasConflict, i / 2) < kExcludesNeighbour) {
        insight.excluded_by = i ^ 1;
      }
      insight.ease = std::sqrt(draws.Uniform(DrawKey::kEase, i));
      insight.gain = kGainShare * draws.Exponential(DrawKey::kInsightGain, i);
    }
  }

  Position Draft(const Craft& craft, const KeyedDraws& draws) const override {
    Position to = FirstHop(shape_, craft, draws, Start::kTellsNothing);
    for (int i = 0; i < kInsights; ++i) {
      if (draws.Uniform(DrawKey::kGene, i) < kKnownAtFirst) {
        to.genome |= std::uint64_t{1} << i;
      }
    }
    return to;
  }

  Position Edit(const Position& from, const Craft& craft,
                const KeyedDraws& draws) const override {
    const int tried = draws.Below(kInsights, DrawKey::kWhere);
    const Insight& insight = insights_[static_cast<std::size_t>(tried)];
    const double chance =
        std::min(kLargestChance, 2.0 * craft.improves * insight.ease);
    Position to = from;
    if (IsOpen(from.genome, tried) && draws.Uniform(DrawKey::kWhat) < chance) {
      to.genome |= std::uint64_t{1} << tried;
      to.log_speedup += Height(shape_, craft, 0.2) * insight.gain;
    } else if (draws.Uniform(DrawKey::kMove) < kFailureLoses) {
      to.log_speedup -=
          kFailureLoss * shape_.gap * draws.Exponential(DrawKey::kStep);
    }
    return to;
  }

  Position Cross(const Position& from, const Position& mate, const Craft& craft,
                 const KeyedDraws& draws) const override {
    Position to = from;
    for (int i = 0; i < kInsights; ++i) {
      if (!Has(mate.genome, i) || !IsOpen(to.genome, i) ||
          draws.Uniform(DrawKey::kFromMate, i) >= 0.5) {
        continue;
      }
      to.genome |= std::uint64_t{1} << i;
      to.log_speedup += Height(shape_, craft, 0.2) *
                        insights_[static_cast<std::size_t>(i)].gain;
    }
    return to;
  }

  int ChangedPart(const Position& from, const Position& to) const override {
    for (int i = 0; i < kInsights; ++i) {
      if (Has(from.genome, i) != Has(to.genome, i)) return i + 1;
    }
    return 0;
  }

 private:
  bool IsOpen(std::uint64_t known, int tried) const {
    const Insight& insight = insights_[static_cast<std::size_t>(tried)];
    if (Has(known, tried)) return false;
    if (insight.prerequisite && !Has(known, *insight.prerequisite)) {
      return false;
    }
    return !insight.excluded_by || !Has(known, *insight.excluded_by);
  }

  const Shape shape_;
  std::array<Insight, kInsights> insights_;
};

}  // namespace

std::unique_ptr<Terrain> MakeLadder(const Shape& shape,
                                    std::uint64_t task_key) {
  return std::make_unique<Ladder>(shape, task_key);
}

}  // namespace coppice::search
