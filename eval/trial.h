// One candidate on one workload.  Every call that it makes is checked; some
// are also timed, and it cannot tell which.
//
// No process of it meets the same inputs twice, or an answer that it remembers
// would be timed as a fast kernel: when the data sets are used up, a new
// process takes over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eval/bench.h"
#include "eval/session.h"
#include "eval/stillness.h"
#include "eval/stopping.h"
#include "store/records/evaluation.h"
#include "store/records/result.h"

namespace coppice::eval {

struct Checks {
  int plain = 1;                // At least 1.
  std::size_t adversarial = 0;  // Distributions; all, if there are fewer.
  // Whether a second process shall give the same bits on the same inputs.  If
  // not, that is remarked on: atomics and dynamic schedules are honest.
  bool repeat = false;
};

class Trial {
 public:
  // `bench` outlives the trial.  While the `fresh_s` seconds last, each call,
  // and in any case the first, meets a data set made for it; after that they
  // come from the pool, in random order.
  Trial(Bench& bench, Program program, double fresh_s);
  // In processes of these options rather than the bench's for candidates.
  Trial(Bench& bench, Program program, double fresh_s, SessionOptions options);

  // Loads the candidate and calls it on `checks.plain` data sets and on those
  // of some other distributions, one at a time.  After this, result().verdict
  // is final unless it is kPassed.
  //
  // Trials with a common `turn` call their candidates one at a time.
  Result<void> Check(const Checks& checks, std::mutex* turn = nullptr);

  // Times it against the root, alternating which goes first, in batches of
  // calls on slots of their own.  A batch of n calls takes a doorbell and n
  // times a call; a sample is what remains of it without the doorbell, divided
  // by n.  The doorbell is the root's process's, the shortest of several with
  // no call at all.  It is not the intercept of the candidate's own batches of
  // 1, 4, 16 calls, for that can be forged: one who idles when it is called
  // once would have that time subtracted from the batches that count.
  //
  // The slots of a batch are all filled when it begins, so that a second
  // thread could work on the next call during this one, and a batch would take
  // less than its calls.  Therefore a candidate that is seen to use more
  // processor time than wall time in a batch has its calls timed one by one,
  // each input shown when the call before it is done.
  //
  // What disturbs a round is looked for in the root's and the control's turns.
  //
  // REQUIRES: it has passed Check(), and the machine's measurement lock is
  // held.
  Result<void> Time(const TimingBudget& budget, Stillness& stillness);

  // Counts a batch more (eval/counters.h), unless a call takes longer than
  // `most_s`: into the result's profile.  No clock runs.
  // REQUIRES: it has passed Time().
  Result<void> Count(double most_s);

  const WorkloadResult& result() const { return result_; }
  // Why it failed; or, when timed, how.
  std::string log() const;
  // What it printed.
  std::string Output() const;

 private:
  using Data = std::shared_ptr<DataSet>;

  Result<void> Start();
  Result<void> CheckAdversarial(std::size_t distributions);
  Result<void> Repeat(const Data& data,
                      const std::vector<std::vector<std::byte>>& outputs);
  // On slots from `first`.
  Result<Observed> Batch(const std::vector<Data>& data,
                         std::uint32_t first = 0);
  Result<Observed> Call(std::uint32_t first, std::uint32_t count);
  Result<std::optional<double>> Sample(const std::vector<Data>& data);
  double WithoutDoorbell(double wall_s) const;
  void Note(double wall_s, double cpu_s, std::size_t calls);
  Result<double> OneByOne(const std::vector<Data>& data);
  Result<bool> Round(std::uint32_t calls, std::uint32_t root_calls,
                     Stillness& stillness);
  Result<double> Watched(Result<double> (Bench::*time)(std::uint32_t),
                         std::uint32_t calls, Stillness& stillness);
  void ForgetRound();
  void Show(const std::vector<Data>& data, std::uint32_t calls);
  void ForgetSamples();
  Result<void> Verify(const std::vector<Data>& data, std::uint32_t first);
  bool PoisonOutputs(std::uint32_t slot);
  void Collect(std::uint32_t slot);
  void Judge(std::uint32_t slot, const DataSet& data);
  void Fail(Verdict verdict, std::string log);
  bool Passing() const { return result_.verdict == Verdict::kPassed; }
  Result<void> Renew();
  Result<void> Arm(std::uint32_t count);
  Result<std::vector<Data>> Draw(std::size_t count);
  void Shuffle();
  std::uint32_t CallsPerBatch(double call_s) const;

  Bench& bench_;
  Program program_;
  std::optional<SessionOptions> options_;
  double fresh_s_;  // Left for making data sets.
  std::unique_ptr<Session> session_;
  WorkloadResult result_;
  std::string log_;
  std::string remark_;  // Begins with "; ", if there is one.
  Distribution worst_on_ = Distribution::kPlain;  // The worst error ratio.
  double call_s_ = 0.0;                           // The quickest call seen.
  double batch_s_ = 0.0;     // What a batch shall take at least.
  bool one_by_one_ = false;  // A batch would be no measure of it.
  double doorbell_s_ = 0.0;  // Of the root's process.
  std::vector<Data> deck_;   // Not seen by this process; shuffled.
  // What each slot's outputs held when its last call returned, and with what
  // they had been poisoned.  [slot][output]; empty if never called.
  std::vector<std::vector<std::vector<std::byte>>> collected_;
  std::vector<std::vector<std::uint64_t>> patterns_;
  std::uint64_t poisonings_ = 0;
  std::mutex* turn_ = nullptr;  // While it is checked.
};

}  // namespace coppice::eval
