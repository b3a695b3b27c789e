// Simulated agents and evaluator whose sources are points of a landscape
// (search/landscapes/point_text.h), behind the seams of real ones.
//
// An attempt here makes the child that an in-memory campaign makes there: both
// derive it from the parent, the number of attempts on it, and its relatives
// that pass.
#pragma once

#include <memory>
#include <string>

#include "agents/provider/model.h"
#include "eval/judge/evaluator.h"
#include "search/landscapes/task_law.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine {

// `name` is the task's, "sim:hill/1".  It is the same for every seed.
Task PointTask(const std::string& name, const search::TaskLaw& law);

// Plans, codes and debugs as a team, or codes alone, on the task that the
// campaign's seed draws from the law.
std::unique_ptr<agents::Model> MakePointModel(search::TaskLaw law);

// A pure function of the candidate's source and the tier: the fast one measures
// with the source's noise, the full one so long that none is left.  `noise` is
// the law's.
// REQUIRES: a task of PointTask.
Result<std::unique_ptr<eval::Evaluator>> MakePointEvaluator(const Task& task,
                                                            double noise);

}  // namespace coppice::engine
