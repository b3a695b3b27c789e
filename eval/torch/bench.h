// What judging needs of one task and outlives single candidates: the problem's
// process, the root's, and the memory of inputs.  If there are several cases,
// one is at hand, and the memory is for that one.
//
// Inputs are drawn anew for every call, under seeds that no candidate's process
// is told.  What they should give is what the root makes of the same inputs, in
// its own process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/torch/cases.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/problem.h"
#include "store/records/random.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice {
struct Candidate;
}
namespace coppice::eval {
enum class CallCount : std::uint8_t;
struct Judgement;
enum class Side : std::uint8_t;
}  // namespace coppice::eval

namespace coppice::eval::torch {

struct Rule;
class TensorExchange;

// A task's own process, one that is kept or another, on one of its cases, with
// parameters drawn from `seed`.
Result<std::unique_ptr<Problem>> OpenProblem(
    const WorkerOptions& worker, PrewarmedWorkers& prewarmed_workers,
    const Task& task, std::uint64_t seed, std::size_t number);

Rule RuleOf(const Task& task);

// As torch names it, where memory of the parent's is used.
inline constexpr char kHost[] = "cpu";

// Seconds of the root's request, up to which there is a control.
inline constexpr double kMostControlled = 0.1;

// kUsage if the task's Model gives other outputs for equal inputs.
Result<void> MustRepeat(Problem& problem, const Task& task, std::uint64_t seed);

class TorchBench {
 public:
  // Starts both processes, or takes those that stand by, with the first case at
  // hand, and makes sure that the root gives equal outputs for equal inputs.
  // kUsage, naming the task, if it does not, or fails.
  static Result<std::unique_ptr<TorchBench>> Open(
      const WorkerOptions& worker, PrewarmedWorkers& prewarmed_workers,
      const Task& task, std::uint64_t seed);
  ~TorchBench();

  const Task& task() const { return task_; }
  const std::vector<Case>& cases() const { return cases_; }
  // Puts another case at hand, for which nobody has joined yet: who had for the
  // last one, beside the root, has parted.
  Result<void> TurnTo(std::size_t number);
  // Has the root join, and its control, before candidates are judged by them.
  Result<void> BringRoot();
  const Case& at() const { return cases_[at_]; }

  const State& state() const { return state_; }
  Construction construction() const { return construction_; }
  Rule rule() const;
  Problem& problem() { return *problem_; }

  // Who may do a candidate's work: anybody may do that of the root's own
  // source.
  Delegation DelegationOf(const Candidate& candidate) const;

  // A secret seed, or with the benchmark's own protocol whatever it says.
  std::uint64_t NextSeed() { return stream_.NextU64(); }
  // By KernelBench's own protocol, whose seeds are public, the last one's:
  // there, drawing takes long, and problem.py keeps the last.
  std::optional<std::uint64_t> last_seed() const { return last_seed_; }

  // Gives a candidate's process its place.
  Result<void> Join(KernelWorker& candidate);

  // A seed of inputs that nothing is judged by.
  std::uint64_t AnySeed() { return last_seed_ ? *last_seed_ : NextSeed(); }

  // Draws the inputs of `seed`.  `candidate`: as TensorExchange::Fill() has it.
  Result<void> Fill(std::uint64_t seed, CallCount calls,
                    std::uint32_t variant = 0,
                    KernelWorker* candidate = nullptr);

  // What candidates are checked on beside; none by the benchmark's protocol.
  const std::vector<Variant>& variants() const { return *known_[at_].variants; }

  // What a call of a case has to write, measured when it is first asked for;
  // for that it may have to turn to it.
  Result<Writing> LeastWriting(std::size_t number);
  void ForgetWriting(std::size_t number) { known_[number].writing.reset(); }

  // Calls on them.  What goes wrong with the root is an error of the task's.
  Result<Reaction> CallRoot(std::uint64_t seed);
  Result<Reaction> CallControl(std::uint64_t seed);

  // Whether a control of its own is worth its memory and time: not on a
  // device, where the root is called twice instead.
  bool WantsControl() const;

  std::size_t CaseNumber() const { return at_; }  // The one at hand.
  // Makes it of a process that has loaded nothing, as old as a candidate's.
  // The one before stands for the root from now on: no process of the root's,
  // with its luck, shall be what all are held against.
  Result<void> RenewControl(StandbyWorker control);
  Result<Reaction> Call(KernelWorker& candidate, WorkerRequestKind kind,
                        std::uint64_t seed);

  // The last of them both.
  Result<Judgement> Judge(const KernelWorker& candidate);

  const std::string& device_name() const {
    return root_.kernel_worker->device_name();
  }
  const std::string& architecture() const {
    return root_.kernel_worker->architecture();
  }
  // What measurements have to themselves: the device, or our processors.
  const std::string& Measured() const {
    return root_.kernel_worker->device_uuid();
  }

  // Processors, while calls are made: on a device all, for who is asleep when
  // he is asked something wakes on a call's clock.
  std::vector<int> ToKeepAwake() const;

 private:
  // What is known of a case since it was at hand.
  struct Known {
    bool repeats = false;
    std::optional<std::vector<Variant>> variants;
    std::optional<Writing> writing;
  };

  TorchBench(const Task& task, std::uint64_t seed);

  std::string Name() const;
  Result<void> PutAtHand();
  Result<void> PartRoot();

  Result<void> Join(KernelWorker& kernel_worker, Side side);
  Result<void> Start(KernelWorker& root, Side side);
  Result<void> WarmUp(KernelWorker& root, Side side);
  Result<Reaction> CallTrusted(KernelWorker& root, Side side,
                               std::uint64_t seed);
  Result<void> FindVariants();

  Task task_;
  std::vector<Case> cases_;
  std::vector<Known> known_;  // By case.
  std::size_t at_ = 0;        // Case.
  bool is_at_hand_ = false;   // Nothing went wrong with that.
  bool has_root_ = false;     // It has joined.
  RandomStream stream_;
  Construction construction_;
  std::unique_ptr<Problem> problem_;
  State state_;
  StandbyWorker root_;
  std::optional<StandbyWorker> control_;
  std::string device_;  // Of calls.
  int threads_ = 1;
  double root_call_s_ = 0.0;  // The last of its first ones, by the wall clock.
  std::unique_ptr<TensorExchange> exchange_;
  std::optional<std::uint64_t> last_seed_;  // By KernelBench's own protocol.
};

}  // namespace coppice::eval::torch
