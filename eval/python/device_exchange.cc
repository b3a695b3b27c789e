#include "eval/python/device_exchange.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "eval/waiting.h"
#include "store/records/evaluation.h"

namespace coppice::eval::python {
namespace {

constexpr std::size_t kSides = 2;
constexpr int kRehearsals = 7;
constexpr std::size_t kRemembered = 63;
// What a clock is read for, at least: long beside what wakes a process.
constexpr double kEnoughSeconds = 4e-3;
constexpr std::uint32_t kFewSets = 4;
constexpr int kSettlesAt = 2;  // Of the root's calls: the first is cold.

struct Bracketed {
  Reaction reaction;
  double whole_s = 0.0;
  bool reuses = false;  // Memory that it returned.
};

// The latest of them.
void Remember(double seconds, std::vector<double>& into) {
  if (into.size() == kRemembered) into.erase(into.begin());
  into.push_back(seconds);
}

std::size_t Index(Side side) { return static_cast<std::size_t>(side); }

class DeviceExchange : public Exchange {
 public:
  DeviceExchange(Problem& problem, std::vector<SharedLayout> layouts)
      : problem_(problem),
        layouts_(std::move(layouts)),
        sets_(layouts_[0].sets),
        used_(sets_) {}

  Result<void> Join(Contestant& contestant, Side side) override {
    const SharedLayout& inputs = layouts_[Index(side)];
    const SharedLayout& outputs = layouts_[kSides + Index(side)];
    // First: what is left of another's memory is let go.
    TRY_DONE(problem_.Watch(Index(side), contestant.notes()));
    TRY_DONE(
        contestant.Map(RequestKind::kMap, inputs.order, inputs.memory.get()));
    TRY_DONE(contestant.Map(RequestKind::kLend, outputs.order,
                            outputs.memory.get()));
    used_ = sets_;
    copies_[Index(side)] = false;
    if (side == Side::kRoot) root_ = &contestant;
    return Rehearse(contestant, side, kRehearsals);
  }

  Result<void> Fill(std::uint64_t seed, std::uint32_t variant,
                    Calls calls) override {
    used_ = calls == Calls::kTimed ? sets_ : std::min(sets_, kFewSets);
    // Of as many as are timed; only where no code of a candidate's is; and not
    // right before a call, which would find more at hand than the other's.
    if (root_ != nullptr && used_ == sets_) {
      TRY_DONE(
          Rehearse(*root_, Side::kRoot, once_s_.empty() ? kRehearsals : 1));
    }
    RandomStream own(seed, Purpose::kInputs, 0);
    for (std::uint32_t set = 0; set < used_; ++set) {
      TRY_DONE(problem_.Draw(set == 0 ? seed : own.NextU64(), set, variant));
    }
    return {};
  }

  Result<Reaction> Call(Contestant& contestant, Side side, RequestKind kind,
                        std::uint64_t seed) override {
    bool& copies = copies_[Index(side)];
    Request request{.kind = kind, .slot = copies ? 1u : 0u, .seed = seed};
    TRY(bracketed, Bracket(contestant, side, request));
    if (bracketed.reuses && bracketed.reaction.verdict == Verdict::kPassed) {
      // What all but the last returned is gone.  Who would keep a result would
      // have to copy it: it is no part of the call to leave that to others.
      copies = true;
      request.slot = 1;
      TRY(again, Bracket(contestant, side, request));
      bracketed = std::move(again);
      bracketed.reaction.is_unsettled = true;
    }
    Reaction& reaction = bracketed.reaction;
    reaction.copies = copies;
    reaction.calls = used_;
    reaction.call_s = reaction.wall_s / used_;
    if (once_s_.empty()) {  // What is beside it is known by the next inputs.
      reaction.is_unsettled = true;
      return reaction;
    }
    const double launch_s = std::max(0.0, Median(twice_s_) - Median(once_s_));
    const double beside_s = Median(once_s_) - launch_s;
    reaction.call_s = (reaction.wall_s - beside_s) / used_;
    const double beside_whole_s = Median(once_whole_s_) - launch_s;
    reaction.whole_s = (bracketed.whole_s - beside_whole_s) / used_;
    if (side == Side::kRoot && ++root_calls_ == kSettlesAt) {
      Settle(reaction.call_s);
    }
    return reaction;
  }

