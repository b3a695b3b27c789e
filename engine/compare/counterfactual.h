// What another policy would have chosen where the one that decided chose as it
// did.  It does not say what would have come of it: after a different choice
// the tree would have been another.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "engine/campaign/replay.h"

namespace coppice::engine {

// A node as a decision saw it: one refuted before then was failing.
enum class NodeKind : std::uint8_t { kRoot, kPassing, kFailing };
inline constexpr std::array<std::string_view, 3> kNodeKindNames = {
    "root", "passing", "failing"};

// Decisions for nodes of one kind.
struct ChoiceCounts {
  std::int64_t decisions = 0;
  std::int64_t same_node = 0;  // The other policy's node is the one recorded.
  std::array<std::int64_t, 3> instead{};  // What it is, by kind, same or not.
};

// By the policy that decided, and the kind of node that it chose.
using Counterfactual = std::map<std::string, std::array<ChoiceCounts, 3>>;

// Adds the campaign's decisions.  `policy` makes each with the tree, the
// attempts in flight and the random stream that the recorded one had.
Result<void> Reconsider(
    const store::Annals& annals, std::uint64_t seed,
    const std::function<Result<std::unique_ptr<search::Policy>>()>& policy,
    Counterfactual& counterfactual);

}  // namespace coppice::engine
