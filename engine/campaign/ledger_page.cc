#include "engine/campaign/ledger_page.h"

#include <string>
#include <utility>

#include "engine/campaign/ledger.h"

namespace coppice::engine {

Flight::~Flight() {
  if (ledger_ != nullptr) ledger_->Landed();
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
