#include "search/policies/xei.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "search/indexed_policy.h"
#include "search/indexes/xei_index.h"
#include "store/records/formatted.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

// A chance as it is believed: the beta distribution of these counts.
struct XeiChance {
  double hits = 0.0;
  double misses = 0.0;

  static XeiChance Of(const Tally& tally, double prior, double weight) {
    const auto hits = static_cast<double>(tally.hits);
    const auto tries = static_cast<double>(tally.tries);
    return {prior * weight + hits, (1.0 - prior) * weight + tries - hits};
  }
  double Mean() const { return hits / (hits + misses); }
};

constexpr double kEditWeight = 4.0;
constexpr double kGainWeight = 2.0;
constexpr double kHopWeight = 3.0;
constexpr double kRepairWeight = 3.0;
constexpr double kEditRepairWeight = 4.0;
constexpr double kUsualPass = 0.6;  // XeiChance that what improves passes.
constexpr std::array<double, AttemptTally::kSteps> kStepFactors = {1.0, 0.7,
                                                                   0.4};

// What the pooled counts say before a decision.
class XeiEstimate {
 public:
  XeiEstimate(const XeiOptions& options,
              const std::optional<RepairOptions>& repairs, double hop_spread,
              const XeiIndex& index)
      : options_(options),
        repairs_(repairs),
        hop_spread_(hop_spread),
        tally_(index.tally()) {
    const Tally& edits = tally_.edits();
    const auto improving = static_cast<double>(edits.hits);
    improve_ = XeiChance::Of(edits, options.improve_chance, kEditWeight).Mean();
    gain_ = (tally_.total_gain() + kGainWeight * options.gain) /
            (improving + kGainWeight);
    best_ = index.best().value_or(options.hop_mean - options.hop_spread);
    first_hop_ = MeanFirstHop();
  }

  XeiChance FirstHop() const {
    return XeiChance::Of(tally_.first_hops(), 0.5, kHopWeight);
  }

  XeiChance Of(const XeiClass& of) const {
    switch (of.kind) {
      case XeiClass::kEdit:
        return XeiChance::Of({of.tries, of.improving}, improve_,
                             options_.node_weight);
      case XeiClass::kEditRepair:
        return EditRepair(Apart(tally_.edit_repairs(of.tries),
                                tally_.edit_mendings(of.tries)),
                          Step(of, options_.repair_chance));
      case XeiClass::kEditMending:
        return EditRepair(tally_.edit_mendings(of.tries),
                          Step(of, repairs_->mend_chance));
      case XeiClass::kHopMending:
        return XeiChance::Of(tally_.mendings(of.tries),
                             Step(of, repairs_->mend_chance), kRepairWeight);
      case XeiClass::kHopRepair:
      case XeiClass::kHinted:
        break;
    }
    return XeiChance::Of(
        Apart(tally_.repairs(of.tries), tally_.mendings(of.tries)),
        Step(of, options_.repair_chance), kRepairWeight);
  }

  // ln of the expected gain if the chance comes true; `speed` is the member's
  // key.
  double LogGain(const XeiClass& of, double speed) const {
    switch (of.kind) {
      case XeiClass::kHopRepair:
      case XeiClass::kHopMending:
        return LogFirstHop() - LogWeariness(of);
      case XeiClass::kHinted:
        return std::log(std::max(MeanAbout(speed), kLeastGain)) -
               LogWeariness(of);
      default:
        break;
    }
    const double gain =
        std::log(gain_) + (speed - best_) / (options_.horizon * gain_);
    return of.kind == XeiClass::kEdit ? gain : gain - LogWeariness(of);
  }
  double LogFirstHop() const {
    return std::log(std::max(first_hop_, kLeastGain));
  }

 private:
  // After more than two repairs in a row, another is worth less.
  static double LogWeariness(const XeiClass& of) {
    return std::log(1.0 + 0.5 * std::max(0, of.tries - 2));
  }

  // The prior chance of a repair of which a first one has this.
  static double Step(const XeiClass& of, double first) {
    return first * kStepFactors[AttemptTally::Step(of.tries)];
  }

  XeiChance EditRepair(const Tally& tally, double passes) const {
    return XeiChance::Of(tally, passes * options_.improve_chance / kUsualPass,
                         kEditRepairWeight);
  }

  // Repairs that mended nothing; all, where none is told apart.
  Tally Apart(const Tally& all, const Tally& mendings) const {
    return repairs_ ? all - mendings : all;
  }

