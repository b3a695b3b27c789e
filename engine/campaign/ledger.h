// Writes the ledger of requests to providers, and lets none go out that could
// pass a cap.  A request that only waits for others to end, since what they may
// use is reserved, waits; one that would pass a cap by what is used is refused.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "agents/provider/transport_observer.h"
#include "store/records/model_call.h"
#include "store/write/wire_calls.h"

namespace coppice::engine {

struct CampaignParts;

// The ledger of one campaign; its threads share it.
class Ledger {
 public:
  // `mutex` guards parts.database.
  Ledger(const CampaignParts& parts, std::mutex& mutex);

  // What the campaign may use from now on.  REQUIRES: the caller holds `mutex`.
  const store::Cap& cap() const { return caps_.campaign; }
  void SetCap(const store::Cap& cap);

  // May wait, while other requests of this process are in flight.
  Result<WireCallId> Begin(CallId call, WireIntent intent);
  Result<void> End(EndedWireCall ended);
  // The end of one that was answered has been written, with the call's.
  void Landed();

  double Now() const;

 private:
  void Land();  // REQUIRES: mutex_ is held.

  const CampaignParts& parts_;
  std::mutex& mutex_;
  store::Caps caps_;
  std::condition_variable landed_;
  int in_flight_ = 0;           // Guarded by mutex_, as is
  std::uint64_t landings_ = 0;  // how many have ended.
};

// A request that was answered, until its end has been written: on its end those
// who wait for it may go on.  Not while the ledger's mutex is held.
class Flight {
 public:
  Flight() = default;
  explicit Flight(Ledger& ledger) : ledger_(&ledger) {}
  ~Flight() {
    if (ledger_ != nullptr) ledger_->Landed();
  }
  Flight(Flight&& other) noexcept
      : ledger_(std::exchange(other.ledger_, nullptr)) {}
  Flight& operator=(Flight&& other) noexcept {
    std::swap(ledger_, other.ledger_);
    return *this;
  }

 private:
  Ledger* ledger_ = nullptr;
};

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
