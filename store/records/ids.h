// Identifiers, each a type of its own so that none is passed for another.
//
// A NodeId is the node's ordinal within its campaign: the root is 0 and nodes
// are numbered densely in commit order.  The others are row ids of one file.
// What must stay unique across files and machines carries a Uuid as well.
#pragma once

#include <compare>
#include <cstdint>

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

constexpr std::int64_t Index(NodeId id) {
  return static_cast<std::int64_t>(id);
}
constexpr std::int64_t Index(CampaignId id) {
  return static_cast<std::int64_t>(id);
}
constexpr std::int64_t Index(AttemptId id) {
  return static_cast<std::int64_t>(id);
}
constexpr std::int64_t Index(CallId id) {
  return static_cast<std::int64_t>(id);
}
constexpr std::int64_t Index(WireCallId id) {
  return static_cast<std::int64_t>(id);
}
constexpr std::int64_t Index(DirectiveId id) {
  return static_cast<std::int64_t>(id);
}
constexpr std::int64_t Index(TicketId id) {
  return static_cast<std::int64_t>(id);
}
constexpr std::int64_t Index(SessionCallId id) {
  return static_cast<std::int64_t>(id);
}

}  // namespace coppice