  // What a node is worth of which this log speedup is believed, as unsure as
  // hints are: three points of Gauss and Hermite.
  double MeanAbout(double speed) const {
    const double apart = std::sqrt(3.0) * repairs_->hint_doubt;
    return (Reach(speed - apart) + 4.0 * Reach(speed) + Reach(speed + apart)) /
           6.0;
  }

  // What a first hop of this log speedup is worth.
  double Reach(double speed) const {
    const double ahead = speed - best_;
    return std::max(ahead, 0.0) +
           improve_ * gain_ *
               std::exp(std::min(ahead, 0.0) / (options_.horizon * gain_));
  }

  double MeanFirstHop() const {
    constexpr double kPointWeight = 0.6;
    constexpr double kPointDistance = 0.7;  // In deviations.
    double sum = 0.0;
    double weight = 0.0;
    for (int point = -2; point <= 2; ++point) {
      sum += kPointWeight *
             Reach(options_.hop_mean + hop_spread_ * kPointDistance * point);
      weight += kPointWeight;
    }
    for (const auto& [step, hops] : tally_.first_hop_speeds()) {
      const auto count = static_cast<double>(hops);
      // Rounding may not put one ahead of the best.
      sum += count * Reach(std::min(step * AttemptTally::kSpeedStep, best_));
      weight += count;
    }
    return sum / weight;
  }

  static constexpr double kLeastGain = std::numeric_limits<double>::min();

  const XeiOptions& options_;
  const std::optional<RepairOptions>& repairs_;
  const double hop_spread_;  // Of the prior's points in V.
  const AttemptTally& tally_;
  double improve_ = 0.0;    // alpha.
  double gain_ = 0.0;       // lambda.
  double best_ = 0.0;       // m*.
  double first_hop_ = 0.0;  // V.
};

enum class XeiBelief { kMean, kDraw };

std::string ThreeDigits(double number) { return Formatted("%.3g", number); }

struct XeiChoice {
  NodeId node = kRootNode;
  double log_worth = 0.0;
  XeiClass of;  // Unless it is the root.
};

Selection Describe(const Tree& tree, const XeiIndex& index,
                   const XeiChoice& best) {
  const std::string gain = "expected gain " +
                           ThreeDigits(std::exp(best.log_worth)) +
                           " in log speedup";
  if (best.node == kRootNode) return {best.node, "first hop: " + gain};
  if (best.of.kind == XeiClass::kHinted) {
    const double factor = std::exp(*HintOf(tree, best.node));
    return {best.node,
            "repair: " + gain + ", by a hint of " + ThreeDigits(factor) + "x"};
  }
  if (best.of.kind != XeiClass::kEdit) return {best.node, "repair: " + gain};
  const int children = tree.ChildCount(best.node) + tree.InFlight(best.node);
  const int improving = index.lineage().Of(best.node).improving_children;
  return {best.node, "edit: " + gain + ", " + std::to_string(improving) +
                         " of " + std::to_string(children) + " improved"};
}

class Xei final : public WeighingPolicy<XeiIndex> {
 public:
  Xei(std::string_view name, XeiBelief belief, const XeiOptions& options,
      std::optional<LeaveOptions> leave,
      std::optional<RepairOptions> repairs = std::nullopt,
      std::optional<AheadOptions> ahead = std::nullopt)
      : name_(name),
        belief_(belief),
        options_(options),
        leave_(leave),
        repairs_(repairs),
        ahead_(ahead) {}

  std::string_view Name() const override { return name_; }

