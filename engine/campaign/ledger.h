// Writes the ledger of requests to providers, and lets none go out that could
// pass a cap.  A request that only waits for others to end, since what they may
// use is reserved, waits; one that would pass a cap by what is used is refused.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "store/records/model_call.h"
#include "store/records/result.h"
#include "store/write/caps.h"

namespace coppice {
struct Directive;
}
namespace coppice::store {
struct CampaignSpec;
class Database;
}  // namespace coppice::store

namespace coppice::engine {

struct CampaignParts;
class Clock;

// The ledger of one campaign; its threads share it.
class Ledger {
 public:
  // `mutex` guards parts.database.
  Ledger(const CampaignParts& parts, std::mutex& mutex);

  // What may be used from now on.  REQUIRES: the caller holds `mutex`, as in
  // what follows.
  const store::Caps& caps() const { return caps_; }
  // Takes the limits that people set for the campaign's own, whichever process
  // heard of them (engine/steering/limits.h).
  void FollowLimits(const std::vector<const Directive*>& in_force,
                    std::set<DirectiveId>& known, store::CampaignSpec& spec);

  // May wait, while other requests of this process are in flight.
  Result<WireCallId> Begin(CallId call, WireIntent intent);
  Result<void> End(EndedWireCall ended);
  // The end of one that was answered has been written, with the call's.
  void Landed();

  double Now() const;

 private:
  void Land();  // REQUIRES: mutex_ is held.

  store::Database& database_;
  const Clock& clock_;
  std::mutex& mutex_;
  store::Caps caps_;
  std::condition_variable landed_;
  int in_flight_ = 0;           // Guarded by mutex_, as is
  std::uint64_t landings_ = 0;  // how many have ended.
};

}  // namespace coppice::engine
