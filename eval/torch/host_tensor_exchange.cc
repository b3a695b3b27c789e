#include <algorithm>
#include <limits>
#include <utility>

#include "eval/formats/shapes.h"
#include "eval/torch/inputs.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/problem.h"
#include "eval/torch/tensor_exchange.h"
#include "eval/torch/verdicts.h"
#include "store/records/random.h"

namespace coppice::eval::torch {
namespace {

constexpr std::uint32_t kSlots = 3;  // Between which calls change.
constexpr int kDoorbells = 9;

// What a request takes that does nothing, at least.
struct Doorbell {
  double wall_s = std::numeric_limits<double>::infinity();
  double cpu_s = std::numeric_limits<double>::infinity();

  void Enter(const Reaction& nothing) {
    wall_s = std::min(wall_s, nothing.wall_s);
    cpu_s = std::min(cpu_s, nothing.cpu_s);
  }
};

class HostTensorExchange : public TensorExchange {
 public:
  HostTensorExchange(Problem& problem, int threads, RandomStream& stream,
                     InputSlots slots)
      : problem_(problem),
        threads_(threads),
        stream_(stream),
        slots_(std::move(slots)) {}

  Result<void> Join(KernelWorker& kernel_worker, Side side) override {
    TRY_DONE(kernel_worker.Show(slots_));
    if (side == Side::kCandidate && kernel_worker.HasLoaded()) return {};
    for (int i = 0; i < kDoorbells; ++i) {
      TRY(nothing, kernel_worker.Ask({.kind = WorkerRequestKind::kNothing}));
      doorbell_.Enter(nothing);
    }
    return {};
  }

  Result<void> Fill(std::uint64_t seed, std::uint32_t variant, CallCount,
                    KernelWorker*) override {
    slot_ = static_cast<std::uint32_t>(stream_.Below(kSlots));
    TRY_DONE(problem_.Draw(seed, 0, variant));
    return slots_.Fill(slot_, problem_.worker());
  }

  // Each side is asleep before it: who was asked something a moment ago would
  // be some tenths of a millisecond faster.
  Result<Reaction> Call(KernelWorker& kernel_worker, Side,
                        WorkerRequestKind kind, std::uint64_t seed) override {
    TRY(reaction,
        kernel_worker.Ask({.kind = kind, .slot = slot_, .seed = seed}));
    // A call that is hardly longer than the doorbell is left a tenth of its
    // time, for want of a better measure.  Who answers first and works until it
    // is stopped has the answer's way for nothing, but not its processors.
    reaction.call_s =
        std::max({reaction.wall_s - doorbell_.wall_s, 0.1 * reaction.wall_s,
                  (reaction.cpu_s - doorbell_.cpu_s) / threads_});
    return reaction;
  }

  Result<Judgement> Judge(const KernelWorker& root,
                          const KernelWorker& candidate,
                          const Rule& rule) override {
    // What it says to have returned may be more than there is memory for.
    Judgement shapes = CompareShapes(candidate.Shapes(), root.Shapes());
    if (shapes.verdict != Verdict::kPassed) return shapes;
    return Compare(candidate.Outputs(), root.Outputs(), rule);
  }

 private:
  Problem& problem_;
  int threads_;
  RandomStream& stream_;
  InputSlots slots_;
  std::uint32_t slot_ = 0;
  // The same for all sides.  Load only adds to it: whoever joins is asked, but
  // no candidate that has code in it.
  Doorbell doorbell_;
};

}  // namespace

Result<std::unique_ptr<TensorExchange>> MakeHostTensorExchange(
    Problem& problem, int threads, std::uint64_t seed, RandomStream& stream) {
  TRY_DONE(problem.Draw(seed));
  TRY(slots, InputSlots::Create(problem.worker().Tensors(), kSlots));
  return std::make_unique<HostTensorExchange>(problem, threads, stream,
                                              std::move(slots));
}

}  // namespace coppice::eval::torch
