// What an outside agent tells, and whether anything can be made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/prompt/request_options.h"
#include "store/records/candidate.h"
#include "store/records/directive.h"
#include "store/records/model_call.h"
#include "store/records/node.h"
#include "store/records/plan.h"
#include "store/records/result.h"
#include "store/records/task.h"
#include "store/records/ticket.h"

namespace coppice::engine {

inline constexpr std::size_t kMostOfATold_bytes = 256 * 1024;
// One claim has so many at most, so that thousands of claims still have an
// exact sum.
inline constexpr std::int64_t kMostOfAClaim_tokens = 1'000'000'000'000;
// 0 to 1e9 dollars, which is beyond any claim.
bool IsMoney(double usd);

// What the agent says that it used; nobody measured it.
struct ClaimedUse {
  Usage usage;
  std::optional<double> cost_usd;
  std::string model{};  // Empty: not said.

  bool IsAnything() const {
    return usage.input_tokens > 0 || usage.output_tokens > 0 ||
           cost_usd.value_or(0.0) > 0.0;
  }
};

struct Told {
  // The plan agent's answer, in the grammar that its prompt asks for.
  std::optional<std::string> plan{};
  // The whole new source: bare, or an answer with it in a fenced block.
  std::optional<std::string> source{};
  std::optional<std::string> none_reason{};  // Why there is no candidate.
  std::optional<std::string> language{};     // Of the source, as it says.
  ClaimedUse use{};

  bool IsEnd() const { return source || none_reason; }
  // 32 bytes each, of what ends the ticket and of the plan.
  std::string EndDigest() const;
  std::string PlanDigest() const;
};

// kUsage: no lease is as long, or as short.
Result<void> CheckLease(double lease_s);

// What it is told for.
struct Matters {
  const Task& task;
  const NodeRecord& parent;
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
