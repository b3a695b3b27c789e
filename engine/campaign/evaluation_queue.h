// Attempts that run at the same time take turns at the devices: each can only
// be measured on alone.  Who came first is served first, by the first device
// that is free, so no attempt starves, and keeps it for its proof.  Who waits
// has its candidate prepared meanwhile.
//
// While a kernel is judged nobody else is served who brings an equal one: he
// finds it committed then.
//
// A device that fails, or that strangers keep busy, is set aside for half a
// minute, then for twice as long each time, and the others go on.  Who waits is
// given it once that is over.  The last one is not set aside for strangers, and
// what all fail at is an error.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/campaign/station.h"
#include "eval/host/devices.h"
#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Evaluation;
struct Task;
enum class Tier : std::uint8_t;
}  // namespace coppice
namespace coppice::eval {
class Evaluator;
}

namespace coppice::engine {

class Clock;
class EvaluationQueue;

// So often a node is evaluated until it is decided.
inline constexpr std::int64_t kMostEvaluations = 4;

// A candidate's turn at a device; it ends with its life.
class EvaluationTurn {
 public:
  ~EvaluationTurn();
  EvaluationTurn(const EvaluationTurn&) = delete;
  EvaluationTurn& operator=(const EvaluationTurn&) = delete;

  // On the same device each time, unless that fails: then on another.
  // kCancelled, if who waited for the turn was before it came.
  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier);

 private:
  friend class EvaluationQueue;
  EvaluationTurn(EvaluationQueue& queue, std::uint64_t ticket,
                 std::stop_token stop)
      : queue_(queue), ticket_(ticket), stop_(std::move(stop)) {}
  EvaluationQueue& queue_;
  std::uint64_t ticket_;
  std::stop_token stop_;
};

class EvaluationQueue {
 public:
  struct Options {
    std::function<eval::Use(const std::string& device)> use_of = eval::UseOf;
    std::function<void(const std::string& device)> leave = eval::LeaveDevice;
    // Is given a line for each device that is set aside, by any thread.
    std::function<void(const std::string& line)> tell{};
  };

  // REQUIRES: there is a station.
  EvaluationQueue(std::vector<Station> stations, const Clock& clock,
                  Options options);

  // May be called from several threads at once.  Once `stop` is requested
  // nobody is waited for, and the turn is none.
  EvaluationTurn Wait(const Task& task, const Candidate& candidate,
                      const std::stop_token& stop = {});

 private:
  friend class EvaluationTurn;
  struct Seat {
    Station station;
    bool is_taken = false;
    double aside_until_s = 0.0;  // By the clock's Monotonic(), and
    double pause_s = 0.0;        // for how long; 0: it did well last.
  };
  struct Ticket {
    std::uint64_t number = 0;
    std::uint64_t kernel = 0;           // Hash.
    std::optional<std::size_t> seat{};  // Its own now.
    std::vector<std::size_t> failed{};  // Seats that it is not given again.
  };

  // REQUIRES, of all that follow: mutex_ is held.
  Ticket& Find(std::uint64_t number);
  void Serve();
  void AwaitSeat(std::unique_lock<std::mutex>& lock, std::uint64_t number,
                 const std::stop_token& stop);
  std::optional<std::size_t> SeatFor(const Ticket& ticket);
  bool IsEqualJudged(const Ticket& ticket) const;
  eval::Use UseOf(const Seat& seat) const;
  bool HasOthers(std::size_t seat) const;
  bool IsAside(const Seat& seat) const;
  void SetAside(Seat& seat, const std::string& why);
  void Leave(Ticket& ticket);

  // Not of these two.
  eval::Evaluator* Own(std::uint64_t number);  // Null: it has no seat.
  bool MoveOn(std::uint64_t number, const std::string& why,
              const std::stop_token& stop);

  const Clock& clock_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable_any served_;
  std::vector<Seat> seats_;      // Guarded by mutex_, as are
  std::vector<Ticket> tickets_;  // those who wait or are served, as they came,
  std::uint64_t given_ = 0;      // and how many there were.
};

}  // namespace coppice::engine
