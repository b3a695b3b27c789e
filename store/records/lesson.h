// What another campaign tried, on what, and what came of it; or a line that a
// person wrote down.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/records/ids.h"
#include "store/records/speedup.h"
#include "store/records/task.h"
#include "store/records/uuid.h"
#include "store/records/verdict.h"

namespace coppice {

// What tasks are alike in.
struct TaskTraits {
  std::string name;
  // A digest of what is asked, whatever its name is: equal ones are the same
  // task.
  std::string digest;
  std::string operation;  // "gemm"
  std::string words;      // Of name, operation and description.
  std::string types;      // Of inputs, then outputs: "float32 float32"
  // The number of elements of all tensors, to base 2, as the mean over the
  // workloads.  None: not known.
  std::optional<double> log_elements;
  Language language = Language::kCpp;
};

struct Lesson {
  std::int64_t id = 0;  // In its file.
  // Where it is from: database, campaign and node.  None of a person's.
  std::string file;
  std::string campaign;
  std::optional<Uuid> uuid;
  std::optional<NodeId> node;
  // A person's line tells of it only the operation, and the technique below.
  TaskTraits task;
  std::string hardware;
  std::string bound;    // "memory" or "arithmetic": its parent's; "": unknown.
  std::string program;  // That made its parent of the root (ProgramAfter).
  std::string technique;  // Its label: "jam(j, 32) + parallel(i)".
  Verdict verdict = Verdict::kInconclusive;
  std::string rule;               // That was broken; "": none.
  std::optional<Speedup> effect;  // Over its parent; set if it passed.
  // Over the root: its own, if it passed, and the best of its campaign.
  std::optional<double> speedup;
  std::optional<double> best;
  std::string failure;  // In a line; "": it passed.
  std::string note;     // A person's line; "": it is none.
  // To the task of the campaign that has it: 0 to 1.
  double nearness = 1.0;

  bool IsNote() const { return !note.empty(); }
};

// What lessons of one kind of technique on one operation come to.
struct LessonSum {
  std::string kind;  // "register_block(8, 32)"; of several, joined by " + ".
  std::string operation;
  std::int64_t tries = 0;
  std::int64_t passed = 0;
  std::int64_t gained = 0;  // Told apart from their parents, and faster.
  double nearness = 0.0;    // Summed, and
  double worth = 0.0;       // times WorthOf.
  // Median over those that passed, with the order statistics between which it
  // lies with 95 %; these are six at least.  Unset: none passed.
  std::optional<Speedup> effect;
  const Lesson* first = nullptr;
  const Lesson* best = nullptr;  // By its effect; null: none passed.
  // The verdict of most that failed, and the failure of the first with it.
  std::optional<Verdict> failed_as;
  std::string failure;

  // The mean, as if one more had come to nothing.
  double Worth() const { return worth / (nearness + 1.0); }
};

// What a try says for its technique: the logarithm of its effect, cut to
// [-1, 2]; 0 if it is not told apart from its parent, and -0.5 if it failed.
// None of what tells nothing: of persons' lines, and where no kernel came.
std::optional<double> WorthOf(const Lesson& lesson);

// In the order in which their first lessons come, without persons' lines.
// `lessons` outlives them.
std::vector<LessonSum> SumUp(std::span<const Lesson> lessons);

}  // namespace coppice
