#include "search/indexes/visit_classes.h"

#include <cassert>
#include <cmath>

namespace coppice::search {

void VisitClasses::Insert(NodeId node, std::uint32_t visits, double value) {
  assert(std::isfinite(value));
  [[maybe_unused]] const bool added =
      classes_[visits].emplace(-value, node).second;
  assert(added);
}

void VisitClasses::Erase(NodeId node, std::uint32_t visits, double value) {
  const auto entry = classes_.find(visits);
  assert(entry != classes_.end());
  [[maybe_unused]] const std::size_t erased =
      entry->second.erase({-value, node});
  assert(erased == 1);
  if (entry->second.empty()) classes_.erase(entry);
}

}  // namespace coppice::search
