// What all share who ask agents for a campaign.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "store/records/ids.h"

namespace coppice::engine {

class Flag;
class Ledger;
class LiveTree;
class Outages;

struct AgentContext {
  LiveTree& live_tree;
  Ledger& ledger;
  // Once it is true, calls to language models that are under way end with
  // kCancelled within a second, and none begins.  May be null.
  const std::atomic<bool>* cancel = nullptr;
  // Told, while an answer comes, about how many tokens of it have, and 0 when
  // it comes no more.  Called without the live tree's mutex.
  std::function<void(CallId call, std::int64_t tokens)> heard;
  Outages* outages = nullptr;  // May be null.
  std::int64_t budget = 0;     // In attempts; 0: not known.
  // What is evaluated ends with kCancelled once `stop` is requested, by this
  // flag of who evaluates.  Null: it does not.
  Flag* cut = nullptr;
  std::stop_token stop{};
};

}  // namespace coppice::engine
