#include "agents/prompt/window.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "store/records/random.h"

namespace coppice::agents {
namespace {

// Nodes that belong in a window, of which what is shown is chosen by place.
class Group {
 public:
  Group(const FamilyTree& tree, Kinship kinship, NodeId of)
      : kinship_(kinship),
        size_(tree.CountRelatives(kinship, of)),
        tree_(&tree),
        of_(of) {}
  explicit Group(std::vector<NodeId> leaders)
      : kinship_(Kinship::kLeader),
        size_(std::ssize(leaders)),
        leaders_(std::move(leaders)) {}

  std::int64_t size() const { return size_; }

  // Shows those at `places`, which ascend; the others are cut.
  void Show(const std::vector<std::int64_t>& places, Window& window) const {
    std::vector<std::int64_t> ends;  // First and last of each run that is cut.
    std::int64_t begin = 0;
    const auto cut_to = [&](std::int64_t end) {
      // Leaders are in the order of their speed: each is a run of its own.
      const std::int64_t most = tree_ == nullptr ? 1 : end - begin;
      for (; begin < end; begin += most) {
        ends.insert(ends.end(), {begin, begin + most - 1});
      }
      begin = end + 1;
    };
    for (const std::int64_t place : places) cut_to(place);
    cut_to(size_);
    std::vector<std::int64_t> asked = places;
    asked.insert(asked.end(), ends.begin(), ends.end());
    std::ranges::sort(asked);
    const std::vector<NodeId> nodes = At(asked);
    const auto at = [&](std::int64_t place) {
      return nodes[static_cast<std::size_t>(
          std::ranges::lower_bound(asked, place) - asked.begin())];
    };
    for (const std::int64_t place : places) {
      window.shown.push_back({at(place), kinship_});
    }
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      window.cut.push_back(
          {kinship_, at(ends[i]), at(ends[i + 1]), ends[i + 1] - ends[i] + 1});
    }
  }

 private:
  std::vector<NodeId> At(const std::vector<std::int64_t>& places) const {
    if (tree_ != nullptr) return tree_->RelativesAt(kinship_, of_, places);
    std::vector<NodeId> nodes;
    for (const std::int64_t place : places) {
      nodes.push_back(leaders_[static_cast<std::size_t>(place)]);
    }
    return nodes;
  }

  Kinship kinship_;
  std::int64_t size_;
  const FamilyTree* tree_ = nullptr;  // None: leaders.
  NodeId of_{};
  std::vector<NodeId> leaders_;
};

std::vector<Group> GroupsOf(Role role, NodeId selected, const FamilyTree& tree,
                            const WindowOptions& options) {
  std::vector<Group> groups;
  switch (role) {
    case Role::kPlan:
      groups.emplace_back(tree, Kinship::kChild, selected);
      groups.emplace_back(options.rule == Leaders::kBoard
                              ? tree.LeadersAmong(selected, options.leaders)
                              : tree.Leaders(selected, options.leaders));
      break;
    case Role::kCode:
      groups.emplace_back(tree, Kinship::kChild, selected);
      groups.emplace_back(tree, Kinship::kNephew, selected);
      break;
    case Role::kDebug:
      groups.emplace_back(tree, Kinship::kSibling, selected);
      break;
  }
  return groups;
}

}  // namespace

Window BuildWindow(Role role, NodeId selected, const FamilyTree& tree,
                   const WindowOptions& options, RandomStream& stream,
                   std::optional<NodeId> mate) {
  Window window{{{selected, Kinship::kSelected}}, {}};
  if (selected != kRootNode) {
    window.shown.push_back({kRootNode, Kinship::kRoot});
  }
  if (mate && *mate != kRootNode) {
    window.shown.push_back({*mate, Kinship::kMate});
  }
  std::int64_t keep = std::max(options.max_history, 0);
  if (options.cap == WindowCap::kAll) {
    keep -= std::min(keep, std::ssize(window.shown));
  }
  const std::vector<Group> groups = GroupsOf(role, selected, tree, options);
  std::int64_t left = 0;
  for (const Group& group : groups) left += group.size();
  const bool is_over = left > keep;
  for (const Group& group : groups) {
    std::vector<std::int64_t> places;
    if (!is_over) {
      places.resize(static_cast<std::size_t>(group.size()));
      std::iota(places.begin(), places.end(), 0);
    }
    // Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): every subset is
    // as likely, and one draw is made for each node until all are chosen.
    for (std::int64_t i = 0; is_over && i < group.size() && keep > 0; ++i) {
      const auto draw = stream.Below(static_cast<std::uint64_t>(left--));
      if (draw >= static_cast<std::uint64_t>(keep)) continue;
      places.push_back(i);
      --keep;
    }
    group.Show(places, window);
  }
  std::erase_if(window.shown, [&](const WindowEntry& entry) {
    return entry.node == mate && entry.kinship != Kinship::kMate &&
           entry.kinship != Kinship::kRoot;
  });
  return window;
}

}  // namespace coppice::agents
