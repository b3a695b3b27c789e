#include "agents/catalogue/prior.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "agents/catalogue/catalogue.h"
#include "store/records/technique.h"

namespace coppice::agents::catalogue {
namespace {

constexpr double kShrink = 2.0;
constexpr double kLeast = 0.25;
constexpr double kMost = 3.0;

}  // namespace

double Prior::Mean::Towards(double other) const {
  return (sum + kShrink * other) / (weight + kShrink);
}

Prior::Prior(std::span<const Lesson> lessons) {
  for (const Lesson& lesson : lessons) {
    const auto worth = WorthOf(lesson);
    const std::vector<Technique> steps = TechniquesOf(lesson.technique);
    // A chain from the root's source is no change of its parent's.
    if (!worth || steps.empty() || steps.front().name == kFromRoot) continue;
    const auto share = 1.0 / static_cast<double>(steps.size());
    const double weight = lesson.nearness * lesson.nearness * share;
    for (const Technique& step : steps) {
      for (Mean* mean : {&all_, &names_[step.name], &kinds_[KindOf(step)]}) {
        mean->weight += weight;
        mean->sum += weight * *worth * share;
      }
    }
  }
}

double Prior::FactorOf(const std::string& label) const {
  const std::vector<Technique> steps = TechniquesOf(label);
  if (all_.weight <= 0.0 || steps.empty()) return 1.0;
  const double all = all_.sum / all_.weight;
  const auto name = names_.find(steps.front().name);
  const double of_name = name == names_.end() ? all : name->second.Towards(all);
  const auto kind = kinds_.find(KindOf(steps.front()));
  const double of_kind =
      kind == kinds_.end() ? of_name : kind->second.Towards(of_name);
  return std::clamp(std::exp(of_kind - all), kLeast, kMost);
}

}  // namespace coppice::agents::catalogue
