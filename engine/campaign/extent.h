// How much of a campaign one run does, and what ended it.
#pragma once

#include <cstdint>

namespace coppice::engine {

enum class Extent : std::uint8_t {
  kAttempts,  // As many as the budget allows.
  kNone,      // Only the root and what was begun: the policy is not asked.
  kTold,      // The root, and what outside agents tell until it is spent.
  kToldYet,   // The root, and what they have told by now.
  kRoot,      // The root alone, whatever others have begun.
};

enum class Ending {
  kBudgetSpent,
  kDrained,
  kCapReached,  // Of tokens or money: attempts under way wait for more.
  kRuleMet,     // One of engine/campaign/stop_rules.h, with attempts left.
};

}  // namespace coppice::engine