  bool LooksAhead() const override { return ahead_.has_value(); }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    std::optional<SubtreeWorth> branches;
    if (leave_) {
      branches = {.improve = options_.improve_chance,
                  .weight = options_.node_weight,
                  .scale = options_.horizon * options_.gain};
    }
    std::optional<HintBelief> hints;
    if (repairs_) {
      hints = {.doubt = repairs_->hint_doubt,
               .hop_mean = options_.hop_mean,
               .hop_spread = options_.hop_spread,
               .edit_spread = repairs_->edit_spread};
    }
    return std::make_unique<XeiIndex>(branches, hints);
  }

 private:
  Selection Select(const Tree& tree, const XeiIndex& index,
                   RandomStream& stream, Weighing* weighing) const override {
    if (leave_ && Leaves(tree, index, stream)) return Leave(tree, index);
    const int hops = tree.ChildCount(kRootNode) + tree.InFlight(kRootNode);
    if (hops < options_.drafts) {
      return {kRootNode, "draft: first hop " + std::to_string(hops + 1) +
                             " of " + std::to_string(options_.drafts)};
    }
    return Describe(tree, index, MostWorth(tree, index, stream, weighing));
  }

  double HopSpread(const Tree& tree) const {
    if (!ahead_ || !tree.AttemptsLeft()) return options_.hop_spread;
    const auto left = static_cast<double>(*tree.AttemptsLeft());
    return std::lerp(ahead_->near_spread, ahead_->far_spread,
                     left / (left + ahead_->halfway));
  }

  XeiChoice MostWorth(const Tree& tree, const XeiIndex& index,
                      RandomStream& stream, Weighing* weighing) const {
    const XeiEstimate estimate(options_, repairs_, HopSpread(tree), index);
    XeiChoice best;
    best.log_worth =
        LogBelieve(estimate.FirstHop(), stream) + estimate.LogFirstHop();
    const auto tell = [weighing](NodeId node, double log_worth) {
      if (weighing != nullptr) weighing->Add(node, std::exp(log_worth));
    };
    if (weighing != nullptr) weighing->measure = "expected gain in log speedup";
    tell(kRootNode, best.log_worth);
    index.heaps().ForEachTop(
        [&](ClassHeaps::Class code, NodeId top, double speed) {
          const XeiClass of = XeiClass::Decode(code);
          const double log_worth =
              LogBelieve(estimate.Of(of), stream) + estimate.LogGain(of, speed);
          tell(top, log_worth);
          if (log_worth > best.log_worth ||
              (log_worth == best.log_worth && top < best.node)) {
            best = {top, log_worth, of};
          }
        });
    return best;
  }

  double LogBelieve(const XeiChance& chance, RandomStream& stream) const {
    constexpr double kLeast = 1e-12;
    const double believed = belief_ == XeiBelief::kMean
                                ? chance.Mean()
                                : stream.Beta(chance.hits, chance.misses);
    return std::log(std::max(believed, kLeast));
  }

  static std::int64_t Age(const Tree& tree, const XeiIndex& index) {
    return tree.Size() - 1 - Index(*index.incumbent());
  }

  bool Leaves(const Tree& tree, const XeiIndex& index,
              RandomStream& stream) const {
    if (!index.incumbent()) return false;
    const auto late =
        static_cast<double>(Age(tree, index) - leave_->stagnation);
    if (late <= 0) return false;
    return stream.Uniform() <
           std::min(leave_->leave_cap, late / leave_->stagnation);
  }

  Selection Leave(const Tree& tree, const XeiIndex& index) const {
    const std::string why = "leave the incumbent, " +
                            std::to_string(Age(tree, index)) +
                            " attempts old: ";
    const int hops = tree.ChildCount(kRootNode) + tree.InFlight(kRootNode);
    const double widest =
        leave_->widening * std::sqrt(static_cast<double>(tree.Size()));
    if (hops < widest) {
      return {kRootNode,
              why + "the root has " + std::to_string(hops) + " children"};
    }
    const NodeId home = index.lineage().Of(*index.incumbent()).branch;
    const auto branch =
        index.branches().Best(leave_->exploration, tree.Size(), home);
    if (!branch) return {kRootNode, why + "there is no other branch"};
    const auto node = index.branches().BestWithin(branch->node);
    if (!node) return {kRootNode, why + "the best branch is exhausted"};
    return {*node, why + "its branch may reach " + ThreeDigits(branch->worth)};
  }

  std::string_view name_;
  XeiBelief belief_;
  XeiOptions options_;
  std::optional<LeaveOptions> leave_;
  std::optional<RepairOptions> repairs_;
  std::optional<AheadOptions> ahead_;
};

}  // namespace

std::unique_ptr<Policy> MakeXei(XeiOptions options) {
  return std::make_unique<Xei>("xei", XeiBelief::kMean, options, std::nullopt);
}

std::unique_ptr<Policy> MakeXeiTs(XeiOptions options) {
  return std::make_unique<Xei>("xei_ts", XeiBelief::kDraw, options,
                               std::nullopt);
}

std::unique_ptr<Policy> MakeXeiB(XeiOptions options, LeaveOptions leave) {
  return std::make_unique<Xei>("xei_b", XeiBelief::kMean, options, leave);
}

std::unique_ptr<Policy> MakeXeiHint(XeiOptions options, LeaveOptions leave,
                                    RepairOptions repairs, AheadOptions ahead) {
  return std::make_unique<Xei>("xei_hint", XeiBelief::kMean, options, leave,
                               repairs, ahead);
}

}  // namespace coppice::search
