// Whoever is told of every call that a transport makes: a ledger.
//
// One Model::Complete() is one or more such calls, the later ones retries.
// Each is announced before its first byte leaves, so that the observer can make
// it durable or refuse it, and reported when it has ended, however it did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agents/provider/bound.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice::agents {

// Names an announced call in AfterEnd() and in a retry of it; the observer
// chooses it.
using WireCallId = std::int64_t;

struct TransportCall {
  Role role = Role::kPlan;
  std::string_view provider;  // Views are valid during BeforeSend().
  std::string_view model;
  std::string_view body;  // What is sent, without headers: it holds no key.
  SentSampling sampling;  // That the body says.
  std::int64_t sample_index = 0;
  std::optional<WireCallId> retry_of;  // The call before it, which failed.
  Bound bound;                         // To be reserved.
};

class TransportObserver {
 public:
  virtual ~TransportObserver() = default;

  // The call goes out once this has returned a name for it, and not if it
  // returns an error (a cap is reached): Complete() then ends with that error.
  virtual Result<WireCallId> BeforeSend(const TransportCall& call) = 0;

  // Once for every name that BeforeSend() gave, by the same thread, before
  // Complete() returns or the next call is announced.  An error ends
  // Complete(), so that nothing goes on unrecorded.
  virtual Result<void> AfterEnd(WireCallId id, const TransportResult& end) = 0;
};

}  // namespace coppice::agents
