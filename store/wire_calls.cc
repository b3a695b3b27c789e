#include "store/wire_calls.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "store/connection.h"
#include "store/fence.h"

namespace coppice::store {
namespace {

constexpr double kDay_s = 86400.0;

std::int64_t DayOf(double unix_s) {
  return static_cast<std::int64_t>(std::floor(unix_s / kDay_s));
}

// Whose money is spent, and when.
struct Account {
  CampaignId campaign{};
  Role role = Role::kPlan;
  std::int64_t day = 0;
};

struct Amount {
  std::int64_t tokens = 0;
  double usd = 0.0;
};

void Charge(Connection& connection, const Account& account,
            const Amount& amount) {
  connection
      .Prepare(
          "INSERT INTO expense (campaign_id, role, day, tokens, cost_usd)"
          " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
          " tokens = tokens + excluded.tokens,"
          " cost_usd = cost_usd + excluded.cost_usd")
      .Bind(account.campaign, account.role, account.day, amount.tokens,
            amount.usd)
      .Run();
}

Amount ChargedFor(Connection& connection, WireCallId call) {
  Statement read = connection.Prepare(
      "SELECT charged_tokens, charged_usd FROM wire_call"
      " WHERE wire_call_id = ?");
  if (!read.Bind(call).Step()) return {};
  return {read.Int(0), read.Real(1)};
}

Amount Read(Statement& sum) {
  if (!sum.Step()) return {};
  return {sum.Int(0), sum.Real(1)};
}

std::string Dollars(double usd) {
  char text[32];
  std::snprintf(text, sizeof text, usd < 0.01 ? "$%.6f" : "$%.2f", usd);
  return text;
}

// A sum of roundings may be off by so little that no bill shows it.
constexpr double kRounding_usd = 1e-9;

Result<void> CheckCap(const std::string& whose, const Cap& cap,
                      const Amount& used, const WireIntent& intent) {
  if (!cap.tokens && !cap.usd) return {};
  if (!intent.output_tokens_bound) {
    return Fail(Errc::kUsage,
                "a cap for " + whose +
                    " cannot be kept, since the provider takes no output "
                    "limit and the model's own is not known: give it "
                    "(output_tokens of its row in a models_file)");
  }
  const auto refuse = [&](const std::string& allowed, const std::string& spent,
                          const std::string& more, bool is_passed) {
    return Fail(Errc::kSpent,
                "the cap of " + allowed + " for " + whose +
                    (is_passed ? " is passed: " : " would be passed: ") +
                    spent + " are used or in flight, and a call may use " +
                    more + ": raise it to go on");
  };
  const std::int64_t tokens =
      intent.input_tokens_bound + *intent.output_tokens_bound;
  if (cap.tokens && used.tokens + tokens > *cap.tokens) {
    return refuse(std::to_string(*cap.tokens) + " tokens",
                  std::to_string(used.tokens), std::to_string(tokens),
                  used.tokens > *cap.tokens);
  }
  if (!cap.usd) return {};
  if (!intent.cost_usd_bound) {
    return Fail(Errc::kUsage,
                "a cap of " + Dollars(*cap.usd) + " for " + whose +
                    " cannot be kept, since the model's price is not known: "
                    "give one, or a cap on tokens");
  }
  if (used.usd + *intent.cost_usd_bound > *cap.usd + kRounding_usd) {
    return refuse(Dollars(*cap.usd), Dollars(used.usd),
                  Dollars(*intent.cost_usd_bound),
                  used.usd > *cap.usd + kRounding_usd);
  }
  return {};
}

Result<void> CheckCaps(Connection& connection, const Account& account,
                       const WireIntent& intent, const Caps& caps) {
  const auto all = [&] {
    Statement sum = connection.Prepare(
        "SELECT coalesce(sum(tokens), 0), coalesce(sum(cost_usd), 0.0)"
        " FROM expense WHERE campaign_id = ?");
    return Read(sum.Bind(account.campaign));
  };
  TRY_DONE(CheckCap("the campaign", caps.campaign, all(), intent));
  const auto of_role = [&] {
    Statement sum = connection.Prepare(
        "SELECT coalesce(sum(tokens), 0), coalesce(sum(cost_usd), 0.0)"
        " FROM expense WHERE campaign_id = ? AND role = ?");
    return Read(sum.Bind(account.campaign, account.role));
  };
  TRY_DONE(CheckCap("its " + std::string(Name(account.role)) + " agent",
                    caps.roles.at(static_cast<std::size_t>(account.role)),
                    of_role(), intent));
  const auto of_day = [&] {
    Statement sum = connection.Prepare(
        "SELECT coalesce(sum(tokens), 0), coalesce(sum(cost_usd), 0.0)"
        " FROM expense WHERE day = ?");
    return Read(sum.Bind(account.day));
  };
  return CheckCap("the day (UTC)", caps.day, of_day(), intent);
}

Result<Account> OpenAccount(Connection& connection, CallId call,
                            double sent_at_s) {
  Statement read = connection.Prepare(
      "SELECT m.outcome, m.role, a.campaign_id, a.attempt_id, m.epoch, a.epoch"
      " FROM model_call m JOIN attempt a USING (attempt_id)"
      " WHERE m.call_id = ?");
  const std::string name = "call " + std::to_string(Index(call));
  if (!read.Bind(call).Step()) {
    return connection.FailHere(Errc::kNotFound, name + " is missing");
  }
  TRY_DONE(
      CheckHeld(connection, {read.As<AttemptId>(3), read.Int(4)}, read.Int(5)));
  TRY_DONE(CheckOpen(connection, read.As<CallOutcome>(0), name));
  return Account{read.As<CampaignId>(2), read.As<Role>(1), DayOf(sent_at_s)};
}

struct Unsettled {
  CallId call{};
  Account account;
  Usage usage;  // So far as it is known, as is its cost.
  double cost_usd = 0.0;
};

Result<Unsettled> FindUnsettled(Connection& connection, WireCallId id) {
  Statement read = connection.Prepare(
      "SELECT w.outcome, w.call_id, w.sent_at_s, m.role, a.campaign_id,"
      " w.input_tokens, w.cached_input_tokens, w.output_tokens, w.cost_usd"
      " FROM wire_call w JOIN model_call m USING (call_id)"
      " JOIN attempt a USING (attempt_id) WHERE w.wire_call_id = ?");
  const std::string name = "wire call " + std::to_string(Index(id));
  if (!read.Bind(id).Step()) {
    return connection.FailHere(Errc::kNotFound, name + " is missing");
  }
  const auto outcome = read.As<CallOutcome>(0);
  if (outcome != CallOutcome::kUnknown) {
    TRY_DONE(CheckOpen(connection, outcome, name));
  }
  return Unsettled{
      read.As<CallId>(1),
      {read.As<CampaignId>(4), read.As<Role>(3), DayOf(read.Real(2))},
      {read.Int(5), read.Int(6), read.Int(7)},
      read.OptionalReal(8).value_or(0.0)};
}

// One of unknown outcome is charged with all that it may use: no less than is
// known that it did.
void RaiseBounds(Connection& connection, WireCallId id, const WireEnd& end) {
  connection
      .Prepare(
          "UPDATE wire_call SET"
          " input_tokens_bound = max(input_tokens_bound, ?2),"
          " output_tokens_bound = max(output_tokens_bound, ?3),"
          " cost_usd_bound = iif(?4 IS NULL, cost_usd_bound,"
          "   max(coalesce(cost_usd_bound, ?4), ?4))"
          " WHERE wire_call_id = ?1")
      .Bind(id, end.usage.input_tokens, end.usage.output_tokens, end.cost_usd)
      .Run();
}

void Update(Connection& connection, WireCallId id, const WireEnd& end,
            std::optional<BlobId> answer) {
  const Usage& usage = end.usage;
  connection
      .Prepare(
          "UPDATE wire_call SET outcome = ?2, answer_blob = ?3, error = ?4,"
          " input_tokens = ?5, cached_input_tokens = ?6,"
          " cache_write_tokens = ?7, output_tokens = ?8, reasoning_tokens = ?9,"
          " is_estimated = ?10, cost_usd = ?11, price_version = ?12,"
          " http_status = ?13, request_id = ?14, latency_s = ?15,"
          " ended_at_s = ?16 WHERE wire_call_id = ?1")
      .Bind(id, end.outcome, answer, end.error, usage.input_tokens,
            usage.cached_input_tokens, usage.cache_write_tokens,
            usage.output_tokens, usage.reasoning_tokens,
            usage.estimated ? 1 : 0, end.cost_usd, end.price_version,
            end.http_status, end.request_id, end.latency_s, end.ended_at_s)
      .Run();
}

}  // namespace

Result<WireCallId> WireCalls::Begin(CallId call, const WireIntent& intent,
                                    const Caps& caps) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<WireCallId> {
    TRY(account, OpenAccount(connection, call, intent.sent_at_s));
    TRY_DONE(CheckCaps(connection, account, intent, caps));
    TRY(request, connection.blobs().PutLike(
                     account.campaign, TextKind::kRequest, intent.request));
    connection
        .Prepare(
            "INSERT INTO wire_call (call_id, retry_of, request_blob, sent_at_s,"
            " input_tokens_bound, output_tokens_bound, cost_usd_bound)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)")
        .Bind(call, intent.retry_of, request.id, intent.sent_at_s,
              intent.input_tokens_bound, intent.output_tokens_bound.value_or(0),
              intent.cost_usd_bound)
        .Run();
    const auto id = static_cast<WireCallId>(connection.LastRowId());
    Charge(connection, account, ChargedFor(connection, id));
    return id;
  });
}

