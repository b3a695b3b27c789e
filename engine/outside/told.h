// What an outside agent tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "store/records/model_call.h"

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

}  // namespace coppice::engine
