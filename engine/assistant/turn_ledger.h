// Writes each request of the assistant's down before it leaves, and how it
// ended, and lets none go out that could pass the cap of its day.
#pragma once

#include <functional>
#include <optional>

#include "agents/provider/transport_observer.h"
#include "store/write/assistant_turns.h"

namespace coppice::assistant {

// Books what one question costs.  Used by one thread.
class TurnLedger final : public agents::TransportObserver {
 public:
  // `database` outlives it.  `unix_seconds` is the time now.
  TurnLedger(store::Database& database, store::TurnOrigin origin,
             std::optional<double> day_cap_usd,
             std::function<double()> unix_seconds);

  Result<agents::WireCallId> BeforeSend(
      const agents::TransportCall& call) override;
  Result<void> AfterEnd(agents::WireCallId id,
                        const TransportResult& end) override;

  const store::TurnOrigin& origin() const { return origin_; }

 private:
  store::AssistantTurns turns_;
  const store::TurnOrigin origin_;
  const std::optional<double> day_cap_usd_;
  const std::function<double()> unix_seconds_;
};

}  // namespace coppice::assistant
