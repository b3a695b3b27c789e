// The ledger of requests to providers: a row before each is sent and after it
// ends, and caps that no request may pass.
#pragma once

#include <cstdint>
#include <optional>

#include "store/database.h"
#include "store/records/model_call.h"
#include "store/write/caps.h"

namespace coppice::store {

class Connection;

class WireCalls {
 public:
  explicit WireCalls(Database& database) : database_(database) {}

  // kSpent, and no row, if a cap would be passed should it use all it may;
  // kLost if the attempt of the call was taken over.
  Result<WireCallId> Begin(CallId call, const WireIntent& intent,
                           const Caps& caps);

  // Ends a call that brought no answer: one that did is ended with the call it
  // is for (CallEnd::wire).  One whose outcome was unknown so far, since its
  // attempt was taken over, is known from now on.
  Result<void> End(const EndedWireCall& ended);

 private:
  Database& database_;
};

// What counts against caps.
struct Amount {
  std::int64_t tokens = 0;
  double usd = 0.0;
};
// What a campaign has used.
Result<Amount> ReadUsed(Database& database, CampaignId campaign);

// The rest is private to this folder.  REQUIRES: the caller is inside
// Connection::Write.

Result<void> EndWireCall(Connection& connection, const EndedWireCall& ended);

struct CallUse {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<double> usd;  // Unset: no price is known.
};

struct Charge {
  Amount before;
  Amount after;
};

// Has one of unknown outcome count as `use`.
Result<Charge> SettleWireCall(Connection& connection, WireCallId call,
                              const CallUse& use, double now_s);

}  // namespace coppice::store
