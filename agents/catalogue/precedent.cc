#include "agents/catalogue/precedent.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "agents/prompt/attempt_table.h"
#include "store/records/lesson.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::size_t kMostPrograms = 40;
constexpr double kPull = 1.0;  // As if a task of that nearness had come to
constexpr double kUsualShare = 0.3;  // that share.
constexpr double kLeastValue = 0.5;
// A campaign that gained less has no best to speak of.
constexpr double kLeastGain = 1.1;
constexpr std::size_t kNameBytes = 80;  // Of a campaign, in a plan's words.

std::optional<double> ShareOf(const Lesson& lesson) {
  if (!WorthOf(lesson) || lesson.best.value_or(1.0) < kLeastGain) {
    return std::nullopt;
  }
  if (!lesson.speedup) return 0.0;
  return std::clamp(std::log(*lesson.speedup) / std::log(*lesson.best), 0.0,
                    1.0);
}

// A program's tries on a task.
struct Tries {
  double nearness = 0.0;
  double shares = 0.0;
  double count = 0.0;
};

struct Program {
  Precedent best;
  std::map<std::string, Tries> tasks;

  double Value() const {
    double weight = kPull;
    double sum = kPull * kUsualShare;
    for (const auto& [task, tries] : tasks) {
      weight += tries.nearness;
      sum += tries.nearness * tries.shares / tries.count;
    }
    return sum / weight;
  }
};

}  // namespace

std::vector<Precedent> PrecedentsIn(std::span<const Lesson> lessons) {
  std::map<std::string, Program> programs;
  for (const Lesson& lesson : lessons) {
    const auto share = ShareOf(lesson);
    std::vector<Technique> steps =
        TechniquesOf(ProgramAfter(lesson.program, lesson.technique));
    if (!share || steps.empty()) continue;
    Program& program = programs[KindsOf(steps)];
    Tries& tries = program.tasks[lesson.task.digest];
    tries.nearness = std::max(tries.nearness, lesson.nearness);
    tries.shares += *share;
    tries.count += 1.0;
    if (*share > program.best.share || program.best.steps.empty()) {
      program.best.steps = std::move(steps);
      program.best.share = *share;
      program.best.origin = Cell(lesson.campaign, kNameBytes) + " node " +
                            std::to_string(Index(*lesson.node));
    }
  }
  std::vector<Precedent> all;
  for (auto& [kinds, program] : programs) {
    program.best.value = program.Value();
    if (program.best.value < kLeastValue) continue;
    all.push_back(std::move(program.best));
  }
  std::ranges::stable_sort(all, [](const Precedent& a, const Precedent& b) {
    if (a.value != b.value) return a.value > b.value;
    return a.steps.size() < b.steps.size();
  });
  if (all.size() > kMostPrograms) all.resize(kMostPrograms);
  return all;
}

}  // namespace coppice::agents::catalogue
