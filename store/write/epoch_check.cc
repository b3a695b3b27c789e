#include "store/write/epoch_check.h"

#include "store/connection.h"
#include "store/named.h"
#include "store/records/model_call.h"

namespace coppice::store {

Result<void> CheckHeld(const Connection& connection, const Holding& holding,
                       std::int64_t epoch) {
  if (holding.epoch == epoch) return {};
  return connection.FailHere(
      Errc::kLost,
      Named(holding.attempt) + " was taken over by another process");
}

Result<void> CheckOpen(const Connection& connection, CallOutcome outcome,
                       const std::string& name) {
  if (outcome == CallOutcome::kSent) return {};
  return connection.FailHere(Errc::kUsage, name + " has ended already");
}

Result<HeldAttempt> FindHeld(Connection& connection, const Holding& holding) {
  Statement read = connection.Prepare(
      "SELECT campaign_id, stage, epoch FROM attempt WHERE attempt_id = ?",
      holding.attempt);
  if (!read.Step()) return connection.Missing(Named(holding.attempt));
  TRY_DONE(CheckHeld(connection, holding, read.Int(2)));
  return HeldAttempt{read.As<CampaignId>(0), read.As<Stage>(1)};
}

Result<OpenModelCall> FindOpen(Connection& connection, CallId call) {
  Statement read = connection.Prepare(
      "SELECT m.outcome, m.role, a.attempt_id, a.campaign_id, a.parent_number,"
      " a.stage, m.epoch, a.epoch FROM model_call m"
      " JOIN attempt a USING (attempt_id) WHERE m.call_id = ?",
      call);
  if (!read.Step()) return connection.Missing(Named(call));
  const auto attempt = read.As<AttemptId>(2);
  TRY_DONE(CheckHeld(connection, {attempt, read.Int(6)}, read.Int(7)));
  TRY_DONE(CheckOpen(connection, read.As<CallOutcome>(0), Named(call)));
  return OpenModelCall{attempt, read.As<CampaignId>(3), read.As<NodeId>(4),
                       read.As<Role>(1), read.As<Stage>(5)};
}

void TakeAway(Connection& connection, AttemptId attempt, double now_s) {
  connection.Run("UPDATE attempt SET epoch = epoch + 1 WHERE attempt_id = ?1",
                 attempt);
  connection.Run(
      "UPDATE wire_call SET outcome = ?2, ended_at_s = ?3,"
      " error = 'its attempt was taken over before it ended'"
      " WHERE outcome = ?4 AND call_id IN"
      " (SELECT call_id FROM model_call WHERE attempt_id = ?1)",
      attempt, CallOutcome::kUnknown, now_s, CallOutcome::kSent);
  connection.Run(
      "UPDATE model_call SET outcome = ?2, ended_at_s = ?3,"
      " error = 'its attempt was taken over before it ended'"
      " WHERE attempt_id = ?1 AND outcome = ?4",
      attempt, CallOutcome::kUnknown, now_s, CallOutcome::kSent);
}

}  // namespace coppice::store
