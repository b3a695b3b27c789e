#include "engine/campaign/ledger.h"

#include "engine/campaign/campaign_parts.h"
#include "engine/process/clock.h"
#include "engine/steering/limits.h"
#include "store/write/wire_calls.h"

namespace coppice::engine {

Ledger::Ledger(const CampaignParts& parts, std::mutex& mutex)
    : database_(parts.database),
      clock_(parts.clock),
      mutex_(mutex),
      caps_(parts.caps) {}

double Ledger::Now() const { return clock_.UnixSeconds(); }

Result<WireCallId> Ledger::Begin(CallId call, WireIntent intent) {
  std::unique_lock lock(mutex_);
  for (;;) {
    intent.sent_at_s = Now();
    auto begun = store::WireCalls(database_).Begin(call, intent, caps_);
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
void Ledger::FollowLimits(const std::vector<const Directive*>& in_force,
                          std::set<DirectiveId>& known,
                          store::CampaignSpec& spec) {
  const store::Cap before = caps_.campaign;
  engine::FollowLimits(in_force, known, spec, caps_.campaign);
  if (caps_.campaign == before) return;
  ++landings_;
  landed_.notify_all();
}

Result<void> Ledger::End(EndedWireCall ended) {
  const std::lock_guard lock(mutex_);
  Land();
  ended.end.ended_at_s = Now();
  return store::WireCalls(database_).End(ended);
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

}  // namespace coppice::engine
