#include "eval/python/device_exchange.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "eval/waiting.h"
#include "eval/wakefulness.h"
#include "store/records/evaluation.h"

namespace coppice::eval::python {
namespace {

constexpr int kSides = 2;
constexpr int kRehearsals = 7;
constexpr std::size_t kRemembered = 63;
// What a clock is read for, at least: long beside what wakes a process.
constexpr double kEnoughSeconds = 16e-3;
constexpr std::uint32_t kFewSets = 4;
constexpr int kSettlesAt = 2;  // Of the root's calls: the first is cold.

struct Bracketed {
  Reaction reaction;
  double whole_s = 0.0;
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
        sets_(layouts_.front().sets),
        used_(sets_) {}

  Result<void> Join(Contestant& contestant, Side side) override {
    const SharedLayout& inputs = layouts_.front();
    const SharedLayout& outputs = layouts_[1 + Index(side)];
    TRY_DONE(
        contestant.Map(RequestKind::kMap, inputs.order, inputs.memory.get()));
    TRY_DONE(contestant.Map(RequestKind::kLend, outputs.order,
                            outputs.memory.get()));
    used_ = sets_;
    if (side == Side::kRoot) root_ = &contestant;
    return Rehearse(contestant, side, kRehearsals);
  }

  Result<void> Fill(std::uint64_t seed, std::uint32_t variant,
                    Calls calls) override {
    used_ = calls == Calls::kTimed ? sets_ : std::min(sets_, kFewSets);
    // Of as many as are timed; only where no code of a candidate's is; and not
    // right before a call, which would find more at hand than the other's.
    if (root_ != nullptr && used_ == sets_) {
      TRY_DONE(Rehearse(*root_, Side::kRoot, 1));
    }
    RandomStream own(seed, Purpose::kInputs, 0);
    for (std::uint32_t set = 0; set < used_; ++set) {
      TRY_DONE(problem_.Draw(set == 0 ? seed : own.NextU64(), set, variant));
    }
    return {};
  }

  Result<Reaction> Call(Contestant& contestant, Side side, RequestKind kind,
                        std::uint64_t seed) override {
    TRY(bracketed, Bracket(contestant, side, kind, seed));
    Reaction& reaction = bracketed.reaction;
    // Of calls that are hardly longer a tenth is left: it is not known better.
    reaction.call_s = std::max(reaction.wall_s - Median(beside_call_s_),
                               0.1 * reaction.wall_s) /
                      used_;
    reaction.whole_s =
        std::max(bracketed.whole_s - Median(beside_whole_s_), 0.0) / used_;
    if (side == Side::kRoot && ++root_calls_ == kSettlesAt) {
      TRY_DONE(Settle(contestant, reaction.call_s));
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
  Result<void> Settle(Contestant& root, double call_s) {
    const double wanted = std::ceil(kEnoughSeconds / std::max(call_s, 1e-9));
    if (wanted >= sets_) return {};
    sets_ = std::max(1u, static_cast<std::uint32_t>(wanted));
    used_ = sets_;
    beside_call_s_.clear();
    beside_whole_s_.clear();
    return Rehearse(root, Side::kRoot, kRehearsals);
  }

  // What is measured of a call that does nothing.
  Result<void> Rehearse(Contestant& contestant, Side side, int times) {
    for (int i = 0; i < times; ++i) {
      TRY(nothing, Bracket(contestant, side, RequestKind::kNothing, 0));
      Remember(nothing.reaction.wall_s, beside_call_s_);
      Remember(nothing.whole_s, beside_whole_s_);
    }
    return {};
  }

  Result<Bracketed> Bracket(Contestant& contestant, Side side, RequestKind kind,
                            std::uint64_t seed) {
    const Wakefulness awake_processors(contestant.Processors());
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
    contestant.Begin({.kind = kind, .seed = seed, .argument = used_});
    TRY(reaction, contestant.Answer());
    problem_.TakeNow();
    contestant.End(reaction);
    TRY(was_there, problem_.Taken());
    bracketed.whole_s = Seconds(Clock::now() - start);
    bracketed.reaction = reaction;
    if (reaction.verdict == Verdict::kPassed && !was_there) {
      bracketed.reaction.verdict = Verdict::kRejected;
      bracketed.reaction.log = "it answered before its outputs were there";
    }
    return bracketed;
  }

  Problem& problem_;
  std::vector<SharedLayout> layouts_;  // Inputs, then outputs by side.
  std::uint32_t sets_;          // That are called at once where time is told.
  std::uint32_t used_;          // Of the inputs at hand.
  Contestant* root_ = nullptr;  // Not owned.
  int root_calls_ = 0;
  // Of calls that do nothing: of both sides, as they do the same, but without
  // any candidate's code.
  std::vector<double> beside_call_s_;
  std::vector<double> beside_whole_s_;
};

}  // namespace

Result<std::unique_ptr<Exchange>> MakeDeviceExchange(Problem& problem,
                                                     std::uint32_t most_sets,
                                                     std::uint64_t seed) {
  TRY(layouts, problem.Keep(most_sets, kSides, seed));
  return std::make_unique<DeviceExchange>(problem, std::move(layouts));
}

}  // namespace coppice::eval::python
