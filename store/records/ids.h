// Identifiers, each a type of its own so that none is passed for another.
//
// A NodeId is the node's ordinal within its campaign: the root is 0 and nodes
// are numbered densely in commit order.  The others are row ids of one file.
// What must stay unique across files and machines carries a Uuid as well.
#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

namespace coppice {

enum class NodeId : std::int64_t {};
enum class CampaignId : std::int64_t {};
enum class AttemptId : std::int64_t {};
enum class CallId : std::int64_t {};
enum class WireCallId : std::int64_t {};
enum class DirectiveId : std::int64_t {};
enum class TicketId : std::int64_t {};
enum class SessionCallId : std::int64_t {};

inline constexpr NodeId kRootNode{0};

// The number of any of these.
template <class Id>
requires std::is_same_v<std::underlying_type_t<Id>, std::int64_t>
constexpr std::int64_t Index(Id id) { return static_cast<std::int64_t>(id); }

}  // namespace coppice
