#include "eval/torch/device_tensor_exchange.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "eval/formats/shapes.h"
#include "eval/host/waiting.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/problem.h"
#include "eval/torch/verdicts.h"
#include "store/records/evaluation.h"
#include "store/records/random.h"

namespace coppice::eval::torch {
namespace {

constexpr std::size_t kSides = 2;
constexpr int kRehearsals = 7;
constexpr std::size_t kRemembered = 63;
// What a clock is read for, at least: long beside what wakes a process.
constexpr double kEnoughSeconds = 4e-3;
// The slower side's calls may take so long for the faster one's sake.
constexpr double kMostSeconds = 40e-3;
constexpr std::uint32_t kFewSets = 4;
// How long the device is watched for what others do.
constexpr double kLeastWatchedSeconds = 1e-3;
constexpr double kMostWatchedSeconds = 1.0;
constexpr int kSettlesAt = 2;  // Of a side's calls: the first is cold.

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

class DeviceTensorExchange : public TensorExchange {
 public:
  DeviceTensorExchange(Problem& problem, std::vector<SharedLayout> layouts,
                       RandomStream& stream)
      : problem_(problem),
        stream_(stream),
        layouts_(std::move(layouts)),
        most_(layouts_[0].sets),
        sets_(most_),
        used_(sets_) {}

  Result<void> Join(KernelWorker& kernel_worker, Side side) override {
    const SharedLayout& inputs = layouts_[Index(side)];
    const SharedLayout& outputs = layouts_[kSides + Index(side)];
    // First: what is left of another's memory is let go.
    TRY_DONE(problem_.Watch(Index(side), kernel_worker.notes()));
    TRY_DONE(kernel_worker.Map(WorkerRequestKind::kMap, inputs.order,
                               inputs.memory.get()));
    TRY_DONE(kernel_worker.Map(WorkerRequestKind::kLend, outputs.order,
                               outputs.memory.get()));
    paces_[Index(side)] = {};
    if (side == Side::kCandidate) Settle();
    used_ = sets_;
    copies_[Index(side)] = false;
    if (side == Side::kRoot) root_ = &kernel_worker;
    failed_.reset();
    device_contention_ = 0.0;
    Forget();
    if (side == Side::kCandidate && kernel_worker.HasLoaded()) return {};
    return Measure(kernel_worker, side, kRehearsals);
  }

  Result<void> Fill(std::uint64_t seed, std::uint32_t variant, CallCount calls,
                    KernelWorker* candidate) override {
    is_timed_ = calls == CallCount::kTimed;
    used_ = is_timed_ ? sets_ : std::min(sets_, kFewSets);
    if (root_ != nullptr && is_timed_) TRY_DONE(RehearseBoth(candidate));
    RandomStream own(seed, Purpose::kInputs, 0);
    for (std::uint32_t set = 0; set < used_; ++set) {
      TRY_DONE(problem_.Draw(set == 0 ? seed : own.NextU64(), set, variant));
    }
    return {};
  }

  Result<Reaction> Call(KernelWorker& kernel_worker, Side side,
                        WorkerRequestKind kind, std::uint64_t seed) override {
    if (side == Side::kCandidate && failed_) {
      return *std::exchange(failed_, std::nullopt);
    }
    const auto called = [&] {
      return Timed(kernel_worker, side, {.kind = kind, .seed = seed});
    };
    if (side == Side::kCandidate || !is_timed_) return called();
    TRY(reaction, SanitizerOutput(called));
    reaction.device_contention = std::exchange(device_contention_, 0.0);
    return reaction;
  }

  Result<Judgement> Judge(const KernelWorker& root,
                          const KernelWorker& candidate,
                          const Rule& rule) override {
    const std::vector<Returned> expected = root.Shapes();
    Judgement judgement = CompareShapes(candidate.Shapes(), expected);
    if (judgement.verdict != Verdict::kPassed) return judgement;
    return problem_.Judge(used_, expected, rule);
  }

 private:
  // Looks at the device before or after something that the root does: who
  // leaves work to it does not know which.
  template <class Work>
  std::invoke_result_t<Work> SanitizerOutput(const Work& work) {
    const bool is_before = stream_.Below(2) == 0;
    if (is_before) TRY_DONE(Look());
    auto done = work();
    if (!is_before) TRY_DONE(Look());
    return done;
  }

