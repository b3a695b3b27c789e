// Tries a task out that is made of a function, and mends what shows: arrays
// that are not written as a whole, sizes at which the root takes too long or no
// time, inputs on which the function is not defined.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/own/source_reader.h"
#include "engine/own/task_draft.h"
#include "eval/judge/evaluator.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine::own {

struct TrialResult {
  Task task;
  Reading reading;
  std::vector<std::string> notes;  // What was found out, a sentence each.
  double root_s = 0.0;             // Geometric mean over workloads.
  double worst_error_ratio = 0.0;  // Of the root.
  int nulls = 0;                   // Kernels that do not compute it, and fail.
  std::string why_unfit;           // Empty: it measures something.
};

// Told what is done next, in a few words.
using Say = std::function<void(const std::string&)>;

// kUsage: the function is none that a task can be made of, and why.
Result<TrialResult> TryOut(eval::Evaluator& evaluator,
                           const std::vector<Piece>& pieces, Reading reading,
                           const Wishes& wishes, Drafting drafting,
                           const Say& say);

}  // namespace coppice::engine::own
