// Which model each agent of a campaign asks.
//
// The catalogue writes no Python.  On a task in it, an agent that is left to
// the catalogue asks the first model that is named for code, debug or plan
// agent: one that is named is asked everything.  On other tasks each agent asks
// its own.
#pragma once

#include <cstdint>

#include "config/settings.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine {

// `settings` with the models that are asked on `task`.
config::Settings WithAgentModels(const Task& task, config::Settings settings);

// kUsage where so many more `attempts` would all be given up: where a task in
// Python, or a plan without marks, is left to the catalogue.
Result<void> CheckAgents(const Task& task, const config::Settings& settings,
                         std::int64_t attempts);

}  // namespace coppice::engine
