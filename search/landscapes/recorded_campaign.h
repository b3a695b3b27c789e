// What a campaign did, as a fit reads it: of a live one from its database, of a
// simulated one from its points.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/landscapes/calibration.h"
#include "search/landscapes/task_law.h"
#include "search/policy.h"
#include "store/records/verdict.h"

namespace coppice::search {

struct RecordedNode {
  std::size_t parent = 0;  // Of the root itself.
  Verdict verdict = Verdict::kPassed;
  double log_speedup = 0.0;  // Over the root; means something if it passes.
  // Standard deviation of that, as its interval says; 0: none is known.
  double noise = 0.0;
};

struct RecordedCampaign {
  std::vector<RecordedNode> nodes;  // By number, the root first.
  // Who made it.
  const Policy* policy = nullptr;  // Outlives it.
  Workforce workforce = Workforce::kTeam;
  std::int64_t window = 0;

  std::size_t Attempts() const { return nodes.size() - 1; }
};

bool Passes(const RecordedNode& node);
bool Compiles(const RecordedNode& node);

// Passing children of passing nodes other than the root.
struct Edit {
  std::size_t depth = 0;  // Of the parent, 1 or more.
  double parent = 0.0;    // Log speedups.
  double child = 0.0;
  double best = 0.0;  // Of the campaign before it, the root among them.
};
std::vector<Edit> EditsOf(const RecordedCampaign& campaign);

// The line through pairs, of which only those of one group are compared.
struct Regression {
  double xx = 0.0;  // Sums of squares and of products about the groups' means.
  double xy = 0.0;

  void Add(const std::vector<double>& x, const std::vector<double>& y);
  void Add(const std::vector<Edit>& edits);  // Child over parent.
  std::optional<double> Slope() const;       // None: no x differ.
};

// Log speedups of the root's passing children.
std::vector<double> FirstHopsOf(const RecordedCampaign& campaign);

std::size_t DepthOf(const RecordedCampaign& campaign, std::size_t node);

// The same policy with as many attempts on the task of this seed.
RecordedCampaign Simulate(const RecordedCampaign& like, const TaskLaw& law,
                          std::uint64_t seed);

}  // namespace coppice::search
