#include "search/indexes/top_share.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace coppice::search {

TopShare::Change TopShare::Add(NodeId node, double key) {
  assert(key == key);
  const auto push = [](std::vector<Entry>& heap, Entry entry, auto order) {
    heap.push_back(entry);
    std::push_heap(heap.begin(), heap.end(), order);
  };
  const auto pop = [](std::vector<Entry>& heap, auto order) {
    std::pop_heap(heap.begin(), heap.end(), order);
    const Entry entry = heap.back();
    heap.pop_back();
    return entry;
  };
  push(rest_, {key, static_cast<std::uint32_t>(Index(node))}, std::greater<>{});
  Change change;
  const std::int64_t due =
      std::min(Count(), std::max(least_, Count() / share_));
  const bool grows = due > members_.Count();
  if (!grows && (elite_.empty() || elite_.front() < rest_.front())) {
    return change;
  }
  const Entry in = pop(rest_, std::greater<>{});
  change.in = NodeId{in.second};
  members_.Insert(*change.in);
  push(elite_, in, std::less<>{});
  if (!grows) {
    const Entry out = pop(elite_, std::less<>{});
    change.out = NodeId{out.second};
    members_.Erase(*change.out);
    push(rest_, out, std::greater<>{});
  }
  return change;
}

std::int64_t TopShare::Count() const {
  return static_cast<std::int64_t>(elite_.size() + rest_.size());
}

}  // namespace coppice::search
