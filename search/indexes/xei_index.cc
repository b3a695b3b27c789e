#include "search/indexes/xei_index.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace coppice::search {
namespace {

constexpr int kCountBits = 30;

int Coarse(int count) {
  constexpr int kKept = 4;
  const auto bits =
      static_cast<int>(std::bit_width(static_cast<unsigned>(count)));
  const int dropped = std::max(bits - kKept, 0);
  return count >> dropped << dropped;
}

}  // namespace

ClassHeaps::Class XeiClass::Code() const {
  return kind << (2 * kCountBits) |
         static_cast<std::uint64_t>(tries) << kCountBits |
         static_cast<std::uint64_t>(improving);
}

XeiClass XeiClass::Decode(ClassHeaps::Class code) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kCountBits) - 1;
  return {static_cast<Kind>(code >> (2 * kCountBits)),
          static_cast<int>(code >> kCountBits & kMask),
          static_cast<int>(code & kMask)};
}

XeiIndex::XeiIndex(std::optional<SubtreeWorth> branches,
                   std::optional<HintBelief> hints)
    : hints_(hints) {
  if (branches) branches_.emplace(*branches);
}

void XeiIndex::OnAdd(const Tree& tree, NodeId node) {
  lineage_.Add(tree, node);
  tally_.Add(tree, lineage_, node);
  if (node != kRootNode) {
    if (Passes(tree, node)) Record(node, LogSpeedup(tree, node));
    Place(tree, node);
    Place(tree, tree.Parent(node));
  }
  if (branches_) branches_->OnAdd(tree, lineage_, node);
}

void XeiIndex::OnFlight(const Tree& tree, NodeId parent) {
  Place(tree, parent);
  if (branches_) branches_->OnFlight(tree, lineage_, parent);
}

void XeiIndex::Record(NodeId node, double speed) {
  if (!incumbent_ || speed > incumbent_speed_ + kImprovement) {
    incumbent_ = node;
    incumbent_speed_ = speed;
  }
  best_ = std::max(speed, best_.value_or(speed));
}

void XeiIndex::Place(const Tree& tree, NodeId node) {
  if (node == kRootNode || !tree.Eligible().Contains(node)) return;
  const Lineage::Descent& descent = lineage_.Of(node);
  const int children = tree.ChildCount(node) + tree.InFlight(node);
  if (Passes(tree, node)) {
    const XeiClass of{XeiClass::kEdit, Coarse(children),
                      Coarse(descent.improving_children)};
    heaps_.Put(node, of.Code(), LogSpeedup(tree, node));
  } else if (children > 0) {
    heaps_.Erase(node);
  } else {
    PlaceFailing(tree, node);
  }
}

void XeiIndex::PlaceFailing(const Tree& tree, NodeId node) {
  const Lineage::Descent& descent = lineage_.Of(node);
  const bool hop = descent.base == kRootNode;
  const double base = hop ? 0.0 : LogSpeedup(tree, descent.base);
  XeiClass of{hop ? XeiClass::kHopRepair : XeiClass::kEditRepair,
              Coarse(descent.repair)};
  double key = base;
  if (hints_ && NeverRan(tree, node)) {
    of.kind = hop ? XeiClass::kHopMending : XeiClass::kEditMending;
  } else if (const auto hint = HintOf(tree, node); hints_ && hint) {
    of.kind = XeiClass::kHinted;
    const double spread = hop ? hints_->hop_spread : hints_->edit_spread;
    const double trust =
        spread * spread / (spread * spread + hints_->doubt * hints_->doubt);
    key = std::lerp(hop ? hints_->hop_mean : base, *hint, trust);
  }
  heaps_.Put(node, of.Code(), key);
}

}  // namespace coppice::search