  Result<Judgement> Judge(const Contestant& root, const Contestant& candidate,
                          const Rule& rule) override {
    const std::vector<Returned> expected = root.Shapes();
    Judgement judgement = CompareShapes(candidate.Shapes(), expected);
    if (judgement.verdict != Verdict::kPassed) return judgement;
    return problem_.Judge(used_, expected, rule);
  }

 private:
  // Calls that are long by themselves are timed by fewer at once.
  void Settle(double call_s) {
    const double wanted = std::ceil(kEnoughSeconds / std::max(call_s, 1e-9));
    if (wanted >= sets_) return;
    sets_ = std::max(1u, static_cast<std::uint32_t>(wanted));
    used_ = std::min(used_, sets_);
    once_s_.clear();
    once_whole_s_.clear();
    twice_s_.clear();
  }

  // What is measured of calls that do nothing, after an empty kernel and after
  // two.  Each is the first in its turn, for what comes first finds less at
  // hand.
  Result<void> Rehearse(Contestant& contestant, Side side, int times) {
    for (int i = 0; i < 2 * times; ++i) {
      const bool is_once = (rehearsals_++ & 3) % 3 == 0;
      TRY(found,
          Bracket(contestant, side,
                  {.kind = RequestKind::kNothing, .slot = is_once ? 1u : 2u}));
      if (found.reaction.verdict != Verdict::kPassed) {
        return Fail(Errc::kUnavailable,
                    "a call of nothing: " + found.reaction.log);
      }
      Remember(found.reaction.wall_s, is_once ? once_s_ : twice_s_);
      // What attaching memory takes is no part of it.
      if (is_once && (!found.reaction.is_unsettled || once_whole_s_.empty())) {
        Remember(found.whole_s, once_whole_s_);
      }
    }
    return {};
  }

  Result<Bracketed> Bracket(Contestant& contestant, Side side,
                            Request request) {
    request.argument = used_;
    Bracketed bracketed;
    // A process that has been stopped for a while wakes slowly.
    TRY(awake,
        contestant.Ask({.kind = RequestKind::kNothing, .argument = used_}));
    if (awake.verdict != Verdict::kPassed) {
      bracketed.reaction = awake;
      return bracketed;
    }
    const auto start = Clock::now();
    TRY_DONE(problem_.Stage(Index(side), used_));
    problem_.AwaitOutputs(Index(side), used_);
    contestant.Begin(request);
    Result<Reaction> answer = contestant.Answer();
    problem_.TakeNow();  // Whatever came of it: the problem waits awake.
    if (answer) contestant.End(*answer);
    Result<Taken> found = problem_.EndTaking(
        [&](int number) { return contestant.Fetch(number); });
    TRY(reaction, std::move(answer));
    TRY(taken, std::move(found));
    bracketed.whole_s = Seconds(Clock::now() - start);
    bracketed.reaction = reaction;
    bracketed.reaction.is_unsettled = taken.attached;
    bracketed.reuses = taken.reuses;
    if (reaction.verdict == Verdict::kPassed && !taken.was_there) {
      bracketed.reaction.verdict = Verdict::kRejected;
      bracketed.reaction.log = "it answered before its outputs were there";
    }
    return bracketed;
  }

  Problem& problem_;
  std::vector<SharedLayout> layouts_;  // Inputs by side, then outputs.
  std::uint32_t sets_;          // That are called at once where time is told.
  std::uint32_t used_;          // Of the inputs at hand.
  Contestant* root_ = nullptr;  // Not owned.
  int root_calls_ = 0;
  std::array<bool, kSides> copies_{};  // Outputs, in requests of several.
  unsigned rehearsals_ = 0;
  // Of calls that do nothing, but for an empty kernel or two: of both sides, as
  // they do the same, but without any candidate's code.
  std::vector<double> once_s_;
  std::vector<double> once_whole_s_;
  std::vector<double> twice_s_;
};

}  // namespace

Result<std::unique_ptr<Exchange>> MakeDeviceExchange(Problem& problem,
                                                     std::uint32_t most_sets,
                                                     std::uint64_t seed) {
  TRY(layouts, problem.Keep(most_sets, kSides, seed));
  return std::make_unique<DeviceExchange>(problem, std::move(layouts));
}

}  // namespace coppice::eval::python
