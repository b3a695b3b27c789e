#include "agents/prompt/lesson_table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

#include "agents/prompt/attempt_table.h"
#include "store/records/formatted.h"

namespace coppice::agents {
namespace {

constexpr std::size_t kNameBytes = 80;  // Of operations, campaigns and files.

std::string Times(double ratio) {
  return Formatted(ratio < 9.95 ? "%.2g" : "%.0f", ratio);
}

std::string EffectText(const Speedup& effect) {
  std::string text = Times(effect.ratio) + "x its parent";
  if (effect.interval) {
    text += " (" + Times(effect.interval->low) + "-" +
            Times(effect.interval->high) + ")";
  }
  return text;
}

// The file's name alone: where a user keeps it is nobody's business.
std::string OriginText(const LessonSum& sum) {
  const Lesson& lesson = *(sum.best != nullptr ? sum.best : sum.first);
  const std::string file = std::filesystem::path(lesson.file).filename();
  return Cell(lesson.campaign, kNameBytes) + " node " +
         std::to_string(Index(*lesson.node)) + " of " + Cell(file, kNameBytes);
}

std::string Line(const LessonSum& sum, const PromptLimits& limits) {
  std::string line = Cell(sum.kind, limits.technique) + " | " +
                     Cell(sum.operation, kNameBytes) + " | " +
                     std::to_string(sum.passed) + " of " +
                     std::to_string(sum.tries) + " passed";
  if (sum.effect) line += ", " + EffectText(*sum.effect);
  if (sum.failed_as) {
    line += " | " + std::string(Name(*sum.failed_as));
    if (!sum.failure.empty()) line += ": " + Cell(sum.failure, limits.failure);
  }
  return line + " | " + OriginText(sum) + "\n";
}

std::string NoteLine(const Lesson& lesson) {
  std::string line = "\"" + Cell(lesson.note, kMostNoteBytes) + "\"";
  for (const std::string& about : {lesson.technique, lesson.task.operation}) {
    if (!about.empty()) line += " | " + Cell(about, kNameBytes);
  }
  return line + " | a person\n";
}

}  // namespace

std::string LessonTable(std::span<const Lesson> lessons,
                        const PromptLimits& limits) {
  std::string table;
  const auto add = [&](const std::string& line) {
    const bool has_room = table.size() + line.size() <= limits.lessons;
    if (has_room) table += line;
    return has_room;
  };
  for (const Lesson& lesson : lessons) {
    if (lesson.IsNote()) add(NoteLine(lesson));
  }
  // By how much they tell; then those that have room by what they gained.
  std::vector<LessonSum> sums = SumUp(lessons);
  std::ranges::stable_sort(sums, std::ranges::greater(), [](const auto& sum) {
    return std::abs(sum.Worth());
  });
  std::vector<std::pair<double, std::string>> lines;
  std::size_t room = limits.lessons - table.size();
  for (const LessonSum& sum : sums) {
    std::string line = Line(sum, limits);
    if (line.size() > room) continue;
    room -= line.size();
    lines.emplace_back(sum.Worth(), std::move(line));
  }
  std::ranges::stable_sort(lines, std::ranges::greater(),
                           &std::pair<double, std::string>::first);
  for (const auto& [worth, line] : lines) add(line);
  return table;
}

}  // namespace coppice::agents
