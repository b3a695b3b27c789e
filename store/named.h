// How errors and findings call what is stored: "node 7".  Private to this
// folder.
#pragma once

#include <string>

#include "store/records/ids.h"

namespace coppice::store {

inline std::string Named(NodeId id) {
  return "node " + std::to_string(Index(id));
}
inline std::string Named(AttemptId id) {
  return "attempt " + std::to_string(Index(id));
}
inline std::string Named(CallId id) {
  return "call " + std::to_string(Index(id));
}
inline std::string Named(CampaignId id) {
  return "campaign " + std::to_string(Index(id));
}
inline std::string Named(DirectiveId id) {
  return "directive " + std::to_string(Index(id));
}
inline std::string Named(TicketId id) {
  return "ticket " + std::to_string(Index(id));
}
inline std::string NamedDecision(std::int64_t decision) {
  return "decision " + std::to_string(decision);
}

}  // namespace coppice::store
