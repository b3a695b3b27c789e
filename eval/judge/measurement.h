// The judge's loop: one candidate on one workload, whatever it runs on.
//
// Every call is verified; some are timed beside the root, on inputs that the
// candidate has not seen, and it cannot tell which.  Kinds of inputs on which
// careless kernels are wrong come before the timed calls, among them at random,
// and after them, so that no kernel can know that they are over.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eval/judge/call_channel.h"
#include "eval/judge/off_clock_work.h"
#include "eval/judge/stopping.h"
#include "store/records/random.h"
#include "store/records/result.h"
#include "store/records/workload_result.h"

namespace coppice::eval {

class TimingStability;

struct MeasurementOptions {
  std::string workload{};  // Its uuid.
  // What is right is what the root gives: it is called wherever the candidate
  // is.
  bool root_is_right = false;
  int rounds_per_sample = 1;  // A sample is their mean.
  // The root is not called twice a round where a request to it takes longer.
  double most_controlled_s = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 0;  // Of the order of things; keep it secret.
};

struct Checks {
  int plain = 1;                       // Rounds.
  std::vector<std::uint32_t> kinds{};  // One round of each.
  CallCount calls = CallCount::kFew;
};

struct TimingPlan {
  TimingBudget budget;
  // Each once, in an order that no candidate can foresee: some among the timed
  // rounds, where one is left, and then so many of the rest.
  std::vector<std::uint32_t> kinds{};
  std::size_t kinds_after = 1;
  TimingStability* stability = nullptr;  // None: nothing is made again.
};

// Published harnesses time so: on each set of inputs so many calls of one side
// in a row, then the same of the other.
struct InTurnPlan {
  std::vector<std::uint64_t> seeds;  // Of the sets of inputs.
  Side first = Side::kCandidate;
  int warm_ups = 0;
  int calls = 1;
  // The only sample is the mean of the sets' medians.  Otherwise each call is
  // one.
  bool of_medians = false;
};

class Measurement {
 public:
  // `channel` outlives it.
  Measurement(CallChannel& channel, MeasurementOptions options,
              std::function<double()> now_s);
  Measurement(CallChannel& channel, MeasurementOptions options);

  // Loads the candidate.
  Result<void> Load();

  // After this, the verdict is final unless it is kPassed.
  Result<void> Check(const Checks& checks);

  // One round that is not timed, on inputs as wanted, or as `fill` fills them.
  Result<void> CheckOn(const InputsWanted& wanted);
  Result<void> CheckOn(const std::function<Result<Outcome>()>& fill);

  // REQUIRES of both: it has passed its checks, and what measurements have to
  // themselves is held.
  Result<void> Time(const TimingPlan& plan);
  Result<void> TimeInTurn(const InTurnPlan& plan);

  // How one that computed wrong runs beside the root, by five rounds, or by
  // three that take 0.1 s: ln(root's time / candidate's time) of each.  Empty
  // if it does anything else meanwhile.  Its verdict is what it was.
  // REQUIRES: nothing worse than a wrong output came of it, and what
  // measurements have to themselves is held.
  Result<std::vector<double>> RunForHint();

  void Fail(Outcome outcome);
  bool Passing() const { return result_.verdict == Verdict::kPassed; }
  WorkloadResult& result() { return result_; }
  const WorkloadResult& result() const { return result_; }
  void Remark(const std::string& remark) { remarks_ += "; " + remark; }

  // Why it failed; or, when timed, how.
  std::string log() const;
  // What the last timed call was remarked on with; empty if it was not.
  const std::string& remark() const { return remark_; }

 private:
  using Turn = std::map<Side, Timing>;

  Result<std::optional<Turn>> HintTurn();

  Result<void> Take(Result<Outcome> outcome);
  Result<void> Fill(const InputsWanted& wanted);
  Result<Turn> CallAll(bool is_timed, bool is_controlled);
  Result<Timing> CallWatched(Side side);
  Result<void> Compare();
  Result<void> Sample(bool is_controlled);
  Result<void> CheckOnNext(std::vector<std::uint32_t>& kinds);
  bool IsUnsettled(const std::vector<Turn>& turns);
  void CountUnsettled(bool is_first, const std::string& why);
  void Keep(const std::vector<Turn>& turns);
  void ForgetSamples();
  void AddOffClockWork();
  Result<std::vector<double>> Repeat(Side side, const InTurnPlan& plan,
                                     TimingSeries& series);
  Result<void> TimeSide(Side side, const InTurnPlan& plan);
  void HoldEvents(std::size_t sets);

  CallChannel& channel_;
  MeasurementOptions options_;
  std::function<double()> now_s_;
  RandomStream secrets_;
  WorkloadResult result_;
  std::string log_;
  std::string how_;  // It was timed.
  std::string remark_;
  std::string remarks_;             // Each begins with "; ".
  std::string worst_on_ = "plain";  // Inputs of the worst error.
  bool is_timing_ = false;
  TimingStability* stability_ = nullptr;  // Meanwhile.
  TimingSeries own_, root_;
  std::uint64_t rounds_ = 0;
  std::optional<std::uint64_t> filled_;  // The seed of the inputs at hand.
  int unsettled_ = 0;                    // Rounds since the last sample.
  double round_s_ = 0.0;  // Of the calls of the last timed round.
  double root_s_ = 0.0;   // Of the root's last request.
  double lost_s_ = 0.0;   // With rounds that were made again.
};

}  // namespace coppice::eval
