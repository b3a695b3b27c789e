#include "engine/campaign/ledger.h"

#include <string>
#include <utility>

#include "engine/campaign/campaign_parts.h"
#include "engine/process/clock.h"

namespace coppice::engine {

Ledger::Ledger(const CampaignParts& parts, std::mutex& mutex)
    : parts_(parts), mutex_(mutex), caps_(parts.caps) {}

double Ledger::Now() const { return parts_.clock.UnixSeconds(); }

Result<WireCallId> Ledger::Begin(CallId call, WireIntent intent) {
  std::unique_lock lock(mutex_);
  for (;;) {
    intent.sent_at_s = Now();
    auto begun = store::WireCalls(parts_.database).Begin(call, intent, caps_);
    if (begun) {
      ++in_flight_;
      return begun;
    }
    if (begun.error().code != Errc::kSpent || in_flight_ == 0) return begun;
    const std::uint64_t before = landings_;
    landed_.wait(lock, [&] { return landings_ != before; });
  }
}

// Who waits for others to end looks again.
void Ledger::SetCap(const store::Cap& cap) {
  caps_.campaign = cap;
  ++landings_;
  landed_.notify_all();
}

Result<void> Ledger::End(EndedWireCall ended) {
  const std::lock_guard lock(mutex_);
  Land();
  ended.end.ended_at_s = Now();
  return store::WireCalls(parts_.database).End(ended);
}

void Ledger::Landed() {
  const std::lock_guard lock(mutex_);
  Land();
}

void Ledger::Land() {
  --in_flight_;
  ++landings_;
  landed_.notify_all();
}

Result<agents::WireCallId> LedgerPage::BeforeSend(
    const agents::TransportCall& call) {
  TRY_DONE(Flush());
  WireIntent intent;
  intent.request = std::string(call.body);
  if (call.retry_of) intent.retry_of = WireCallId{*call.retry_of};
  intent.sampling = call.sampling;
  intent.input_tokens_bound = call.bound.input_tokens;
  intent.output_tokens_bound = call.bound.output_tokens;
  intent.cost_usd_bound = call.bound.cost_usd;
  intent.input_usd_bound = call.bound.input_usd;
  TRY(id, ledger_.Begin(call_, std::move(intent)));
  return Index(id);
}

Result<void> LedgerPage::AfterEnd(agents::WireCallId id,
                                  const TransportResult& end) {
  EndedWireCall ended;
  last_ = end.outcome;
  ended.call = WireCallId{id};
  ended.end = end;
  if (end.outcome != CallOutcome::kAnswered) {
    return ledger_.End(std::move(ended));
  }
  answered_ = std::move(ended);
  return {};
}

// Another request was needed after an answer.
Result<void> LedgerPage::Flush() {
  if (!answered_) return {};
  return ledger_.End(*std::exchange(answered_, std::nullopt));
}

Flight LedgerPage::MoveAnsweredTo(CallEnd& end) {
  if (!answered_) return {};
  end.wire = std::exchange(answered_, std::nullopt);
  end.wire->end.ended_at_s = end.ended_at_s;
  return Flight(ledger_);
}

}  // namespace coppice::engine
