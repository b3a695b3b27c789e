#include "store/write/session_calls.h"

#include "store/connection.h"
#include "store/read_rows.h"
#include "store/records/names.h"
#include "store/write/epoch_check.h"

namespace coppice::store {
namespace {

Result<void> MustChange(Connection& connection, SessionCallId id) {
  if (connection.Changes() == 1) return {};
  return connection.FailHere(Errc::kUsage,
                             "session call " + std::to_string(Index(id)) +
                                 " is missing, or has ended already");
}

}  // namespace

Result<SessionCall> SessionCalls::Begin(CallId call, const std::string& tool,
                                        const std::string& arguments,
                                        double now_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<SessionCall> {
    TRY(run, FindOpen(connection, call));
    SessionCall begun;
    begun.number = 1 + connection.Number(
                           "SELECT max(number) FROM session_call"
                           " WHERE attempt_id = ? AND role = ?",
                           run.attempt, run.role);
    TRY(stored, connection.blobs().PutLike(run.campaign, TextKind::kRequest,
                                           arguments));
    connection.Run(
        "INSERT INTO session_call (attempt_id, role, number, call_id, tool,"
        " arguments_blob, begun_at_s) VALUES (?, ?, ?, ?, ?, ?, ?)",
        run.attempt, run.role, begun.number, call, tool, stored.id, now_s);
    begun.id = static_cast<SessionCallId>(connection.LastRowId());
    begun.tool = tool;
    begun.arguments = arguments;
    return begun;
  });
}

Result<void> SessionCalls::BeginAgain(SessionCallId id, CallId call) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    TRY_DONE(FindOpen(connection, call));
    connection.Run(
        "UPDATE session_call SET starts = starts + 1, call_id = ?2"
        " WHERE session_call_id = ?1 AND state = 'begun'",
        id, call);
    return MustChange(connection, id);
  });
}

Result<void> SessionCalls::End(SessionCallId id, SessionCallState state,
                               const std::string& answer, double now_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    const auto call = connection.Find<CallId>(
        "SELECT call_id FROM session_call WHERE session_call_id = ?", id);
    TRY(run, FindOpen(connection, call.value_or(CallId{})));
    TRY(stored,
        connection.blobs().PutLike(run.campaign, TextKind::kAnswer, answer));
    connection.Run(
        "UPDATE session_call SET state = ?2, answer_blob = ?3,"
        " ended_at_s = ?4 WHERE session_call_id = ?1 AND state = 'begun'",
        id, std::string(Name(state)), stored.id, now_s);
    return MustChange(connection, id);
  });
}

Result<std::vector<SessionCall>> SessionCalls::Read(CallId call) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<std::vector<SessionCall>> {
    std::vector<SessionCall> calls;
    Statement read = connection.Prepare(
        "SELECT s.session_call_id, s.number, s.tool, s.state, s.starts,"
        " s.arguments_blob, s.answer_blob FROM model_call m"
        " JOIN session_call s ON s.attempt_id = m.attempt_id"
        "  AND s.role = m.role"
        " WHERE m.call_id = ? ORDER BY s.number",
        call);
    while (read.Step()) {
      SessionCall& each = calls.emplace_back();
      each.id = read.As<SessionCallId>(0);
      each.number = read.Int(1);
      each.tool = read.Text(2);
      each.state =
          NamedIn<SessionCallState>(kSessionCallStateNames, read.Text(3))
              .value_or(SessionCallState::kBegun);
      each.starts = read.Int(4);
      TRY_ASSIGN(each.arguments, connection.blobs().Text(read.As<BlobId>(5)));
      if (read.IsNull(6)) continue;
      TRY_ASSIGN(each.answer, connection.blobs().Text(read.As<BlobId>(6)));
    }
    return calls;
  });
}

Result<std::vector<SessionRun>> SessionCalls::ReadRuns(CallId call) {
  return ReadRows(
      database_,
      "SELECT b.uuid, max(0.0, coalesce((SELECT max(s.ended_at_s)"
      "  FROM session_call s WHERE s.attempt_id = b.attempt_id"
      "  AND s.role = b.role AND s.call_id = b.call_id), b.sent_at_s)"
      "  - b.sent_at_s), w.wire_call_id,"
      " w.outcome = 3 AND w.settled_at_s IS NULL, w.cost_usd"
      " FROM model_call m JOIN model_call b ON b.attempt_id = m.attempt_id"
      "  AND b.role = m.role AND b.call_id < m.call_id"
      " LEFT JOIN wire_call w ON w.wire_call_id ="
      "  (SELECT max(l.wire_call_id) FROM wire_call l"
      "   WHERE l.call_id = b.call_id)"
      " WHERE m.call_id = ? ORDER BY b.call_id",
      [](const Statement& read) {
        SessionRun run;
        run.uuid = read.Uuid(0);
        run.used_s = read.Real(1);
        run.wire = read.OptionalAs<WireCallId>(2);
        run.is_unknown = run.wire && read.Int(3) != 0;
        run.cost_usd = read.OptionalReal(4).value_or(0.0);
        return run;
      },
      call);
}

}  // namespace coppice::store
