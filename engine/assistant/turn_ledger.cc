#include "engine/assistant/turn_ledger.h"

#include <utility>

namespace coppice::assistant {

TurnLedger::TurnLedger(store::Database& database, store::TurnOrigin origin,
                       std::optional<double> day_cap_usd,
                       std::function<double()> unix_seconds)
    : turns_(database),
      origin_(std::move(origin)),
      day_cap_usd_(day_cap_usd),
      unix_seconds_(std::move(unix_seconds)) {}

Result<agents::WireCallId> TurnLedger::BeforeSend(
    const agents::TransportCall& call) {
  store::TurnIntent intent;
  intent.origin = origin_;
  intent.provider = call.provider;
  intent.model = call.model;
  if (call.retry_of) {
    intent.retry_of = static_cast<store::TurnId>(*call.retry_of);
  }
  intent.request = call.body;
  intent.input_tokens_bound = call.bound.input_tokens;
  intent.output_tokens_bound = call.bound.output_tokens;
  intent.cost_usd_bound = call.bound.cost_usd;
  intent.sent_at_s = unix_seconds_();
  TRY(turn, turns_.Begin(intent, day_cap_usd_));
  return static_cast<agents::WireCallId>(turn);
}

Result<void> TurnLedger::AfterEnd(agents::WireCallId id,
                                  const TransportResult& told) {
  TransportResult end = told;
  end.ended_at_s = unix_seconds_();
  return turns_.End(static_cast<store::TurnId>(id), end);
}

}  // namespace coppice::assistant
