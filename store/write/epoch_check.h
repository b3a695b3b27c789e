// Who has lost an attempt writes nothing more for it, and only a call that is
// open may go on or end.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write.
#pragma once

#include <cstdint>
#include <string>

#include "store/records/attempt.h"
#include "store/records/result.h"

namespace coppice {
enum class CallOutcome : std::uint8_t;
enum class Role : std::uint8_t;
}  // namespace coppice

namespace coppice::store {

class Connection;

// kLost if the attempt is in a later `epoch` than that in which it is held.
// REQUIRES: that was read in this transaction, as was `outcome` below.
Result<void> CheckHeld(const Connection& connection, const Holding& holding,
                       std::int64_t epoch);

// kUsage if the call `name` has ended.
Result<void> CheckOpen(const Connection& connection, CallOutcome outcome,
                       const std::string& name);

struct HeldAttempt {
  CampaignId campaign{};
  Stage stage = Stage::kReserved;
};
// kNotFound, or as CheckHeld.
Result<HeldAttempt> FindHeld(Connection& connection, const Holding& holding);

// A model call that has not ended, with what its attempt is.
struct OpenModelCall {
  AttemptId attempt{};
  CampaignId campaign{};
  NodeId parent{};
  Role role{};
  Stage stage = Stage::kReserved;
};
// kNotFound, or as CheckHeld and CheckOpen.
Result<OpenModelCall> FindOpen(Connection& connection, CallId call);

// Whoever holds the attempt has lost it: what was sent for it is of unknown
// outcome, and its epoch rises.
void TakeAway(Connection& connection, AttemptId attempt, double now_s);

}  // namespace coppice::store
