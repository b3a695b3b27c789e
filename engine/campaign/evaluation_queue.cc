#include "engine/campaign/evaluation_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "store/kernel_hash.h"
#include "store/records/evaluation.h"
#include "store/records/formatted.h"

namespace coppice::engine {
namespace {

constexpr double kFirstAside_s = 30.0;
constexpr double kLongestAside_s = 1800.0;

// How often one looks, by the clock, whether a device is aside no longer.
constexpr std::chrono::milliseconds kLookEvery(100);

}  // namespace

EvaluationQueue::EvaluationQueue(std::vector<Station> stations,
                                 const Clock& clock, Options options)
    : clock_(clock), options_(std::move(options)) {
  for (Station& station : stations) {
    seats_.push_back({.station = std::move(station)});
  }
}

EvaluationTurn::~EvaluationTurn() {
  {
    const std::scoped_lock lock(queue_.mutex_);
    queue_.Leave(queue_.Find(ticket_));
    std::erase_if(queue_.tickets_,
                  [this](const EvaluationQueue::Ticket& ticket) {
                    return ticket.number == ticket_;
                  });
    queue_.Serve();
  }
  queue_.served_.notify_all();
}

Result<Evaluation> EvaluationTurn::Evaluate(const Task& task,
                                            const Candidate& candidate,
                                            Tier tier) {
  while (true) {
    eval::Evaluator* const own = queue_.Own(ticket_);
    if (own == nullptr) {
      return Fail(Errc::kCancelled, "evaluation: cancelled");
    }
    auto evaluation = own->Evaluate(task, candidate, tier);
    if (evaluation || evaluation.error().code != Errc::kUnavailable ||
        !queue_.MoveOn(ticket_, evaluation.error().what, stop_)) {
      return evaluation;
    }
  }
}

EvaluationTurn EvaluationQueue::Wait(const Task& task,
                                     const Candidate& candidate,
                                     const std::stop_token& stop) {
  const std::uint64_t kernel = store::KernelHash(candidate);
  std::unique_lock lock(mutex_);
  const std::uint64_t number = given_++;
  tickets_.push_back({.number = number, .kernel = kernel});
  Serve();
  if (!Find(number).seat) {
    eval::Evaluator& any = *seats_.front().station.evaluator;
    lock.unlock();
    any.Prepare(task, candidate);
    lock.lock();
  }
  AwaitSeat(lock, number, stop);
  return {*this, number, stop};
}

eval::Evaluator* EvaluationQueue::Own(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  const auto seat = Find(number).seat;
  return seat ? seats_[*seat].station.evaluator : nullptr;
}

// From a seat that failed to another one, for which it waits; false if there is
// none that has not failed.
bool EvaluationQueue::MoveOn(std::uint64_t number, const std::string& why,
                             const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  Ticket& ticket = Find(number);
  ticket.failed.push_back(*ticket.seat);
  if (ticket.failed.size() == seats_.size()) return false;
  SetAside(seats_[*ticket.seat], why);
  Leave(ticket);
  Serve();
  served_.notify_all();
  AwaitSeat(lock, number, stop);
  return true;
}

// Who leaves a device serves whoever waits; but nobody leaves one that was set
// aside.
void EvaluationQueue::AwaitSeat(std::unique_lock<std::mutex>& lock,
                                std::uint64_t number,
                                const std::stop_token& stop) {
  const auto has_seat = [&] { return Find(number).seat.has_value(); };
  if (seats_.size() == 1) {
    served_.wait(lock, stop, has_seat);
    return;
  }
  while (!served_.wait_for(lock, stop, kLookEvery, has_seat) &&
         !stop.stop_requested()) {
    Serve();
    served_.notify_all();
  }
}

EvaluationQueue::Ticket& EvaluationQueue::Find(std::uint64_t number) {
  return *std::ranges::find(tickets_, number, &Ticket::number);
}

void EvaluationQueue::Serve() {
  for (Ticket& ticket : tickets_) {
    if (ticket.seat || IsEqualJudged(ticket)) continue;
    ticket.seat = SeatFor(ticket);
    if (ticket.seat) seats_[*ticket.seat].is_taken = true;
  }
}

bool EvaluationQueue::IsEqualJudged(const Ticket& ticket) const {
  return std::ranges::any_of(tickets_, [&](const Ticket& other) {
    return other.number < ticket.number && other.kernel == ticket.kernel;
  });
}

// The first device in use that is free, rather one that nobody else measures
// on.  If all are aside, the one that comes back first.
std::optional<std::size_t> EvaluationQueue::SeatFor(const Ticket& ticket) {
  std::optional<std::size_t> shared;
  std::optional<std::size_t> aside;
  bool is_one_in_use = false;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    Seat& seat = seats_[i];
    if (std::ranges::find(ticket.failed, i) != ticket.failed.end()) continue;
    if (IsAside(seat)) {
      const bool is_sooner =
          !aside || seat.aside_until_s < seats_[*aside].aside_until_s;
      if (!seat.is_taken && is_sooner) aside = i;
      continue;
    }
    if (!seat.is_taken) {
      const eval::Use use = UseOf(seat);
      if (use == eval::Use::kNone) return i;
      if (use == eval::Use::kForeign && HasOthers(i)) {
        SetAside(seat, "others keep it busy");
        continue;
      }
      if (!shared) shared = i;
    }
    is_one_in_use = true;
  }
  if (shared) return shared;
  return is_one_in_use ? std::nullopt : aside;
}

// The only one is taken as it is.
eval::Use EvaluationQueue::UseOf(const Seat& seat) const {
  if (seats_.size() == 1) return eval::Use::kNone;
  return options_.use_of(seat.station.device);
}

bool EvaluationQueue::HasOthers(std::size_t seat) const {
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (i != seat && !IsAside(seats_[i])) return true;
  }
  return false;
}

bool EvaluationQueue::IsAside(const Seat& seat) const {
  return clock_.Monotonic() < seat.aside_until_s;
}

void EvaluationQueue::SetAside(Seat& seat, const std::string& why) {
  seat.pause_s = seat.pause_s == 0.0
                     ? kFirstAside_s
                     : std::min(2.0 * seat.pause_s, kLongestAside_s);
  seat.aside_until_s = clock_.Monotonic() + seat.pause_s;
  if (!options_.tell) return;
  const std::string pause =
      Formatted(" is set aside for %.0f s: ", seat.pause_s);
  options_.tell(seat.station.device + pause + why);
}

void EvaluationQueue::Leave(Ticket& ticket) {
  if (!ticket.seat) return;  // It was cancelled before it had one.
  Seat& seat = seats_[*ticket.seat];
  if (!IsAside(seat)) seat.pause_s = 0.0;
  seat.is_taken = false;
  if (seats_.size() > 1) options_.leave(seat.station.device);
  ticket.seat.reset();
}

}  // namespace coppice::engine
