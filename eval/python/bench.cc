#include "eval/python/bench.h"

#include <algorithm>
#include <utility>

#include "eval/same_task.h"
#include "eval/waiting.h"

namespace coppice::eval::python {
namespace {

constexpr std::uint64_t kParameterSeed = 42;  // KernelBench's, of everything.
constexpr int kDoorbells = 9;

DType PrecisionOf(const Definition& definition) {
  const std::string name =
      TagValue(definition, "precision").value_or("float32");
  if (name == "float16") return DType::kFloat16;
  if (name == "bfloat16") return DType::kBFloat16;
  return DType::kFloat32;
}

}  // namespace

Result<std::unique_ptr<Bench>> Bench::Open(const WorkerOptions& worker,
                                           const Task& task,
                                           std::uint64_t seed) {
  std::unique_ptr<Bench> bench(new Bench(task, seed));
  Construction& construction = bench->construction_;
  construction.entry = task.root.entry_symbol;
  construction.precision = PrecisionOf(task.definition);
  construction.seed = task.protocol == Protocol::kBenchmark ? kParameterSeed
                                                            : bench->NextSeed();
  // Both start at the same time.
  TRY(root, Contestant::Launch(worker));
  bench->root_ = std::move(root);
  TRY(problem, Problem::Open(worker, {.name = task.definition.name,
                                      .source = task.definition.reference,
                                      .protocol = task.protocol,
                                      .precision = construction.precision,
                                      .seed = construction.seed}));
  bench->problem_ = std::move(problem);
  construction.init = bench->problem_->init();
  TRY(state, bench->problem_->ReadState());
  bench->state_ = std::move(state);
  TRY_DONE(bench->problem_->Draw(bench->NextSeed()));
  TRY(slots, InputSlots::Create(bench->problem_->Drawn(), kSlots));
  bench->slots_ = std::make_unique<InputSlots>(std::move(slots));
  TRY_DONE(bench->StartRoot());
  TRY_DONE(bench->MeasureRoot());
  return bench;
}

Delegation Bench::DelegationOf(const Candidate& candidate) const {
  return candidate.source == SourceOf(task_.root) ? Delegation::kAny
                                                  : task_.delegation;
}

Result<void> Bench::StartRoot() {
  TRY_DONE(root_->Ready());
  TRY(prepared,
      root_->Prepare(SourceOf(task_.root), construction_, &state_, *slots_));
  if (prepared.verdict != Verdict::kPassed) {
    return Fail(Errc::kUsage,
                task_.definition.name + ": its root: " + prepared.log);
  }
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    TRY_DONE(root_->Arm(slot));
  }
  return {};
}

Result<void> Bench::MeasureRoot() {
  const auto start = Clock::now();
  TRY_DONE(Fill(0, NextSeed()));
  draw_s_ = Seconds(Clock::now() - start);
  const std::uint64_t seed = NextSeed();
  TRY_DONE(CallRoot(0, seed));
  const std::vector<Returned> once = RootOutputs();
  TRY(again, CallRoot(0, seed));
  root_call_s_ = again.wall_s;
  if (Compare(RootOutputs(), once, rule()).verdict != Verdict::kPassed) {
    return Fail(Errc::kUsage, task_.definition.name +
                                  ": its Model gives other outputs for equal "
                                  "inputs and an equal random generator");
  }
  std::vector<double> doorbells;
  for (int i = 0; i < kDoorbells; ++i) {
    TRY(nothing, root_->Nothing());
    doorbells.push_back(nothing.wall_s);
  }
  doorbell_s_ = *std::ranges::min_element(doorbells);
  return {};
}

Result<void> Bench::Fill(std::uint32_t slot, std::uint64_t seed) {
  TRY_DONE(problem_->Draw(seed));
  if (auto filled = slots_->Fill(slot, problem_->worker()); !filled) {
    return Fail(filled.error().code,
                task_.definition.name + ": " + filled.error().what);
  }
  return {};
}

Result<Reaction> Bench::CallRoot(std::uint32_t slot, std::uint64_t seed) {
  TRY(reaction, root_->Call(slot, seed));
  if (reaction.verdict == Verdict::kPassed) return reaction;
  return Fail(Errc::kUsage,
              task_.definition.name + ": its Model: " + reaction.log);
}

}  // namespace coppice::eval::python
