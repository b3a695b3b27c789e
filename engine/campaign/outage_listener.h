// Who is told of what a campaign waits for (outages.h).
#pragma once

#include <functional>

namespace coppice::engine {

struct Outage;
class Outages;

// While it lives, `tell` is called, by one thread at a time, from any.
class [[nodiscard]] OutageListener {
 public:
  using Tell = std::function<void(const Outage&)>;

  OutageListener(Outages& outages, Tell tell);
  ~OutageListener();
  OutageListener(const OutageListener&) = delete;
  OutageListener& operator=(const OutageListener&) = delete;

  Outages& outages() const { return outages_; }

 private:
  Outages& outages_;
  Tell before_;
};

}  // namespace coppice::engine
