// What the budget of a campaign in memory is of.
#pragma once

#include <cstdint>

namespace coppice::search {

// Attempts, calls of a model (CallsOf), or seconds of the evaluator
// (evaluation_cost.h).
enum class BudgetUnit : std::uint8_t { kAttempts, kCalls, kEvaluatorSeconds };

}  // namespace coppice::search
