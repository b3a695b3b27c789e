#include "store/write/assistant_turns.h"

#include <algorithm>

#include "store/connection.h"
#include "store/read_rows.h"
#include "store/write/usd.h"

namespace coppice::store {
namespace {

double ChargedOn(Connection& connection, double day_s) {
  const double begin_s = static_cast<double>(DayOf(day_s)) * kDay_s;
  return connection
      .Find<double>(
          "SELECT sum(charged_usd) FROM assistant_turn"
          " WHERE sent_at_s >= ? AND sent_at_s < ?",
          begin_s, begin_s + kDay_s)
      .value_or(0.0);
}

Result<void> CheckDay(Connection& connection, const TurnIntent& intent,
                      const std::optional<double>& cap_usd) {
  if (!cap_usd) return {};
  if (!intent.cost_usd_bound) {
    return Fail(Errc::kUsage,
                "the cap of " + Dollars(*cap_usd) +
                    " a day for the assistant cannot be kept, since the "
                    "model's price is not known: give one (models_file), or "
                    "set assistant_usd_day to none");
  }
  const double used_usd = ChargedOn(connection, intent.sent_at_s);
  if (used_usd + *intent.cost_usd_bound <= *cap_usd + kRounding_usd) return {};
  return Fail(Errc::kSpent,
              "the cap of " + Dollars(*cap_usd) +
                  " a day (UTC) for the assistant would be passed: " +
                  Dollars(used_usd) + " is used, and a request may use " +
                  Dollars(*intent.cost_usd_bound) +
                  ": raise assistant_usd_day to go on");
}

// Questions, with what their requests came to.  The answer is that of the last
// request that has one; earlier ones called tools.
constexpr std::string_view kSelectAsked =
    "SELECT t.conversation, t.question_number, coalesce(c.name, ''),"
    " blob_text(t.question_blob), coalesce((SELECT blob_text(a.answer_blob)"
    "  FROM assistant_turn a WHERE a.conversation = t.conversation"
    "  AND a.question_number = t.question_number AND a.outcome = 1"
    "  ORDER BY a.assistant_turn_id DESC LIMIT 1), ''),"
    " (SELECT a.error FROM assistant_turn a"
    "  WHERE a.conversation = t.conversation"
    "  AND a.question_number = t.question_number"
    "  ORDER BY a.assistant_turn_id DESC LIMIT 1),"
    " t.provider, t.model, min(t.sent_at_s), count(*), sum(t.input_tokens),"
    " sum(t.output_tokens), coalesce(sum(t.cost_usd), 0.0)"
    " FROM assistant_turn t LEFT JOIN campaign c USING (campaign_id)";

AskedTurn AskedAt(const Statement& row) {
  AskedTurn turn;
  turn.conversation = row.Uuid(0);
  turn.question_number = row.Int(1);
  turn.campaign = row.Text(2);
  turn.question = row.Text(3);
  turn.answer = row.Text(4);
  turn.error = row.Text(5);
  turn.provider = row.Text(6);
  turn.model = row.Text(7);
  turn.asked_at_s = row.Real(8);
  turn.requests = row.Int(9);
  turn.input_tokens = row.Int(10);
  turn.output_tokens = row.Int(11);
  turn.cost_usd = row.Real(12);
  return turn;
}

}  // namespace

Result<TurnId> AssistantTurns::Begin(const TurnIntent& intent,
                                     std::optional<double> day_cap_usd) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<TurnId> {
    TRY_DONE(CheckDay(connection, intent, day_cap_usd));
    const TurnOrigin& origin = intent.origin;
    TRY(question,
        connection.blobs().Put(origin.question, std::nullopt, Future::kLeaf));
    // A request begins like the one before it, which it goes on from.
    const auto before = connection.Find<BlobId>(
        "SELECT request_blob FROM assistant_turn WHERE conversation = ?"
        " ORDER BY assistant_turn_id DESC LIMIT 1",
        origin.conversation);
    TRY(request, connection.blobs().Put(intent.request, before, Future::kBase));
    connection.Run(
        "INSERT INTO assistant_turn (conversation, question_number,"
        " campaign_id, question_blob, provider, model, retry_of,"
        " request_blob, sent_at_s, input_tokens_bound,"
        " output_tokens_bound, cost_usd_bound)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        origin.conversation, origin.question_number, origin.campaign,
        question.id, intent.provider, intent.model, intent.retry_of, request.id,
        intent.sent_at_s, intent.input_tokens_bound,
        intent.output_tokens_bound.value_or(0), intent.cost_usd_bound);
    return static_cast<TurnId>(connection.LastRowId());
  });
}

Result<void> AssistantTurns::End(TurnId turn, const TransportResult& end) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    std::optional<BlobId> answer;
    if (!end.answer.empty()) {
      TRY(stored,
          connection.blobs().Put(end.answer, std::nullopt, Future::kLeaf));
      answer = stored.id;
    }
    const Usage& usage = end.usage;
    connection.Run(
        "UPDATE assistant_turn SET outcome = ?2, answer_blob = ?3,"
        " error = ?4, input_tokens = ?5, cached_input_tokens = ?6,"
        " output_tokens = ?7, is_estimated = ?8, cost_usd = ?9,"
        " price_version = ?10, served_model = ?11, latency_s = ?12,"
        " ended_at_s = ?13 WHERE assistant_turn_id = ?1 AND outcome = 0",
        turn, end.outcome, answer, end.error, usage.input_tokens,
        usage.cached_input_tokens, usage.output_tokens, usage.estimated ? 1 : 0,
        end.cost_usd, end.price_version, end.served_model, end.latency_s,
        end.ended_at_s);
    if (connection.Changes() == 1) return {};
    return connection.FailHere(
        Errc::kNotFound, "the assistant's request " +
                             std::to_string(static_cast<std::int64_t>(turn)) +
                             " is missing, or has ended already");
  });
}

Result<double> AssistantTurns::SpentOn(double day_s) {
  Connection& connection = database_.connection();
  return connection.Read(
      [&]() -> Result<double> { return ChargedOn(connection, day_s); });
}

Result<std::vector<AskedTurn>> AssistantTurns::Read(std::int64_t limit) {
  return ReadRows(database_,
                  std::string(kSelectAsked) +
                      " GROUP BY t.conversation, t.question_number"
                      " ORDER BY max(t.assistant_turn_id) DESC LIMIT ?",
                  AskedAt, limit);
}

Result<std::vector<AskedTurn>> AssistantTurns::ReadConversation(
    const Uuid& conversation) {
  return ReadRows(database_,
                  std::string(kSelectAsked) +
                      " WHERE t.conversation = ? GROUP BY t.question_number"
                      " ORDER BY t.question_number",
                  AskedAt, conversation);
}

}  // namespace coppice::store
