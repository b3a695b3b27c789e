// Whether anything can be made of what an outside agent tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/prompt/request_options.h"
#include "store/records/candidate.h"
#include "store/records/model_call.h"
#include "store/records/plan.h"
#include "store/records/result.h"
#include "store/records/ticket.h"

namespace coppice {
struct Directive;
struct Task;
}  // namespace coppice

namespace coppice::engine {

struct ClaimedUse;
struct Told;

// What an agent holds that has died comes back after a day at the latest.
inline constexpr double kLongestLease_s = 86'400.0;

// kUsage: no lease is as long, or as short.
Result<void> CheckLease(double lease_s);

// kUsage: nobody can have used that, so it is neither charged nor summed.
Result<void> CheckUse(const ClaimedUse& use);

// What it is told for.
struct Matters {
  const Task& task;
  const std::string& parent_source;
  agents::Grounding grounding = agents::Grounding::kUsed;
  std::vector<const Directive*> rules{};  // People's.
  Role role = Role::kPlan;                // Answers next.
  Roles roles = Roles::All();             // Of the ticket.
};

struct Understood {
  std::optional<Plan> plan;
  std::optional<Candidate> candidate;
};

// kUsage names all that is wrong with it.
Result<Understood> Understand(const Told& told, const Matters& matters);

}  // namespace coppice::engine
