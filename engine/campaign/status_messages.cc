#include "engine/campaign/status_messages.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "store/read/tried.h"

namespace coppice::engine {
namespace {

// So many of each kind go first.
constexpr std::size_t kFirst = 8;

std::string_view NameOf(const store::TriedNode& each) {
  return std::string_view(each.technique).substr(0, each.technique.find('('));
}

}  // namespace

std::vector<NodeId> MostTelling(const store::Tried& tried,
                                std::set<NodeId> known, std::size_t most) {
  std::vector<NodeId> telling;
  std::set<std::string, std::less<>> techniques;
  const auto add = [&](const store::TriedNode& each) {
    if (telling.size() == most || !known.insert(each.node).second) return;
    techniques.emplace(NameOf(each));
    telling.push_back(each.node);
  };
  const auto first = [](const std::vector<store::TriedNode>& nodes) {
    return std::span(nodes).first(std::min(nodes.size(), kFirst));
  };
  for (const auto& each : first(tried.fastest)) add(each);
  for (const auto& each : first(tried.newest)) add(each);
  for (const auto* nodes : {&tried.newest, &tried.fastest}) {
    for (const store::TriedNode& each : *nodes) {
      if (!techniques.contains(NameOf(each))) add(each);
    }
  }
  for (const store::TriedNode& each : tried.newest) add(each);
  return telling;
}

}  // namespace coppice::engine
