#include "store/write/wire_calls.h"

#include <algorithm>
#include <string>

#include "store/connection.h"
#include "store/write/epoch_check.h"
#include "store/write/settlement.h"
#include "store/write/usd.h"

namespace coppice::store {
namespace {

// Whose money is spent, and when.
struct Account {
  CampaignId campaign{};
  Role role = Role::kPlan;
  std::int64_t day = 0;
};

void Add(Connection& connection, const Account& account, const Amount& amount) {
  connection.Run(
      "INSERT INTO expense (campaign_id, role, day, tokens, cost_usd)"
      " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
      " tokens = tokens + excluded.tokens,"
      " cost_usd = cost_usd + excluded.cost_usd",
      account.campaign, account.role, account.day, amount.tokens, amount.usd);
}

Amount Read(Statement& sum) {
  if (!sum.Step()) return {};
  return {sum.Int(0), sum.Real(1)};
}

Amount ChargedFor(Connection& connection, WireCallId call) {
  Statement read = connection.Prepare(
      "SELECT charged_tokens, charged_usd FROM wire_call"
      " WHERE wire_call_id = ?",
      call);
  return Read(read);
}

// What a cap is for.
struct Scope {
  std::string name;  // "the campaign".
  // It counts only expenses of these, where they are set.
  std::optional<CampaignId> campaign;
  std::optional<Role> role;
  std::optional<std::int64_t> day;
};

Amount UsedIn(Connection& connection, const Scope& scope) {
  Statement sum = connection.Prepare(
      "SELECT coalesce(sum(tokens), 0), coalesce(sum(cost_usd), 0.0)"
      " FROM expense WHERE (?1 IS NULL OR campaign_id = ?1)"
      " AND (?2 IS NULL OR role = ?2) AND (?3 IS NULL OR day = ?3)",
      scope.campaign, scope.role, scope.day);
  return Read(sum);
}

struct Unsettled {
  std::int64_t calls = 0;
  Amount amount;
};

Unsettled UnsettledIn(Connection& connection, const Scope& scope,
                      CallOutcome outcome) {
  Statement sum = connection.Prepare(
      "SELECT count(*), coalesce(sum(w.charged_tokens), 0),"
      " coalesce(sum(w.charged_usd), 0.0) FROM wire_call w"
      " JOIN model_call m USING (call_id) JOIN attempt a USING (attempt_id)"
      " WHERE w.is_unsettled AND w.outcome = ?4"
      " AND (?1 IS NULL OR a.campaign_id = ?1) AND (?2 IS NULL OR m.role = ?2)"
      " AND (?3 IS NULL OR CAST(floor(w.sent_at_s / 86400) AS INTEGER) = ?3)",
      scope.campaign, scope.role, scope.day, outcome);
  sum.Step();
  return {sum.Int(0), {sum.Int(1), sum.Real(2)}};
}

// "spent $0.03, in flight $0.00, unknown $0.17 (2 requests; `coppice spend
// settle` counts them as what they are likely to have used)"
template <class Text>
std::string UsedText(Connection& connection, const Scope& scope,
                     const Text& text) {
  const Amount used = UsedIn(connection, scope);
  const Unsettled sent = UnsettledIn(connection, scope, CallOutcome::kSent);
  const Unsettled lost = UnsettledIn(connection, scope, CallOutcome::kUnknown);
  const Amount spent = {
      used.tokens - sent.amount.tokens - lost.amount.tokens,
      std::max(used.usd - sent.amount.usd - lost.amount.usd, 0.0)};
  std::string what =
      "spent " + text(spent) + ", in flight " + text(sent.amount);
  if (lost.calls == 0) return what;
  return what + ", unknown " + text(lost.amount) + " (" +
         std::to_string(lost.calls) +
         (lost.calls == 1 ? " request" : " requests") +
         "; `coppice spend settle` counts what they are likely to have used)";
}

Result<void> CheckCap(Connection& connection, const Scope& scope,
                      const Cap& cap, const WireIntent& intent) {
  if (!cap.tokens && !cap.usd) return {};
  if (!intent.output_tokens_bound) {
    return Fail(Errc::kUsage,
                "a cap for " + scope.name +
                    " cannot be kept, since the provider takes no output "
                    "limit and the model's own is not known: give it "
                    "(output_tokens of its row in a models_file)");
  }
  const Amount used = UsedIn(connection, scope);
  const auto refuse = [&](const Amount& allowed, const Amount& more,
                          bool is_passed, const auto& text) {
    return Fail(Errc::kSpent,
                "the cap of " + text(allowed) + " for " + scope.name +
                    (is_passed ? " is passed: " : " would be passed: ") +
                    UsedText(connection, scope, text) +
                    ", and a call may use " + text(more) +
                    ": raise it to go on");
  };
  const std::int64_t tokens =
      intent.input_tokens_bound + *intent.output_tokens_bound;
  if (cap.tokens && used.tokens + tokens > *cap.tokens) {
    return refuse({*cap.tokens, 0.0}, {tokens, 0.0}, used.tokens > *cap.tokens,
                  [](const Amount& amount) {
                    return std::to_string(amount.tokens) + " tokens";
                  });
  }
  if (!cap.usd) return {};
  if (!intent.cost_usd_bound) {
    return Fail(Errc::kUsage,
                "a cap of " + Dollars(*cap.usd) + " for " + scope.name +
                    " cannot be kept, since the model's price is not known: "
                    "give one, or a cap on tokens");
  }
  if (used.usd + *intent.cost_usd_bound > *cap.usd + kRounding_usd) {
    return refuse({0, *cap.usd}, {0, *intent.cost_usd_bound},
                  used.usd > *cap.usd + kRounding_usd,
                  [](const Amount& amount) { return Dollars(amount.usd); });
  }
  return {};
}

Result<void> CheckCaps(Connection& connection, const Account& account,
                       const WireIntent& intent, const Caps& caps) {
  TRY_DONE(CheckCap(connection, {"the campaign", account.campaign, {}, {}},
                    caps.campaign, intent));
  TRY_DONE(CheckCap(connection,
                    {"its " + std::string(Name(account.role)) + " agent",
                     account.campaign,
                     account.role,
                     {}},
                    caps.roles.at(static_cast<std::size_t>(account.role)),
                    intent));
  return CheckCap(connection, {"the day (UTC)", {}, {}, account.day}, caps.day,
                  intent);
}

// What is unknown for long enough is settled before it keeps a call back.
Result<void> CheckCapsOrSettle(Connection& connection, const Account& account,
                               const WireIntent& intent, const Caps& caps) {
  auto within = CheckCaps(connection, account, intent, caps);
  if (within || within.error().code != Errc::kSpent || !caps.settle_after_s) {
    return within;
  }
  TRY(is_less, SettleOld(connection, intent.sent_at_s - *caps.settle_after_s,
                         intent.sent_at_s));
  return is_less ? CheckCaps(connection, account, intent, caps) : within;
}

Result<Account> OpenAccount(Connection& connection, CallId call,
                            double sent_at_s) {
  TRY(open, FindOpen(connection, call));
  return Account{open.campaign, open.role, DayOf(sent_at_s)};
}

// What it used, so far as it is known.
struct Known {
  Usage usage;
  double cost_usd = 0.0;
};

// One that is in flight, or of unknown outcome.
struct OpenWireCall {
  CallId call{};
  Account account;
  Known known;
};

Result<OpenWireCall> FindOpen(Connection& connection, WireCallId id) {
  Statement read = connection.Prepare(
      "SELECT w.outcome, w.call_id, w.sent_at_s, m.role, a.campaign_id,"
      " w.input_tokens, w.cached_input_tokens, w.output_tokens, w.cost_usd"
      " FROM wire_call w JOIN model_call m USING (call_id)"
      " JOIN attempt a USING (attempt_id) WHERE w.wire_call_id = ?");
  const std::string name = "wire call " + std::to_string(Index(id));
  if (!read.Bind(id).Step()) return connection.Missing(name);
  const auto outcome = read.As<CallOutcome>(0);
  if (outcome != CallOutcome::kUnknown) {
    TRY_DONE(CheckOpen(connection, outcome, name));
  }
  return OpenWireCall{
      read.As<CallId>(1),
      {read.As<CampaignId>(4), read.As<Role>(3), DayOf(read.Real(2))},
      {{read.Int(5), read.Int(6), read.Int(7)},
       read.OptionalReal(8).value_or(0.0)}};
}

// One of unknown outcome is charged with all that it may use: no less than is
// known that it did.
void RaiseBounds(Connection& connection, WireCallId id,
                 const TransportResult& end) {
  connection.Run(
      "UPDATE wire_call SET"
      " input_tokens_bound = max(input_tokens_bound, ?2),"
      " output_tokens_bound = max(output_tokens_bound, ?3),"
      " cost_usd_bound = iif(?4 IS NULL, cost_usd_bound,"
      "   max(coalesce(cost_usd_bound, ?4), ?4))"
      " WHERE wire_call_id = ?1",
      id, end.usage.input_tokens, end.usage.output_tokens, end.cost_usd);
}

void Update(Connection& connection, WireCallId id, const TransportResult& end,
            std::optional<BlobId> answer) {
  const Usage& usage = end.usage;
  connection.Run(
      "UPDATE wire_call SET outcome = ?2, answer_blob = ?3, error = ?4,"
      " input_tokens = ?5, cached_input_tokens = ?6,"
      " cache_write_tokens = ?7, output_tokens = ?8, reasoning_tokens = ?9,"
      " is_estimated = ?10, cost_usd = ?11, price_version = ?12,"
      " http_status = ?13, request_id = ?14, served_model = ?15,"
      " latency_s = ?16, ended_at_s = ?17, settled_at_s = NULL"
      " WHERE wire_call_id = ?1",
      id, end.outcome, answer, end.error, usage.input_tokens,
      usage.cached_input_tokens, usage.cache_write_tokens, usage.output_tokens,
      usage.reasoning_tokens, usage.estimated ? 1 : 0, end.cost_usd,
      end.price_version, end.http_status, end.request_id, end.served_model,
      end.latency_s, end.ended_at_s);
}

// After its row was changed: the expenses, and the use of its call, of which
// `now` is known from now on.
void Recount(Connection& connection, WireCallId id, const OpenWireCall& call,
             const Amount& charged_before, const Known& now) {
  const Amount charged = ChargedFor(connection, id);
  Add(connection, call.account,
      {charged.tokens - charged_before.tokens,
       charged.usd - charged_before.usd});
  const Usage& before = call.known.usage;
  connection.Run(
      "UPDATE model_call SET input_tokens = input_tokens + ?2,"
      " cached_input_tokens = cached_input_tokens + ?3,"
      " output_tokens = output_tokens + ?4, cost_usd = cost_usd + ?5"
      " WHERE call_id = ?1",
      call.call, now.usage.input_tokens - before.input_tokens,
      now.usage.cached_input_tokens - before.cached_input_tokens,
      now.usage.output_tokens - before.output_tokens,
      now.cost_usd - call.known.cost_usd);
}

}  // namespace

Result<WireCallId> WireCalls::Begin(CallId call, const WireIntent& intent,
                                    const Caps& caps) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<WireCallId> {
    TRY(account, OpenAccount(connection, call, intent.sent_at_s));
    TRY_DONE(CheckCapsOrSettle(connection, account, intent, caps));
    TRY(request, connection.blobs().PutLike(
                     account.campaign, TextKind::kRequest, intent.request));
    const SentSampling& sampling = intent.sampling;
    connection.Run(
        "INSERT INTO wire_call (call_id, retry_of, request_blob, sent_at_s,"
        " temperature, top_p, max_output_tokens, effort,"
        " input_tokens_bound, output_tokens_bound, cost_usd_bound,"
        " input_usd_bound) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        call, intent.retry_of, request.id, intent.sent_at_s,
        sampling.temperature, sampling.top_p, sampling.max_output_tokens,
        sampling.effort, intent.input_tokens_bound,
        intent.output_tokens_bound.value_or(0), intent.cost_usd_bound,
        intent.input_usd_bound);
    const auto id = static_cast<WireCallId>(connection.LastRowId());
    Add(connection, account, ChargedFor(connection, id));
    return id;
  });
}

