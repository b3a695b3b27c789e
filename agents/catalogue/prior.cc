#include "agents/catalogue/prior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "store/records/lesson.h"
#include "store/records/technique.h"

namespace coppice::agents::catalogue {
namespace {

constexpr double kShrink = 1.0;
constexpr double kLeast = 0.05;
// The catalogue's own order is of what it sees in this kernel.  What merely
// gained elsewhere is not put before a technique that no other task had use of.
constexpr double kMost = 1.0;
// Before anything is known, a technique takes this share of what there was to
// gain, which counts as kShrink lessons do.
constexpr double kUsual = 0.1;

// Nothing of what tells nothing.
std::optional<double> GainOf(const Lesson& lesson) {
  if (!WorthOf(lesson)) return std::nullopt;
  if (!lesson.effect || lesson.effect->Sign() <= 0) return 0.0;
  const double there_was = std::log(lesson.best.value_or(1.0));
  if (there_was <= 0.0) return 0.0;
  return std::clamp(std::log(lesson.effect->ratio) / there_was, 0.0, 1.0);
}

// From the widest to the narrowest.
std::array<std::string, 4> CandidatePoolsOf(const Technique& step,
                                            const std::string& program) {
  std::set<std::string> names;
  for (const Technique& done : TechniquesOf(program)) names.insert(done.name);
  std::string after = names.empty() ? "root" : "made";
  std::array<std::string, 4> pools;
  pools[0] = after;
  pools[1] = step.name + " " + after;
  for (const std::string& name : names) after += " " + name;
  pools[2] = step.name + " " + after;
  pools[3] = KindOf(step) + " " + after;
  return pools;
}

}  // namespace

double Prior::Mean::Towards(double other) const {
  return (sum + kShrink * other) / (weight + kShrink);
}

Prior::Prior(std::span<const Lesson> lessons) {
  for (const Lesson& lesson : lessons) {
    const auto gain = GainOf(lesson);
    const std::vector<Technique> steps = TechniquesOf(lesson.technique);
    // Nobody knows which of several techniques gained.
    if (!gain || steps.size() != 1) continue;
    const double weight = lesson.nearness;
    const auto add = [&](Mean& mean) {
      mean.weight += weight;
      mean.sum += weight * *gain;
    };
    add(all_);
    std::set<std::string> pools;  // One may be twice.
    for (std::string& pool : CandidatePoolsOf(steps.front(), lesson.program)) {
      pools.insert(std::move(pool));
    }
    for (const std::string& pool : pools) add(pools_[pool]);
  }
}

double Prior::FactorOf(const std::string& label,
                       const std::string& program) const {
  const std::vector<Technique> steps = TechniquesOf(label);
  if (all_.weight <= 0.0 || steps.empty()) return 1.0;
  double gain = all_.Towards(kUsual);
  std::optional<double> usual;
  std::string last;
  for (const std::string& name : CandidatePoolsOf(steps.front(), program)) {
    const auto pool = pools_.find(name);
    if (pool != pools_.end() && name != last) gain = pool->second.Towards(gain);
    if (!usual) usual = gain;
    last = name;
  }
  return std::clamp(gain / *usual, kLeast, kMost);
}

}  // namespace coppice::agents::catalogue
