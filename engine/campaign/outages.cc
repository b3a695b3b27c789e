#include "engine/campaign/outages.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "agents/provider/timer.h"
#include "engine/campaign/short_text.h"
#include "store/records/formatted.h"

namespace coppice::engine {
namespace {

constexpr double kFirstTold_s = 5.0;
constexpr double kToldEvery_s = 60.0;
constexpr double kLong_s = 60.0;
// What was in the way for less may be gone before anybody minds.
constexpr double kPatienceOfStopping_s = 1.0;

// Between tries: a lock is mostly gone soon, a disk is not.
constexpr double kGlance_s = 0.05;
constexpr double kLook_s = 1.0;

}  // namespace

std::string OutageText(const Outage& outage) {
  if (outage.at_most_s) {
    const std::string limit = Formatted("%.3g", *outage.at_most_s);
    return outage.what + "; waiting for up to " + limit +
           " s in all, and then measuring anyway, with wider intervals";
  }
  return outage.what + "; waiting for " + ClockText(outage.lasts_s) +
         " now, and going on by itself once that is over (Ctrl-C stops it, "
         "and nothing is lost)";
}

bool Outages::Wait(const Error& error) {
  holds_up_store_ = true;
  return Endure(Place::kStore, error.what);
}

void Outages::GoOn() {
  End(Place::kStore);
  holds_up_store_ = false;
}

bool Outages::WaitForRoom(const std::string& what) {
  return Endure(Place::kDisk, what);
}

void Outages::FindRoom() { End(Place::kDisk); }

void Outages::MeetSilence(const std::string& what) {
  Note(Place::kModel, what);
}

void Outages::PauseInSilence(const std::string& what, double seconds,
                             const std::atomic<bool>& is_vain) {
  Note(Place::kModel, what);
  for (double left_s = seconds; left_s > 0; left_s -= kLook_s) {
    timer_.Wait(std::min(left_s, kLook_s), &stop_);
    if (stop_.load() || is_vain.load() || !Lasts(Place::kModel)) return;
    Note(Place::kModel, what);
  }
}

void Outages::HearAnswer() { End(Place::kModel); }

bool Outages::MeetNoise(const std::string& what, double at_most_s) {
  Note(Place::kMachine, what, at_most_s);
  return !stop_.load();
}

void Outages::FindQuiet() { End(Place::kMachine); }

// False: whoever is to stop has waited long enough.
bool Outages::Endure(Place place, const std::string& what) {
  const double lasts_s = Note(place, what);
  const bool stops = stop_.load();
  if (stops && lasts_s >= kPatienceOfStopping_s) return false;
  const bool is_quick = stops || lasts_s < kFirstTold_s;
  timer_.Wait(is_quick ? kGlance_s : kLook_s, stops ? nullptr : &stop_);
  return true;
}

double Outages::Note(Place place, const std::string& what,
                     std::optional<double> at_most_s) {
  const std::lock_guard lock(mutex_);
  const double now_s = timer_.Monotonic();
  std::optional<State>& state = states_.at(static_cast<std::size_t>(place));
  if (!state) state = State{.since_s = now_s, .told_s = {}, .was_news = false};
  const double lasts_s = now_s - state->since_s;
  // What ends by itself, and soon, is told of before it has.
  std::optional<double>& told_s = at_most_s ? told_of_noise_s_ : state->told_s;
  const double first_s = at_most_s ? 0.0 : kFirstTold_s;
  const bool is_due =
      told_s ? now_s - *told_s >= kToldEvery_s : lasts_s >= first_s;
  if (!is_due) return lasts_s;
  told_s = now_s;
  const bool is_long = lasts_s >= kLong_s;
  const bool is_news = is_long && !std::exchange(state->was_news, is_long);
  if (tell_) tell_({what, lasts_s, is_news, at_most_s});
  return lasts_s;
}

void Outages::End(Place place) {
  const std::lock_guard lock(mutex_);
  states_.at(static_cast<std::size_t>(place)).reset();
}

bool Outages::Lasts(Place place) {
  const std::lock_guard lock(mutex_);
  return states_.at(static_cast<std::size_t>(place)).has_value();
}

}  // namespace coppice::engine
