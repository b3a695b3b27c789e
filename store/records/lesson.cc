#include "store/records/lesson.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "store/records/technique.h"

namespace coppice {
namespace {

// The median lies between the order statistics k and n + 1 - k, counted from 1,
// with probability 1 - 2 P(B < k), where B is binomial of n and 1/2.  The
// largest k by which that is 95 % at least; 0: there is none.
std::size_t RankOfMedian(std::size_t n) {
  double probability = std::pow(0.5, static_cast<double>(n));  // Of B = 0.
  double below = 0.0;
  std::size_t k = 0;
  while (2.0 * (below + probability) <= 0.05) {
    below += probability;
    probability *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

Speedup MedianOf(std::vector<double> effects) {
  std::ranges::sort(effects);
  const std::size_t n = effects.size();
  Speedup median;
  median.ratio = n % 2 == 1 ? effects[n / 2]
                            : std::sqrt(effects[n / 2 - 1] * effects[n / 2]);
  if (const std::size_t k = RankOfMedian(n); k > 0) {
    median.interval = Interval{effects[k - 1], effects[n - k]};
  }
  return median;
}

struct Group {
  LessonSum sum;
  std::vector<double> effects;
  std::array<std::int64_t, kVerdictNames.size()> failures{};
  std::array<std::string, kVerdictNames.size()> first_failure;
};

void Add(const Lesson& lesson, Group& group) {
  LessonSum& sum = group.sum;
  ++sum.tries;
  if (sum.first == nullptr) sum.first = &lesson;
  if (const auto worth = WorthOf(lesson)) {
    sum.nearness += lesson.nearness;
    sum.worth += lesson.nearness * *worth;
  }
  if (!lesson.effect) {
    const auto verdict = static_cast<std::size_t>(lesson.verdict);
    if (group.failures[verdict]++ == 0) {
      group.first_failure[verdict] = lesson.failure;
    }
    return;
  }
  ++sum.passed;
  sum.gained += lesson.effect->Sign() > 0 ? 1 : 0;
  group.effects.push_back(lesson.effect->ratio);
  if (sum.best == nullptr || lesson.effect->ratio > sum.best->effect->ratio) {
    sum.best = &lesson;
  }
}

LessonSum Finish(Group group) {
  if (!group.effects.empty()) group.sum.effect = MedianOf(group.effects);
  const auto most = std::ranges::max_element(group.failures);
  if (*most > 0) {
    const auto verdict =
        static_cast<std::size_t>(most - group.failures.begin());
    group.sum.failed_as = static_cast<Verdict>(verdict);
    group.sum.failure = group.first_failure[verdict];
  }
  return std::move(group.sum);
}

}  // namespace

std::optional<double> WorthOf(const Lesson& lesson) {
  if (lesson.IsNote() || lesson.verdict == Verdict::kInconclusive ||
      lesson.verdict == Verdict::kNoCandidate) {
    return std::nullopt;
  }
  if (!lesson.effect) return -0.5;
  if (lesson.effect->Sign() == 0) return 0.0;
  return std::clamp(std::log(lesson.effect->ratio), -1.0, 2.0);
}

std::vector<LessonSum> SumUp(std::span<const Lesson> lessons) {
  std::vector<Group> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const Lesson& lesson : lessons) {
    if (lesson.IsNote()) continue;
    const std::string kind = KindsOf(TechniquesOf(lesson.technique));
    const auto [place, is_new] =
        places.try_emplace({kind, lesson.task.operation}, groups.size());
    if (is_new) {
      groups.emplace_back();
      groups.back().sum.kind = kind;
      groups.back().sum.operation = lesson.task.operation;
    }
    Add(lesson, groups[place->second]);
  }
  std::vector<LessonSum> sums;
  for (Group& group : groups) sums.push_back(Finish(std::move(group)));
  return sums;
}

}  // namespace coppice
