// How the requests of one call come to the ledger.
#pragma once

#include <optional>

#include "agents/provider/transport_observer.h"
#include "engine/campaign/flight.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice::engine {

class Ledger;

// The requests of one call.  Used by one thread.
class LedgerPage final : public agents::TransportObserver {
 public:
  LedgerPage(Ledger& ledger, CallId call) : ledger_(ledger), call_(call) {}

  Result<agents::WireCallId> BeforeSend(
      const agents::TransportCall& call) override;

  // The end of a request with an answer is held back, to be one transaction
  // with what is made of the answer: a process that dies in between has lost
  // it, and not paid for something that it then forgets to use.
  Result<void> AfterEnd(agents::WireCallId id,
                        const TransportResult& end) override;

  // Whether the last request may have been answered, and billed, unseen.
  bool IsUnsettled() const { return last_ == CallOutcome::kUnknown; }

  // Into the end of the call.
  Flight MoveAnsweredTo(CallEnd& end);

 private:
  Result<void> Flush();

  Ledger& ledger_;
  const CallId call_;
  std::optional<EndedWireCall> answered_;
  CallOutcome last_ = CallOutcome::kFailed;
};

}  // namespace coppice::engine
