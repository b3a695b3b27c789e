#include "store/write/settlement.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "store/connection.h"
#include "store/named.h"
#include "store/records/model_call.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

constexpr double kMargin = 1.25;
constexpr std::int64_t kLeast = 5;  // Fewer say too little of the next.

// One of unknown outcome.
struct Unknown {
  WireCallId id{};
  CallId call{};
  std::string campaign;
  std::int64_t role = 0;
  std::string provider;
  std::string model;
  std::int64_t request_bytes = 0;
  CallUse known;                 // At least,
  CallUse bound;                 // and at most,
  double input_usd_bound = 0.0;  // of which the input may cost so much.
};

std::vector<Unknown> ReadUnknown(Connection& connection, double sent_before_s) {
  auto unknown = connection.Rows(
      "SELECT w.wire_call_id, w.call_id, c.name, m.role, m.provider, m.model,"
      " b.raw_bytes, w.input_tokens, w.output_tokens, w.cost_usd,"
      " w.input_tokens_bound, w.output_tokens_bound, w.cost_usd_bound,"
      " w.input_usd_bound"
      " FROM wire_call w INDEXED BY wire_call_unsettled"
      " CROSS JOIN model_call m USING (call_id)"
      " JOIN attempt a USING (attempt_id) JOIN campaign c USING (campaign_id)"
      " JOIN blob b ON b.blob_id = w.request_blob"
      " WHERE w.is_unsettled AND w.outcome = ? AND w.sent_at_s < ?",
      [](const Statement& read) {
        return Unknown{read.As<WireCallId>(0),
                       read.As<CallId>(1),
                       read.Text(2),
                       read.Int(3),
                       read.Text(4),
                       read.Text(5),
                       read.Int(6),
                       {read.Int(7), read.Int(8), read.OptionalReal(9)},
                       {read.Int(10), read.Int(11), read.OptionalReal(12)},
                       read.Real(13)};
      },
      CallOutcome::kUnknown, sent_before_s);
  // SQLite would read the whole table to have them in this order.
  std::ranges::sort(unknown, {}, &Unknown::id);
  return unknown;
}

// The most that requests to a model used, of one role or of any.
struct MostUsed {
  double input_tokens_per_byte = 0.0;
  std::int64_t output_tokens = 0;
};

// None: too few were answered.
std::optional<MostUsed> ReadMostUsed(Connection& connection,
                                     const std::string& provider,
                                     const std::string& model,
                                     std::optional<std::int64_t> role) {
  Statement read = connection.Prepare(
      "SELECT count(*), max(input_tokens * 1.0 / max(raw_bytes, 1)),"
      " max(output_tokens)"
      " FROM (SELECT w.input_tokens, w.output_tokens, b.raw_bytes"
      "  FROM wire_call w JOIN model_call m USING (call_id)"
      "  JOIN blob b ON b.blob_id = w.request_blob"
      "  WHERE w.outcome = ?4 AND m.provider = ?1 AND m.model = ?2"
      "  AND (?3 IS NULL OR m.role = ?3)"
      "  ORDER BY w.wire_call_id DESC LIMIT 1000)",
      provider, model, role, CallOutcome::kAnswered);
  read.Step();
  if (read.Int(0) < kLeast) return std::nullopt;
  return MostUsed{read.Real(1), read.Int(2)};
}

// The part for `tokens`, where `usd` was reserved for `bound` tokens.
double PartFor(std::int64_t tokens, std::int64_t bound, double usd) {
  if (bound == 0) return 0.0;
  return usd * static_cast<double>(std::min(tokens, bound)) /
         static_cast<double>(bound);
}

// None: too few like it were answered.
std::optional<CallUse> Estimate(Connection& connection,
                                const Unknown& unknown) {
  auto most =
      ReadMostUsed(connection, unknown.provider, unknown.model, unknown.role);
  if (!most) {
    most = ReadMostUsed(connection, unknown.provider, unknown.model, {});
  }
  if (!most) return std::nullopt;
  const auto more = [](double tokens) {
    return static_cast<std::int64_t>(std::ceil(kMargin * tokens));
  };
  const auto bytes = static_cast<double>(unknown.request_bytes);
  CallUse use;
  use.input_tokens = more(most->input_tokens_per_byte * bytes);
  use.output_tokens = more(static_cast<double>(most->output_tokens));
  const CallUse& bound = unknown.bound;
  if (bound.usd) {
    use.usd =
        PartFor(use.input_tokens, bound.input_tokens, unknown.input_usd_bound) +
        PartFor(use.output_tokens, bound.output_tokens,
                *bound.usd - unknown.input_usd_bound);
  }
  return use;
}

