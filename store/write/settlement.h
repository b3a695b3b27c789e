// Requests to providers whose outcome nobody learns any more: they were under
// way when their process died.  They count against caps with all that they may
// have used, until they are settled to count as something less.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/ids.h"

namespace coppice::store {

class Connection;

enum class SettleAs {
  // A quarter more than the most that a request to the same model used, for
  // each byte of it and in its answer, of the last 1,000 that were answered; at
  // most what was reserved.  Those of the same role, or if they are too few of
  // all.  Dollars are what so many tokens cost by the prices of the reserve.
  kEstimate,
  kNothing,  // No more than is known of it.
};

struct Settled {
  CallId call{};
  std::string campaign;
  double usd_before = 0.0;  // That it counted as,
  double usd = 0.0;         // and counts as from now on.
  std::int64_t tokens_before = 0;
  std::int64_t tokens = 0;
};

struct Settlement {
  std::vector<Settled> settled;
  std::vector<std::string> left;  // Why others could not be, a line each.
};

// Those of `calls`; empty: of all calls of the file.  kBusy if one named is
// still in flight, kUsage if nothing is unknown of it.
Result<Settlement> Settle(Database& database, std::span<const CallId> calls,
                          SettleAs as, double now_s);

// In tokens, of the last 1,000 answers of the model that was called to agents
// of its role.  None: there are fewer than five.
Result<std::optional<std::int64_t>> LongestAnswer(Database& database,
                                                  CallId call);

// Settles by estimate those that were sent before `sent_before_s`, and says
// whether there were any.  Private to this folder.  REQUIRES: the caller is
// inside Connection::Write.
Result<bool> SettleOld(Connection& connection, double sent_before_s,
                       double now_s);

}  // namespace coppice::store
