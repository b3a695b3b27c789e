// How inputs reach kernel workers, how their results are seen, and what a
// call takes: on the CPU by memory of the parent's, on a device by a trusted
// side's.
#pragma once

#include <cstdint>
#include <memory>

#include "eval/judge/call_channel.h"
#include "store/records/result.h"

namespace coppice {
class RandomStream;
}

namespace coppice::eval::torch {

class KernelWorker;
class Problem;
struct Reaction;
enum class WorkerRequestKind : std::uint32_t;
struct Rule;

// Root and candidate in turn meet the same inputs, which neither has seen.
class TensorExchange {
 public:
  virtual ~TensorExchange() = default;

  // Gives a kernel worker its side's memory, and learns what a call of it
  // takes that does nothing, unless a candidate's code is in it.  The root must
  // last as long as calls are made.
  virtual Result<void> Join(KernelWorker& kernel_worker, Side side) = 0;

  // Draws inputs, a variant of them.  kUsage if they are not like those before.
  // `candidate`, if there is one, may be called before, to do nothing; how that
  // fails is what its next Call() tells.
  virtual Result<void> Fill(std::uint64_t seed, std::uint32_t variant,
                            CallCount calls, KernelWorker* candidate) = 0;

  // Calls on them, with torch's generator at `seed`.  Reaction::call_s is what
  // one took.
  virtual Result<Reaction> Call(KernelWorker& kernel_worker, Side side,
                                WorkerRequestKind kind, std::uint64_t seed) = 0;

  // What the candidate's last calls left, by what the root's did.
  virtual Result<Judgement> Judge(const KernelWorker& root,
                                  const KernelWorker& candidate,
                                  const Rule& rule) = 0;
};

// In memory of the parent's that kernel workers can only read; results are
// read from their memory while they are stopped.  `problem` and `stream` must
// outlive it.  `seed`: of inputs by whose size memory is had.  `threads`: as
// many processors as a kernel worker has.
Result<std::unique_ptr<TensorExchange>> MakeHostTensorExchange(
    Problem& problem, int threads, std::uint64_t seed, RandomStream& stream);

}  // namespace coppice::eval::torch
