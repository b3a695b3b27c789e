// A request that was answered, as its ledger waits for it.
#pragma once

#include <utility>

namespace coppice::engine {

class Ledger;

// A request that was answered, until its end has been written: on its end those
// who wait for it may go on.  Not while the ledger's mutex is held.
class Flight {
 public:
  Flight() = default;
  explicit Flight(Ledger& ledger) : ledger_(&ledger) {}
  ~Flight();
  Flight(Flight&& other) noexcept
      : ledger_(std::exchange(other.ledger_, nullptr)) {}
  Flight& operator=(Flight&& other) noexcept {
    std::swap(ledger_, other.ledger_);
    return *this;
  }

 private:
  Ledger* ledger_ = nullptr;
};

}  // namespace coppice::engine