Result<void> WireCalls::End(const EndedWireCall& ended) {
  Connection& connection = database_.connection();
  return connection.Write([&] { return EndWireCall(connection, ended); });
}

Result<void> EndWireCall(Connection& connection, const EndedWireCall& ended) {
  const TransportResult& end = ended.end;
  if (end.outcome == CallOutcome::kSent) {
    return connection.FailHere(Errc::kUsage, "a wire call cannot end as sent");
  }
  TRY(call, FindOpen(connection, ended.call));
  std::optional<BlobId> answer;
  if (!end.answer.empty()) {
    TRY(stored, connection.blobs().PutLike(call.account.campaign,
                                           TextKind::kAnswer, end.answer));
    answer = stored.id;
  }
  const Amount before = ChargedFor(connection, ended.call);
  Update(connection, ended.call, end, answer);
  if (end.outcome == CallOutcome::kUnknown) {
    RaiseBounds(connection, ended.call, end);
  }
  Recount(connection, ended.call, call, before,
          {end.usage, end.cost_usd.value_or(0.0)});
  return {};
}

Result<Charge> SettleWireCall(Connection& connection, WireCallId id,
                              const CallUse& use, double now_s) {
  TRY(call, FindOpen(connection, id));
  Charge charge;
  charge.before = ChargedFor(connection, id);
  connection.Run(
      "UPDATE wire_call SET settled_at_s = ?2, input_tokens = ?3,"
      " output_tokens = ?4, cost_usd = ?5, is_estimated = 1"
      " WHERE wire_call_id = ?1",
      id, now_s, use.input_tokens, use.output_tokens, use.usd);
  Known known{call.known.usage, use.usd.value_or(0.0)};
  known.usage.input_tokens = use.input_tokens;
  known.usage.output_tokens = use.output_tokens;
  Recount(connection, id, call, charge.before, known);
  charge.after = ChargedFor(connection, id);
  return charge;
}

Result<Amount> ReadUsed(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Amount> {
    return UsedIn(connection, {"the campaign", campaign, {}, {}});
  });
}

}  // namespace coppice::store
