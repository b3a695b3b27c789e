#include "eval/torch/bench.h"

#include <algorithm>
#include <utility>

#include "eval/host/affinity.h"
#include "eval/host/wakefulness.h"
#include "eval/judge/call_channel.h"
#include "eval/judge/same_task.h"
#include "eval/torch/closeness.h"
#include "eval/torch/device_tensor_exchange.h"
#include "eval/torch/kernelbench.h"
#include "eval/torch/matching.h"
#include "eval/torch/stored_files.h"
#include "eval/torch/tensor_exchange.h"
#include "eval/torch/verdicts.h"
#include "store/records/candidate.h"

namespace coppice::eval::torch {
namespace {

// Calls on a device that are timed together, where memory suffices.
constexpr std::uint32_t kMostSets = 16;
constexpr int kWarmUps = 2;  // Calls of the root, after which it is settled.

// Whether FlashInfer-Bench's own protocol judges it.
bool IsByTraceSet(const Task& task) {
  return task.format == TaskFormat::kFlashInferBench &&
         task.protocol == Protocol::kBenchmark;
}

Result<std::unique_ptr<TensorExchange>> MakeTensorExchange(
    const std::string& device, int threads, Protocol protocol, Problem& problem,
    std::uint64_t seed, RandomStream& stream) {
  // "cpu:0" is the same to torch: it goes the way of a device, for tests.
  if (device == kHost)
    return MakeHostTensorExchange(problem, threads, seed, stream);

  const bool is_alone = protocol == Protocol::kBenchmark;
  return MakeDeviceTensorExchange(problem, is_alone ? 1 : kMostSets, seed,
                                  stream);
}

}  // namespace

TorchBench::TorchBench(const Task& task, std::uint64_t seed)
    : task_(task),
      cases_(CasesOf(task)),
      known_(cases_.size()),
      stream_(seed, Purpose::kInputs, 0) {}

TorchBench::~TorchBench() = default;

Result<std::unique_ptr<TorchBench>> TorchBench::Open(
    const WorkerOptions& worker, PrewarmedWorkers& prewarmed_workers,
    const Task& task, std::uint64_t seed) {
  std::unique_ptr<TorchBench> bench(new TorchBench(task, seed));
  bench->device_ = worker.device;
  bench->threads_ = worker.threads;
  Construction& construction = bench->construction_;
  construction.entry = task.root.entry_symbol;
  construction.precision = PrecisionOf(task);
  construction.seed = task.protocol == Protocol::kBenchmark ? kBenchmarkSeed
                                                            : bench->NextSeed();
  construction.tf32 = task.protocol == Protocol::kBenchmark;
  // Root and candidate start at the same time.
  TRY_DONE(prewarmed_workers.Launch(worker, WorkerRole::kKernel, 1));
  TRY_ASSIGN(bench->problem_, OpenProblem(worker, prewarmed_workers, task,
                                          construction.seed, 0));
  if (task.protocol == Protocol::kBenchmark && !IsByTraceSet(task)) {
    TRY(seeds, bench->problem_->TrialSeeds(kBenchmarkSeed, 1));
    bench->last_seed_ = seeds.front();
  }
  TRY_DONE(bench->PutAtHand());
  TRY_ASSIGN(bench->root_, prewarmed_workers.Take(worker, WorkerRole::kKernel));
  TRY_DONE(bench->BringRoot());
  return bench;
}

Result<void> TorchBench::TurnTo(std::size_t number) {
  if (is_at_hand_ && at_ == number) return {};
  TRY_DONE(PartRoot());
  is_at_hand_ = false;
  exchange_.reset();
  at_ = number;
  TRY_DONE(
      problem_->Reconstruct(task_.definition.name, construction_.seed, number));
  return PutAtHand();
}

Result<void> TorchBench::PutAtHand() {
  construction_.init = problem_->init();
  TRY_ASSIGN(state_, problem_->ReadState());
  TRY_ASSIGN(exchange_, MakeTensorExchange(device_, threads_, task_.protocol,
                                           *problem_, AnySeed(), stream_));
  if (!known_[at_].repeats) TRY_DONE(MustRepeat(*problem_, task_, AnySeed()));
  known_[at_].repeats = true;
  is_at_hand_ = true;
  return {};
}

Result<void> TorchBench::BringRoot() {
  if (has_root_) return {};
  TRY_DONE(Start(*root_.kernel_worker, Side::kRoot));
  TRY_DONE(WarmUp(*root_.kernel_worker, Side::kRoot));
  if (control_) {
    TRY_DONE(Start(*control_->kernel_worker, Side::kControl));
    TRY_DONE(WarmUp(*control_->kernel_worker, Side::kControl));
  }
  TRY_DONE(FindVariants());
  has_root_ = true;
  return {};
}

Result<void> TorchBench::PartRoot() {
  if (!has_root_) return {};
  for (StandbyWorker* one : {&root_, control_ ? &*control_ : nullptr}) {
    if (one == nullptr) continue;
    TRY(parted, one->kernel_worker->Part());
    if (parted.verdict == Verdict::kPassed) continue;
    return tl::unexpected<Error>(
        UnusableFor(Name(), "its root: ", parted, "compile-timeout-s"));
  }
  has_root_ = false;
  return {};
}

// The name, with the case where there are several.
std::string TorchBench::Name() const {
  return task_.definition.name +
         (cases_.size() == 1 ? "" : " " + cases_[at_].workload);
}

Result<std::unique_ptr<Problem>> OpenProblem(
    const WorkerOptions& worker, PrewarmedWorkers& prewarmed_workers,
    const Task& task, std::uint64_t seed, std::size_t number) {
  ProblemOptions options{
      .name = task.definition.name,
      .source = task.definition.reference,
      // FlashInfer-Bench's draws as any other.
      .protocol = IsByTraceSet(task) ? Protocol::kCoppice : task.protocol,
      .precision = PrecisionOf(task),
      .seed = seed,
      .number = number};
  WorkerOptions reader = worker;
  reader.stored = StoredFiles(task.workloads.front());
  if (auto problem = prewarmed_workers.TakeProblem(reader, options)) {
    TRY_DONE(problem->Reconstruct(options.name, seed, number));
    return problem;
  }
  return Problem::Open(reader, std::move(options));
}

Rule RuleOf(const Task& task) {
  Rule rule{.protocol = task.protocol, .precision = PrecisionOf(task)};
  if (IsByTraceSet(task)) rule.matching = MatchingOf(task);
  rule.closeness = ClosenessOf(task.definition);
  return rule;
}

// By FlashInfer-Bench's rule no infinity would repeat itself.
Result<void> MustRepeat(Problem& problem, const Task& task,
                        std::uint64_t seed) {
  return problem.MustRepeat(seed, IsByTraceSet(task) ? Rule{} : RuleOf(task));
}

Delegation TorchBench::DelegationOf(const Candidate& candidate) const {
  return candidate.source == SourceOf(task_.root) ? Delegation::kAny
                                                  : task_.delegation;
}

std::vector<int> TorchBench::ToKeepAwake() const {
  return device_name().empty() ? std::vector<int>() : ProcessorsOf(0);
}

Rule TorchBench::rule() const { return RuleOf(task_); }

Result<void> TorchBench::Join(KernelWorker& candidate) {
  return Join(candidate, Side::kCandidate);
}

Result<Reaction> TorchBench::Call(KernelWorker& candidate,
                                  WorkerRequestKind kind, std::uint64_t seed) {
  return exchange_->Call(candidate, Side::kCandidate, kind, seed);
}

Result<Judgement> TorchBench::Judge(const KernelWorker& candidate) {
  return exchange_->Judge(*root_.kernel_worker, candidate, rule());
}

Result<void> TorchBench::Join(KernelWorker& kernel_worker, Side side) {
  kernel_worker.AllowCalls(problem_->CallLimit());
  const Wakefulness awake(ToKeepAwake());
  return exchange_->Join(kernel_worker, side);
}

Result<void> TorchBench::Start(KernelWorker& root, Side side) {
  TRY_DONE(Join(root, side));
  TRY(prepared, root.Prepare(SourceOf(task_.root), construction_, &state_));
  if (prepared.verdict != Verdict::kPassed) {
    return tl::unexpected<Error>(
        UnusableFor(Name(), "its root: ", prepared, "compile-timeout-s"));
  }
  return {};
}

Result<void> TorchBench::WarmUp(KernelWorker& root, Side side) {
  const Wakefulness awake(ToKeepAwake());
  TRY_DONE(Fill(AnySeed(), CallCount::kTimed));
  for (int i = 0; i < kWarmUps; ++i) {
    TRY(reaction, CallTrusted(root, side, NextSeed()));
    root_call_s_ = reaction.wall_s;
  }
  return {};
}

bool TorchBench::WantsControl() const {
  return device_ == kHost && task_.protocol == Protocol::kCoppice &&
         root_call_s_ < kMostControlled;
}

Result<void> TorchBench::RenewControl(StandbyWorker control) {
  if (control_) std::swap(root_, *control_);
  control_ = std::move(control);
  TRY_DONE(Start(*control_->kernel_worker, Side::kControl));
  return WarmUp(*control_->kernel_worker, Side::kControl);
}

Result<void> TorchBench::FindVariants() {
  std::optional<std::vector<Variant>>& variants = known_[at_].variants;
  if (variants) return {};
  std::vector<Variant> found;
  if (task_.protocol != Protocol::kBenchmark) {
    TRY_ASSIGN(found, problem_->Variants(NextSeed(), rule()));
  }
  variants = std::move(found);
  return {};
}

Result<Writing> TorchBench::LeastWriting(std::size_t number) {
  std::optional<Writing>& known = known_[number].writing;
  if (!known) {
    TRY_DONE(TurnTo(number));
    TRY_ASSIGN(known, problem_->MeasureWriting(AnySeed()));
  }
  return *known;
}

Result<void> TorchBench::Fill(std::uint64_t seed, CallCount calls,
                              std::uint32_t variant, KernelWorker* candidate) {
  if (last_seed_) last_seed_ = seed;
  auto filled = exchange_->Fill(seed, variant, calls, candidate);
  if (filled) return {};
  return Fail(filled.error().code, Name() + ": " + filled.error().what);
}

Result<Reaction> TorchBench::CallRoot(std::uint64_t seed) {
  return CallTrusted(*root_.kernel_worker, Side::kRoot, seed);
}

Result<Reaction> TorchBench::CallControl(std::uint64_t seed) {
  if (!control_) return CallRoot(seed);
  return CallTrusted(*control_->kernel_worker, Side::kControl, seed);
}

Result<Reaction> TorchBench::CallTrusted(KernelWorker& root, Side side,
                                         std::uint64_t seed) {
  TRY(reaction, exchange_->Call(root, side, WorkerRequestKind::kCall, seed));
  if (reaction.verdict == Verdict::kPassed) return reaction;
  return tl::unexpected<Error>(
      UnusableFor(Name(), "its Model: ", reaction, "call-timeout-s"));
}

}  // namespace coppice::eval::torch