  // For as long as the root's requests take.
  Result<void> Look() {
    TRY(device_contention,
        problem_.DeviceContention(
            std::clamp(root_s_, kLeastWatchedSeconds, kMostWatchedSeconds)));
    device_contention_ = std::max(device_contention_, device_contention);
    return {};
  }

  Result<Reaction> Timed(KernelWorker& kernel_worker, Side side,
                         WorkerRequest request) {
    bool& copies = copies_[Index(side)];
    request.slot = copies ? 1 : 0;
    TRY(bracketed, Bracket(kernel_worker, side, request));
    if (bracketed.reuses && bracketed.reaction.verdict == Verdict::kPassed) {
      // What all but the last returned is gone.  Who would keep a result would
      // have to copy it: it is no part of the call to leave that to others.
      copies = true;
      request.slot = 1;
      TRY_ASSIGN(bracketed, Bracket(kernel_worker, side, request));
      bracketed.reaction.is_unsettled = true;
    }
    if (side == Side::kRoot) root_s_ = bracketed.whole_s;
    Reaction& reaction = bracketed.reaction;
    reaction.copies = copies;
    reaction.calls = used_;
    reaction.call_s = reaction.wall_s / used_;
    if (once_s_.empty()) {  // What is beside it is known by the next inputs.
      reaction.is_unsettled = true;
      Enter(side, reaction);
      return reaction;
    }
    const double launch_s = std::max(0.0, Median(twice_s_) - Median(once_s_));
    const double beside_s = Median(once_s_) - launch_s;
    reaction.call_s = (reaction.wall_s - beside_s) / used_;
    const double beside_whole_s = Median(once_whole_s_) - launch_s;
    reaction.whole_s = (bracketed.whole_s - beside_whole_s) / used_;
    Enter(side, reaction);
    return reaction;
  }

  // How long a call of each side takes; of a candidate's with what is beside
  // it.
  struct Pace {
    int calls = 0;
    double call_s = 0.0;  // 0: not known.
  };

  void Enter(Side side, const Reaction& reaction) {
    Pace& pace = paces_[Index(side)];
    if (reaction.verdict != Verdict::kPassed || ++pace.calls != kSettlesAt) {
      return;
    }
    // What was measured beside other numbers of calls is not taken off.
    const double call_s = side == Side::kRoot
                              ? reaction.call_s
                              : reaction.wall_s / reaction.calls;
    pace.call_s = std::max(call_s, 1e-9);
    Settle();
  }

  void Settle() {
    const double root_s = paces_[Index(Side::kRoot)].call_s;
    if (root_s == 0.0) return;
    const std::uint32_t sets =
        SetsFor(root_s, paces_[Index(Side::kCandidate)].call_s, most_);
    if (sets == sets_) return;
    sets_ = sets;
    used_ = std::min(used_, sets_);
    Forget();
  }

  // What was measured by another number of calls, or beside another candidate.
  void Forget() {
    once_s_.clear();
    once_whole_s_.clear();
    twice_s_.clear();
  }

  // Rehearses as many calls as are timed; not right before them, which would
  // find more at hand.  A candidate's rehearsals, whose code is loaded, are no
  // measure, but without them it would find less at hand than the root.
  Result<void> RehearseBoth(KernelWorker* candidate) {
    const bool is_first = stream_.Below(2) == 0;
    if (candidate != nullptr && is_first) TRY_DONE(Warm(*candidate));
    const int times = once_s_.empty() ? kRehearsals : 1;
    TRY_DONE(
        SanitizerOutput([&] { return Measure(*root_, Side::kRoot, times); }));
    if (candidate != nullptr && !is_first) TRY_DONE(Warm(*candidate));
    return {};
  }

  Result<void> Warm(KernelWorker& candidate) {
    if (failed_) return {};  // What has ended is not asked again.
    for (const std::uint32_t launches : {1u, 2u}) {
      TRY(found, Rehearse(candidate, Side::kCandidate, launches));
      if (found.reaction.verdict == Verdict::kPassed) continue;
      failed_ = found.reaction;
      break;
    }
    return {};
  }

