#include "engine/campaign/status_messages.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace coppice::engine {
namespace {

// So many of each kind go first.
constexpr std::size_t kFirst = 8;

std::string_view NameOf(const store::NodeLine& line) {
  return std::string_view(line.technique).substr(0, line.technique.find('('));
}

}  // namespace

std::vector<store::NodeLine> MostTelling(const store::Tried& tried,
                                         std::set<NodeId> known,
                                         std::size_t most) {
  std::vector<store::NodeLine> telling;
  std::set<std::string, std::less<>> techniques;
  const auto add = [&](const store::NodeLine& line) {
    if (telling.size() == most || !known.insert(line.node).second) return;
    techniques.emplace(NameOf(line));
    telling.push_back(line);
  };
  const auto first = [](const std::vector<store::NodeLine>& lines) {
    return std::span(lines).first(std::min(lines.size(), kFirst));
  };
  for (const store::NodeLine& line : first(tried.fastest)) add(line);
  for (const store::NodeLine& line : first(tried.newest)) add(line);
  for (const auto* lines : {&tried.newest, &tried.fastest}) {
    for (const store::NodeLine& line : *lines) {
      if (!techniques.contains(NameOf(line))) add(line);
    }
  }
  for (const store::NodeLine& line : tried.newest) add(line);
  return telling;
}

}  // namespace coppice::engine
