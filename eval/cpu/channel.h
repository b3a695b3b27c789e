// A candidate in C++ on one workload: a process of its own beside the root's,
// with their inputs in slots of shared memory.
//
// No process of it meets the same inputs twice, or an answer that it remembers
// would be timed as a fast kernel: when the data sets are used up, a new
// process takes over.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eval/cpu/cpu_runner.h"
#include "eval/judge/call_channel.h"
#include "eval/judge/distributions.h"
#include "store/records/profile.h"
#include "store/records/result.h"

namespace coppice::eval {

class CpuBench;
struct DataSet;

struct CpuChannelOptions {
  Program program;
  // While these seconds last, each call, and in any case the first, meets a
  // data set made for it; after that they come from the pool, in random order.
  double fresh_s = 0.0;
  double batch_s = 0.0;  // What calls that are timed together take at least.
  // Options of its processes.  None: the bench's for candidates.
  std::optional<CpuRunnerOptions> session{};
  // Channels with a common one call their candidates one at a time until they
  // are timed.  Not owned; null: whenever they want.
  std::mutex* turn = nullptr;
  bool repeats = false;  // FillFirstAgain() will be asked for.
};

class CpuChannel : public CallChannel {
 public:
  // `bench` outlives the channel.
  CpuChannel(CpuBench& bench, CpuChannelOptions options);

  // Adversarial kinds are those of bench.adversarial(), from 1 on.
  Result<Outcome> Load() override;
  Result<Outcome> Fill(const InputsWanted& wanted) override;
  Result<Timing> Call(Side side) override;
  Result<Judgement> Compare() override;

  // Begins the calls whose times count.  A request of n calls, each on a slot
  // of its own, takes a doorbell and n times a call; Timing::call_s is what
  // remains of it without the doorbell, divided by n.  The doorbell is the
  // root's process's, the shortest of several with no call at all.  It is not
  // the intercept of the candidate's own requests of 1, 4, 16 calls, for that
  // can be forged: one who idles when it is called once would have that time
  // subtracted from the requests that count.
  //
  // The slots of a request are all filled when it begins, so that a second
  // thread could work on the next call during this one, and a request would
  // take less than its calls.  Therefore a candidate that is seen to use more
  // processor time than wall time in one has its calls made one by one, each
  // input shown when the call before it is done.
  Result<void> BeginTiming();

  // The same, of one that computed wrong: there is no control.
  Result<void> BeginHint();

  // The first inputs again, before a process that has seen nothing; and, when
  // it was called on them, what is not as it was, for the log: atomics and
  // dynamic schedules are honest.  Empty if all bits are.
  // REQUIRES: options.repeats, and it has been called on plain inputs.
  Result<Outcome> FillFirstAgain();
  std::string WhatDiffers() const;

  // Has the next request to the candidate counted (counters.h); what came of
  // it.
  void CountNext() { is_counting_ = true; }
  const Counters& counters() const { return counters_; }

  double call_s() const { return call_s_; }  // The quickest seen.

  // What it printed.
  std::string Output() const;

 private:
  using Data = std::shared_ptr<DataSet>;

  Result<Outcome> Start();
  Result<Outcome> Renew();
  Result<Outcome> Arm(std::uint32_t count);
  Result<std::vector<Data>> Draw(std::size_t count);
  Result<std::vector<Data>> DrawWith(std::uint32_t kind, std::size_t count);
  Result<Timing> Request(std::size_t from, std::size_t count);
  Result<Timing> CallCandidate();
  Result<Timing> CallOneByOne();
  Result<Timing> CallTrusted(Side side);
  std::optional<std::string> ChangedLater(std::uint32_t slot) const;
  void PoisonOutputs(std::uint32_t slot);
  void Collect(std::uint32_t slot);
  void Judge(std::uint32_t slot, const DataSet& data);
  double WithoutDoorbell(double seconds) const;
  std::uint32_t CallsPerRequest(double call_s) const;

  CpuBench& bench_;
  CpuChannelOptions options_;
  double fresh_s_;  // Left for making data sets.
  std::unique_ptr<CpuRunner> session_;
  std::vector<Data> deck_;  // Not seen by this process; shuffled.
  // How many of each kind it has been shown.
  std::map<Distribution, std::size_t> shown_;
  // Data at hand, in slots from first_ on.
  std::vector<Data> data_;
  std::uint32_t first_ = 0;
  InputsWanted wanted_;
  // What each slot's outputs held when its last call returned, and with what
  // they had been poisoned.  [slot][output]; empty if never called.
  std::vector<std::vector<std::vector<std::byte>>> collected_;
  std::vector<std::vector<std::uint64_t>> patterns_;
  std::uint64_t poisonings_ = 0;
  Judgement judgement_;  // On calls since it was last asked for.
  bool has_begun_ = false;
  Data first_data_;
  std::vector<std::vector<std::byte>> first_outputs_;
  bool is_timed_ = false;
  double doorbell_s_ = 0.0;  // Of the root's process.
  double call_s_ = 0.0;      // The quickest seen; 0: none was.
  double root_call_s_ = 0.0;
  bool one_by_one_ = false;  // A request of several would be no measure.
  bool is_counting_ = false;
  Counters counters_;
};

}  // namespace coppice::eval