Result<void> WireCalls::End(const EndedWireCall& ended) {
  Connection& connection = database_.connection();
  return connection.Write([&] { return EndWireCall(connection, ended); });
}

Result<void> EndWireCall(Connection& connection, const EndedWireCall& ended) {
  const WireEnd& end = ended.end;
  if (end.outcome == CallOutcome::kSent) {
    return connection.FailHere(Errc::kUsage, "a wire call cannot end as sent");
  }
  TRY(call, FindUnsettled(connection, ended.call));
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
  const Amount after = ChargedFor(connection, ended.call);
  Charge(connection, call.account,
         {after.tokens - before.tokens, after.usd - before.usd});
  connection
      .Prepare(
          "UPDATE model_call SET input_tokens = input_tokens + ?2,"
          " cached_input_tokens = cached_input_tokens + ?3,"
          " output_tokens = output_tokens + ?4, cost_usd = cost_usd + ?5"
          " WHERE call_id = ?1")
      .Bind(call.call, end.usage.input_tokens - call.usage.input_tokens,
            end.usage.cached_input_tokens - call.usage.cached_input_tokens,
            end.usage.output_tokens - call.usage.output_tokens,
            end.cost_usd.value_or(0.0) - call.cost_usd)
      .Run();
  return {};
}

}  // namespace coppice::store
