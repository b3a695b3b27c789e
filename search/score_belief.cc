#include "search/score_belief.h"

#include <algorithm>
#include <cmath>

namespace coppice::search {

NormalBelief NormalBelief::After(double prior_mean,
                                 const ScoreMoments& scores) {
  NormalBelief belief{.mean = prior_mean};
  const double n = scores.count;
  if (n <= 0.0) return belief;
  const double y = scores.sum / n;
  // Not below 0, which differences of sums may be by rounding.
  const double spread = std::max(scores.squares - n * y * y, 0.0);
  const double prior_weight = belief.weight;
  const double weight = prior_weight + n;
  const double shift = prior_mean - y;
  belief.scale = (prior_weight * belief.scale + spread +
                  n * prior_weight * shift * shift / weight) /
                 weight;
  belief.mean = (prior_weight * prior_mean + n * y) / weight;
  belief.weight = weight;
  return belief;
}

double NormalBelief::Draw(RandomStream& stream) const {
  constexpr double kLeastGamma = 1e-12;  // A variance stays finite.
  const double gamma = std::max(stream.Gamma(weight / 2.0), kLeastGamma);
  const double variance = weight * scale / 2.0 / gamma;
  return mean + stream.Normal() * std::sqrt(variance / weight);
}

BetaBelief BetaBelief::After(double prior_mean, const ScoreMoments& scores) {
  // Differences of sums may be beyond an end by rounding.
  const double sum = std::clamp(scores.sum, 0.0, scores.count);
  return {prior_mean + sum, 1.0 - prior_mean + scores.count - sum};
}

}  // namespace coppice::search