  // What calls take that do nothing, after an empty kernel and after two.  Each
  // is the first in its turn, for what comes first finds less at hand.
  Result<void> Measure(KernelWorker& kernel_worker, Side side, int times) {
    for (int i = 0; i < 2 * times; ++i) {
      const bool is_once = (rehearsals_++ & 3) % 3 == 0;
      TRY(found, Rehearse(kernel_worker, side, is_once ? 1 : 2));
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

  Result<Bracketed> Rehearse(KernelWorker& kernel_worker, Side side,
                             std::uint32_t launches) {
    return Bracket(kernel_worker, side,
                   {.kind = WorkerRequestKind::kNothing, .slot = launches});
  }

  Result<Bracketed> Bracket(KernelWorker& kernel_worker, Side side,
                            WorkerRequest request) {
    request.argument = used_;
    Bracketed bracketed;
    // A process that has been stopped for a while wakes slowly.
    TRY(awake, kernel_worker.Ask(
                   {.kind = WorkerRequestKind::kNothing, .argument = used_}));
    if (awake.verdict != Verdict::kPassed) {
      bracketed.reaction = awake;
      return bracketed;
    }
    const auto start = Clock::now();
    TRY_DONE(problem_.Stage(Index(side), used_));
    problem_.AwaitOutputs(Index(side), used_);
    kernel_worker.Begin(request);
    Result<Reaction> answer = kernel_worker.Answer();
    problem_.TakeNow();  // Whatever came of it: the problem waits awake.
    if (answer) kernel_worker.End(*answer);
    Result<Taken> found = problem_.EndTaking(
        [&](int number) { return kernel_worker.Fetch(number); });
    TRY(reaction, std::move(answer));
    TRY(taken, std::move(found));
    bracketed.whole_s = Seconds(Clock::now() - start);
    bracketed.reaction = reaction;
    bracketed.reaction.is_unsettled = taken.attached;
    bracketed.reuses = taken.reuses;
    if (reaction.verdict == Verdict::kPassed && !taken.was_there) {
      static_cast<Outcome&>(bracketed.reaction) = Rejected(
          Breach::kWorkedLate, "it answered before its outputs were there");
    }
    return bracketed;
  }

  Problem& problem_;
  RandomStream& stream_;
  std::vector<SharedLayout> layouts_;  // Inputs by side, then outputs.
  std::uint32_t most_;                 // Sets that there is room for.
  std::uint32_t sets_;                 // Called at once where time is told.
  std::uint32_t used_;                 // Of the inputs at hand.
  bool is_timed_ = false;              // What is called on them.
  KernelWorker* root_ = nullptr;       // Not owned.
  std::array<Pace, kSides> paces_{};
  double root_s_ = 0.0;  // The last of them, and what is done around it.
  double device_contention_ =
      0.0;  // The most of it since the root was last called.
  // What a candidate did that failed when it was to do nothing.
  std::optional<Reaction> failed_;
  std::array<bool, kSides> copies_{};  // Outputs, in requests of several.
  unsigned rehearsals_ = 0;
  // Seconds of calls that do nothing but for an empty kernel or two.  Both
  // sides do the same in them, and none runs a candidate's code.
  std::vector<double> once_s_;
  std::vector<double> once_whole_s_;
  std::vector<double> twice_s_;
};

}  // namespace

std::uint32_t SetsFor(double root_s, double candidate_s, std::uint32_t most) {
  double wanted = std::ceil(kEnoughSeconds / root_s);
  if (candidate_s > 0.0) {
    const double affordable = std::floor(kMostSeconds / root_s);
    wanted = std::max(
        wanted, std::min(std::ceil(kEnoughSeconds / candidate_s), affordable));
  }
  return static_cast<std::uint32_t>(
      std::clamp(wanted, 1.0, static_cast<double>(most)));
}

Result<std::unique_ptr<TensorExchange>> MakeDeviceTensorExchange(
    Problem& problem, std::uint32_t most_sets, std::uint64_t seed,
    RandomStream& stream) {
  TRY(layouts, problem.Keep(most_sets, kSides, seed));
  return std::make_unique<DeviceTensorExchange>(problem, std::move(layouts),
                                                stream);
}

}  // namespace coppice::eval::torch
