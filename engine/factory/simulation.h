// A landscape (search/landscape.h) behind the seams of a real campaign: its
// agents are a Model and its judge an Evaluator, so that `coppice run
// sim:basic` goes through the engine, store and policies that a kernel does.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agents/provider/model.h"
#include "eval/judge/evaluator.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine {

// A task of that name whose root is a point of a landscape.
Task TaskOfPoint(const std::string& name, std::string root_source);

// "```" around it, as agents answer.
std::string InFences(std::string_view source);

// The task "sim:NAME".  kUsage lists the landscapes if there is no such one.
Result<Task> SimulatedTask(const std::string& name);

// Plans, codes and debugs, in the grammar of real agents, with draws from
// (campaign seed, role, decision).  REQUIRES: a task made by SimulatedTask.
Result<std::unique_ptr<agents::Model>> MakeSimulatedModel(const Task& task);

// A pure function of the candidate's source.
Result<std::unique_ptr<eval::Evaluator>> MakeSimulatedEvaluator(
    const Task& task);

}  // namespace coppice::engine
