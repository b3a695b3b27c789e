#include "search/landscapes/recorded_campaign.h"

#include <algorithm>

#include "search/landscapes/in_memory_campaign.h"
#include "search/landscapes/quantile.h"

namespace coppice::search {

bool Passes(const RecordedNode& node) {
  return node.verdict == Verdict::kPassed;
}

bool Compiles(const RecordedNode& node) {
  return node.verdict != Verdict::kCompileFailed &&
         node.verdict != Verdict::kNoCandidate;
}

std::vector<Edit> EditsOf(const RecordedCampaign& campaign) {
  std::vector<Edit> edits;
  double best = 0.0;
  for (std::size_t i = 1; i < campaign.nodes.size(); ++i) {
    const RecordedNode& node = campaign.nodes[i];
    if (!Passes(node)) continue;
    const RecordedNode& parent = campaign.nodes[node.parent];
    if (node.parent != 0 && Passes(parent)) {
      edits.push_back({DepthOf(campaign, node.parent), parent.log_speedup,
                       node.log_speedup, best});
    }
    best = std::max(best, node.log_speedup);
  }
  return edits;
}

void Regression::Add(const std::vector<double>& x,
                     const std::vector<double>& y) {
  if (x.empty()) return;
  const double mean_x = Mean(x);
  const double mean_y = Mean(y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
}

void Regression::Add(const std::vector<Edit>& edits) {
  std::vector<double> parents, children;
  for (const Edit& edit : edits) {
    parents.push_back(edit.parent);
    children.push_back(edit.child);
  }
  Add(parents, children);
}

std::optional<double> Regression::Slope() const {
  if (xx <= 0.0) return std::nullopt;
  return xy / xx;
}

std::vector<double> FirstHopsOf(const RecordedCampaign& campaign) {
  std::vector<double> hops;
  for (std::size_t i = 1; i < campaign.nodes.size(); ++i) {
    const RecordedNode& node = campaign.nodes[i];
    if (node.parent == 0 && Passes(node)) hops.push_back(node.log_speedup);
  }
  return hops;
}

std::size_t DepthOf(const RecordedCampaign& campaign, std::size_t node) {
  std::size_t depth = 0;
  for (; node != 0; node = campaign.nodes[node].parent) ++depth;
  return depth;
}

RecordedCampaign Simulate(const RecordedCampaign& like, const TaskLaw& law,
                          std::uint64_t seed) {
  InMemoryCampaign campaign(*like.policy, law.TaskOf(seed),
                            law.root_runtime_s(), seed, like.workforce,
                            like.window);
  RecordedCampaign made = like;
  made.nodes.assign(1, {});
  for (std::size_t i = 0; i < like.Attempts(); ++i) {
    const auto left = static_cast<std::int64_t>(like.Attempts() - i);
    const NodeId node = campaign.Step(left);
    const Point& point = campaign.PointOf(node);
    made.nodes.push_back(
        {static_cast<std::size_t>(Index(campaign.tree().Parent(node))),
         point.verdict, point.measured, 0.0});
  }
  return made;
}

}  // namespace coppice::search
