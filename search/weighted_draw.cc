#include "search/weighted_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace coppice::search {
namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::size_t DrawByWeight(const std::vector<double>& weights,
                         RandomStream& stream) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double draw = stream.Uniform();
  if (!(total > 0.0)) {
    return static_cast<std::size_t>(draw * static_cast<double>(weights.size()));
  }
  double left = draw * total;
  std::size_t last = 0;  // Of those with a weight, should rounding leave some.
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    last = i;
    left -= weights[i];
    if (left < 0.0) break;
  }
  return last;
}

std::vector<double> ShinkaWeights(const std::vector<double>& values,
                                  const std::vector<int>& children,
                                  double lambda) {
  const double middle = Median(values);
  std::vector<double> distances;
  for (const double x : values) distances.push_back(std::abs(x - middle));
  const double spread = std::max(Median(std::move(distances)), 1e-6);
  std::vector<double> weights;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double z = lambda * (values[i] - middle) / spread;
    weights.push_back(1.0 / (1.0 + std::exp(-z)) / (1.0 + children[i]));
  }
  return weights;
}

}  // namespace coppice::search