// No less than is known, and no more than was reserved.
CallUse Within(const CallUse& use, const Unknown& unknown) {
  const auto tokens = [](std::int64_t used, std::int64_t known,
                         std::int64_t bound) {
    return std::max(std::min(used, bound), known);
  };
  CallUse within;
  within.input_tokens = tokens(use.input_tokens, unknown.known.input_tokens,
                               unknown.bound.input_tokens);
  within.output_tokens = tokens(use.output_tokens, unknown.known.output_tokens,
                                unknown.bound.output_tokens);
  within.usd = unknown.known.usd;
  if (use.usd) {
    within.usd = std::max(*use.usd, unknown.known.usd.value_or(0.0));
  }
  return within;
}

Result<Settled> SettleOne(Connection& connection, const Unknown& unknown,
                          const CallUse& use, double now_s) {
  TRY(charge, SettleWireCall(connection, unknown.id, use, now_s));
  return Settled{unknown.call,     unknown.campaign,     charge.before.usd,
                 charge.after.usd, charge.before.tokens, charge.after.tokens};
}

Result<void> CheckNamed(Connection& connection, CallId call) {
  const std::string name = Named(call);
  Statement read = connection.Prepare(
      "SELECT count(*), coalesce(sum(w.outcome = ?), 0),"
      " coalesce(sum(w.is_unsettled), 0) FROM model_call m"
      " LEFT JOIN wire_call w USING (call_id) WHERE m.call_id = ?",
      CallOutcome::kSent, call);
  if (!read.Step() || read.Int(0) == 0) {
    return connection.Missing(name);
  }
  if (read.Int(1) > 0) {
    return connection.FailHere(Errc::kBusy,
                               name +
                                   " is in flight: it will be known what "
                                   "it used when it ends");
  }
  if (read.Int(2) == 0) {
    return connection.FailHere(Errc::kUsage,
                               name + ": it is known what it used, or settled");
  }
  return {};
}

}  // namespace

Result<Settlement> Settle(Database& database, std::span<const CallId> calls,
                          SettleAs as, double now_s) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<Settlement> {
    for (const CallId call : calls) {
      TRY_DONE(CheckNamed(connection, call));
    }
    Settlement settlement;
    for (const Unknown& unknown : ReadUnknown(connection, INFINITY)) {
      const bool is_meant =
          calls.empty() ||
          std::ranges::find(calls, unknown.call) != calls.end();
      if (!is_meant) continue;
      const auto use = as == SettleAs::kNothing ? std::optional(CallUse())
                                                : Estimate(connection, unknown);
      if (!use) {
        settlement.left.push_back(Named(unknown.call) + ": fewer than " +
                                  std::to_string(kLeast) +
                                  " like it were answered, by " +
                                  unknown.provider + ":" + unknown.model);
        continue;
      }
      TRY(settled,
          SettleOne(connection, unknown, Within(*use, unknown), now_s));
      settlement.settled.push_back(std::move(settled));
    }
    return settlement;
  });
}

Result<bool> SettleOld(Connection& connection, double sent_before_s,
                       double now_s) {
  bool is_any = false;
  for (const Unknown& unknown : ReadUnknown(connection, sent_before_s)) {
    const auto use = Estimate(connection, unknown);
    if (!use) continue;
    TRY_DONE(SettleOne(connection, unknown, Within(*use, unknown), now_s));
    is_any = true;
  }
  return is_any;
}

Result<std::optional<std::int64_t>> LongestAnswer(Database& database,
                                                  CallId call) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::optional<std::int64_t>> {
    std::optional<MostUsed> most;
    Statement read = connection.Prepare(
        "SELECT provider, model, role FROM model_call WHERE call_id = ?");
    if (read.Bind(call).Step()) {
      most = ReadMostUsed(connection, read.Text(0), read.Text(1), read.Int(2));
    }
    if (!most) return std::optional<std::int64_t>();
    return std::optional(most->output_tokens);
  });
}

}  // namespace coppice::store
