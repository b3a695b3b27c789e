// A retrying model makes a Model of a Transport: it waits for its turn, tries
// again what may go well later, and tells the request's observer of every call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "agents/provider/model.h"
#include "agents/provider/throttle.h"
#include "agents/provider/timer.h"
#include "agents/provider/transport.h"

namespace coppice::agents {

struct RetryOptions {
  // One Complete() takes at most so long, with its tries and the waits between
  // them, but without the wait for a turn.  A wait that would outlast it is not
  // begun.
  double timeout_s = 600;
  // Calls after the first; unset: as many as there is time for, but only five
  // of those whose answer was cut, since each may be billed.  One that only
  // changes what is sent does not count.
  std::optional<int> max_retries{};
  std::uint64_t seed = 0;  // Of the jitter.
};

// Before retry k = 0, 1, ...: a random part of min(60, 0.5 * 2^k) seconds, so
// that those who were refused together do not return together (full jitter:
// Brooker 2015), but no less than the provider asks for.
//
// Its errors: kUsage (key, model, URL or parameter is wrong, or the money is
// gone: never tried again), kBusy (throttled), kTimeout, kUnavailable (network,
// 5xx, a reply that is none of a model), kFull (no room for what a command
// needs), kCancelled, and the observer's.
//
// `throttle` is shared by all couriers to a provider; `timer` outlives it.
std::unique_ptr<Model> MakeRetryingModel(std::unique_ptr<Transport> transport,
                                         std::shared_ptr<Throttle> throttle,
                                         Timer& timer, RetryOptions options);

}  // namespace coppice::agents
