#include "search/landscapes/predictive_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "search/landscapes/quantile.h"

namespace coppice::search {
namespace {

constexpr std::array<std::size_t, 4> kLooks = {1, 5, 10, 30};  // Attempts.

std::optional<double> MeanOf(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return Mean(values);
}

std::optional<double> DeviationOf(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double mean = Mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// The best of the first so many attempts; 0, the root, if none is faster.
std::size_t BestOf(const RecordedCampaign& campaign, std::size_t attempts) {
  std::size_t best = 0;
  const std::size_t end = std::min(attempts + 1, campaign.nodes.size());
  for (std::size_t i = 1; i < end; ++i) {
    const RecordedNode& node = campaign.nodes[i];
    const bool is_better =
        Passes(node) && node.log_speedup > campaign.nodes[best].log_speedup;
    if (is_better) best = i;
  }
  return best;
}

// Sums that the statistics are made of.
struct Sums {
  double attempts = 0.0;
  double compiled = 0.0;
  double passed = 0.0;
  Regression line;                // Of edits.
  std::vector<double> faultless;  // 1 for each campaign without a failure.
  std::vector<double> first_hops;
  std::vector<double> improving;  // 1 for each edit that does.
  std::vector<double> gains;
  std::vector<double> losses;
  std::array<std::vector<double>, kLooks.size()> bests;
  std::vector<double> last_bests;
  std::vector<double> depths;

  void Add(const RecordedCampaign& campaign) {
    bool is_faultless = true;
    for (std::size_t i = 1; i < campaign.nodes.size(); ++i) {
      const RecordedNode& node = campaign.nodes[i];
      attempts += 1.0;
      compiled += Compiles(node) ? 1.0 : 0.0;
      passed += Passes(node) ? 1.0 : 0.0;
      is_faultless = is_faultless && Passes(node);
    }
    faultless.push_back(is_faultless ? 1.0 : 0.0);
    const std::vector<double> hops = FirstHopsOf(campaign);
    if (!hops.empty()) first_hops.push_back(hops.front());
    const std::vector<Edit> edits = EditsOf(campaign);
    for (const Edit& edit : edits) {
      const double gain = edit.child - edit.parent;
      improving.push_back(gain > 0.0 ? 1.0 : 0.0);
      (gain > 0.0 ? gains : losses).push_back(std::abs(gain));
    }
    line.Add(edits);
    for (std::size_t k = 0; k < kLooks.size(); ++k) {
      const std::size_t best = BestOf(campaign, kLooks[k]);
      bests[k].push_back(campaign.nodes[best].log_speedup);
    }
    const std::size_t best = BestOf(campaign, campaign.Attempts());
    last_bests.push_back(campaign.nodes[best].log_speedup);
    depths.push_back(static_cast<double>(DepthOf(campaign, best)));
  }
};

std::optional<double> Ratio(double part, double all) {
  if (all <= 0.0) return std::nullopt;
  return part / all;
}

}  // namespace

Statistics StatisticsOf(std::span<const RecordedCampaign> campaigns) {
  Sums sums;
  for (const RecordedCampaign& campaign : campaigns) sums.Add(campaign);
  return {Ratio(sums.compiled, sums.attempts),
          Ratio(sums.passed, sums.attempts),
          MeanOf(sums.faultless),
          MeanOf(sums.first_hops),
          MeanOf(sums.improving),
          MeanOf(sums.gains),
          MeanOf(sums.losses),
          sums.line.Slope(),
          MeanOf(sums.bests[0]),
          MeanOf(sums.bests[1]),
          MeanOf(sums.bests[2]),
          MeanOf(sums.bests[3]),
          DeviationOf(sums.last_bests),
          MeanOf(sums.depths)};
}

std::vector<Check> CheckPredictions(std::span<const RecordedCampaign> data,
                                    const TaskLaw& law, int replicates) {
  std::array<std::vector<double>, kStatistics.size()> simulated;
  std::uint64_t seed = 0;
  for (int i = 0; i < replicates; ++i) {
    std::vector<RecordedCampaign> campaigns;
    for (const RecordedCampaign& like : data) {
      campaigns.push_back(Simulate(like, law, ++seed));
    }
    const Statistics own = StatisticsOf(campaigns);
    for (std::size_t s = 0; s < own.size(); ++s) {
      if (own[s]) simulated[s].push_back(*own[s]);
    }
  }
  const Statistics of_data = StatisticsOf(data);
  std::vector<Check> checks;
  for (std::size_t s = 0; s < kStatistics.size(); ++s) {
    Check check{kStatistics[s], of_data[s]};
    std::vector<double>& values = simulated[s];
    if (!values.empty()) {
      check.mean = Mean(values);
      check.low = Quantile(values, 0.025);
      check.high = Quantile(values, 0.975);
      check.sd = DeviationOf(values).value_or(0.0);
    }
    checks.push_back(check);
  }
  return checks;
}

Misfit MisfitOf(std::span<const Check> checks) {
  Misfit misfit;
  int known = 0;
  for (const Check& check : checks) {
    misfit.outside += check.IsOutside() ? 1 : 0;
    if (!check.data || check.sd <= 0.0) continue;
    ++known;
    misfit.distance += std::abs(*check.data - check.mean) / check.sd;
  }
  if (known > 0) misfit.distance /= known;
  return misfit;
}

}  // namespace coppice::search
