// What a command line asks of campaigns in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/compare/in_memory_grid.h"
#include "engine/documents/verb.h"

namespace coppice::engine {
class LandscapeTasks;
}

namespace coppice::cli {

// Seeds, where nobody says how many.
inline constexpr std::int64_t kManySeeds = 2000;

// Those of `option`, which is --tasks or --held-out, else `otherwise`.  "all"
// is every landscape that seeds draw tasks from.
Result<std::vector<std::string>> LandscapesOf(
    const Invocation& invocation, const std::string& option,
    const engine::LandscapeTasks& tasks,
    const std::vector<std::string>& otherwise);

// What budgets are of, in words: "attempts", "calls", "evaluator seconds".
std::string UnitOf(const engine::InMemoryGrid& grid);

// What the command line says, and the file where it says nothing.
Result<engine::InMemoryGrid> InMemoryGridOf(const Invocation& invocation,
                                            const engine::LandscapeTasks& tasks,
                                            const engine::InMemoryGrid& file);

}  // namespace coppice::cli
