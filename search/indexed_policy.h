// What policies are made of that have the tree keep an index for them.
#pragma once

#include <memory>

#include "search/policy.h"
#include "search/tree.h"
#include "search/tree_index.h"

namespace coppice::search {

// A policy whose index is of the type Kept, which MakeIndex makes.
template <class Kept>
class IndexedPolicy : public Policy {
 public:
  std::unique_ptr<TreeIndex> MakeIndex() const override = 0;

  Selection Select(const Tree& tree, RandomStream& stream) const final {
    return Select(tree, static_cast<const Kept&>(*tree.index()), stream);
  }

 private:
  virtual Selection Select(const Tree& tree, const Kept& index,
                           RandomStream& stream) const = 0;
};

// One that tells what it weighs, where it is asked: null, nobody asks.
template <class Kept>
class WeighingPolicy : public Policy {
 public:
  std::unique_ptr<TreeIndex> MakeIndex() const override = 0;

  Selection Select(const Tree& tree, RandomStream& stream) const final {
    return Select(tree, static_cast<const Kept&>(*tree.index()), stream,
                  nullptr);
  }
  Selection SelectAloud(const Tree& tree, RandomStream& stream,
                        Weighing& weighing) const final {
    return Select(tree, static_cast<const Kept&>(*tree.index()), stream,
                  &weighing);
  }

 private:
  virtual Selection Select(const Tree& tree, const Kept& index,
                           RandomStream& stream, Weighing* weighing) const = 0;
};

}  // namespace coppice::search
