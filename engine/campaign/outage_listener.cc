#include "engine/campaign/outage_listener.h"

#include <mutex>
#include <utility>

#include "engine/campaign/outages.h"

namespace coppice::engine {

OutageListener::OutageListener(Outages& outages, Tell tell)
    : outages_(outages), before_(std::move(tell)) {
  const std::lock_guard lock(outages_.mutex_);
  std::swap(before_, outages_.tell_);
}

OutageListener::~OutageListener() {
  const std::lock_guard lock(outages_.mutex_);
  outages_.tell_ = std::move(before_);
}

}  // namespace coppice::engine
