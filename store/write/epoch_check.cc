#include "store/write/epoch_check.h"

#include "store/connection.h"
#include "store/records/model_call.h"

namespace coppice::store {

Result<void> CheckHeld(const Connection& connection, const Holding& holding,
                       std::int64_t epoch) {
  if (holding.epoch == epoch) return {};
  return connection.FailHere(
      Errc::kLost, "attempt " + std::to_string(Index(holding.attempt)) +
                       " was taken over by another process");
}

Result<void> CheckOpen(const Connection& connection, CallOutcome outcome,
                       const std::string& name) {
  if (outcome == CallOutcome::kSent) return {};
  return connection.FailHere(Errc::kUsage, name + " has ended already");
}

void TakeAway(Connection& connection, AttemptId attempt, double now_s) {
  connection
      .Prepare("UPDATE attempt SET epoch = epoch + 1 WHERE attempt_id = ?1")
      .Bind(attempt)
      .Run();
  connection
      .Prepare(
          "UPDATE wire_call SET outcome = ?2, ended_at_s = ?3,"
          " error = 'its attempt was taken over before it ended'"
          " WHERE outcome = ?4 AND call_id IN"
          " (SELECT call_id FROM model_call WHERE attempt_id = ?1)")
      .Bind(attempt, CallOutcome::kUnknown, now_s, CallOutcome::kSent)
      .Run();
  connection
      .Prepare(
          "UPDATE model_call SET outcome = ?2, ended_at_s = ?3,"
          " error = 'its attempt was taken over before it ended'"
          " WHERE attempt_id = ?1 AND outcome = ?4")
      .Bind(attempt, CallOutcome::kUnknown, now_s, CallOutcome::kSent)
      .Run();
}

}  // namespace coppice::store
