// What a campaign waits for because only others can mend it: a lock that
// another process holds on the database, a disk without room, a provider that
// gives no answer.  Whoever listens is told of each after five seconds, and
// then once a minute.  A machine that is not quiet is waited for with a limit,
// and told of at once, but once a minute at most, however often that is.
//
// No fault of the outside ends a campaign.  What is one is decided where it is
// met, by the Errc that it becomes: kBusy and kFull in the store, kFull in an
// evaluation, kUnanswered of a language model (engine/campaign/ask.cc).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include "store/patience.h"
#include "store/records/result.h"

namespace coppice::agents {
class Timer;
}

namespace coppice::engine {

struct Outage {
  std::string what;      // "x.db: locked by another process"
  double lasts_s = 0.0;  // So far.
  bool is_news = false;  // That it has lasted for a minute.
  // What is waited for has this limit, after which it goes on as it is.
  std::optional<double> at_most_s{};
};

// "x.db: locked by another process; waiting for 1:10 now, and going on by
// itself once that is over (Ctrl-C stops it, and nothing is lost)"; "this
// machine is not quiet: 3 others run; waiting for up to 2 s in all, and then
// measuring anyway, with wider intervals"
std::string OutageText(const Outage& outage);

// Safe to use from several threads.
class Outages final : public store::Patience {
 public:
  // Both outlive it.  Once `stop` is true, what has lasted for a second is not
  // waited for any longer.
  Outages(agents::Timer& timer, const std::atomic<bool>& stop)
      : timer_(timer), stop_(stop) {}

  using Tell = std::function<void(const Outage&)>;

  // The database's.
  bool Wait(const Error& error) override;
  void GoOn() override;

  // The database is waited for.
  bool HoldsUpStore() const { return holds_up_store_.load(); }

  // Something that is no database has no room.
  bool WaitForRoom(const std::string& what);
  void FindRoom();

  // A language model gives no answer; and waits for one that long, or until
  // another has come, or `is_vain`.
  void MeetSilence(const std::string& what);
  void PauseInSilence(const std::string& what, double seconds,
                      const std::atomic<bool>& is_vain);
  void HearAnswer();

  // Measuring waits, so long at most in all, unless it is told false; and goes
  // on.
  bool MeetNoise(const std::string& what, double at_most_s);
  void FindQuiet();

 private:
  friend class OutageListener;

  enum class Place : std::uint8_t { kStore, kDisk, kModel, kMachine };
  struct State {
    double since_s = 0.0;
    std::optional<double> told_s;  // When last.
    bool was_news = false;
  };
  bool Endure(Place place, const std::string& what);
  // For how long it lasts.
  double Note(Place place, const std::string& what,
              std::optional<double> at_most_s = std::nullopt);
  void End(Place place);
  bool Lasts(Place place);

  agents::Timer& timer_;
  const std::atomic<bool>& stop_;
  std::atomic<bool> holds_up_store_{false};
  std::mutex mutex_;                            // Guards what follows.
  std::array<std::optional<State>, 4> states_;  // By place.
  std::optional<double> told_of_noise_s_;       // When last.
  Tell tell_;
};

// Does `work` again for as long as it has no room on a disk.
template <class Work>
std::invoke_result_t<Work> WithRoom(Outages* outages, Work&& work) {
  for (bool waited = false;; waited = true) {
    auto done = work();
    if (outages == nullptr || done || done.error().code != Errc::kFull) {
      if (waited) outages->FindRoom();
      return done;
    }
    if (!outages->WaitForRoom(done.error().what)) {
      return Fail(Errc::kCancelled, done.error().what);
    }
  }
}

}  // namespace coppice::engine
