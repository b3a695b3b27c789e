// What the attempts of a campaign have come to so far, pooled by what they
// began from.  Failures have counts of their own and never pass for a speed.
//
//   first hop     an attempt on the root
//   edit          an attempt on a passing node
//   repair        an attempt on a failing node; the first, second or a later
//                 one in a row.  It mends an edit or a first hop.
//   mending       a repair of what never ran, which is counted among repairs
//                 and apart from them
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "search/lineage.h"
#include "search/tree.h"

namespace coppice::search {

struct Tally {
  std::int64_t tries = 0;
  std::int64_t hits = 0;

  friend Tally operator-(const Tally& all, const Tally& some) {
    return {all.tries - some.tries, all.hits - some.hits};
  }
};

// What a failing node's repair may be worth, as ln of a factor over the root:
// its own hint (store/records/hint.h), or, if it does not compile, that of the
// wrong one that it was to repair, whose plan it has.
std::optional<double> HintOf(const Tree& tree, NodeId node);

// Does not compile, nor is it known of its plan that it can.
bool NeverRan(const Tree& tree, NodeId node);

class AttemptTally {
 public:
  // REQUIRES: called for every node, in order, after lineage.Add.
  void Add(const Tree& tree, const Lineage& lineage, NodeId node);

  const Tally& first_hops() const { return first_hops_; }  // Hit: it passes.
  const Tally& edits() const { return edits_; }            // It improves.
  double total_gain() const { return total_gain_; }  // Of edits that improve.

  // `repair` is Lineage::Descent::repair of the node to repair.
  const Tally& repairs(int repair) const {  // Hit: it passes.
    return repairs_[Step(repair)];
  }
  const Tally& edit_repairs(int repair) const {  // Hit: it improves.
    return edit_repairs_[Step(repair)];
  }

  // The same, of those alone that were to mend what never ran.
  const Tally& mendings(int repair) const { return mendings_[Step(repair)]; }
  const Tally& edit_mendings(int repair) const {
    return edit_mendings_[Step(repair)];
  }

  // How many first hops have each log speedup, in multiples of kSpeedStep, to
  // which it is rounded: finer differences are noise, and few steps keep sums
  // over any number of first hops short.
  static constexpr double kSpeedStep = 0.02;
  const std::map<int, std::int64_t>& first_hop_speeds() const {
    return first_hop_speeds_;
  }

  static constexpr int kSteps = 3;  // Later repairs count as the last of them.
  static std::size_t Step(int repair) {
    return static_cast<std::size_t>(repair < kSteps ? repair : kSteps - 1);
  }

 private:
  Tally first_hops_;
  Tally edits_;
  double total_gain_ = 0.0;
  std::array<Tally, kSteps> repairs_{};
  std::array<Tally, kSteps> edit_repairs_{};
  std::array<Tally, kSteps> mendings_{};
  std::array<Tally, kSteps> edit_mendings_{};
  std::map<int, std::int64_t> first_hop_speeds_;
};

}  // namespace coppice::search
