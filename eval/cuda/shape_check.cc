#include "eval/cuda/shape_check.h"

#include <utility>
#include <vector>

#include "eval/cuda/adversarial.h"
#include "eval/cuda/channel.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/preparation.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/measurement.h"
#include "eval/judge/other_shapes.h"
#include "store/records/candidate.h"

namespace coppice::eval::cuda {
namespace {

constexpr int kPlainCalls = 2;
constexpr std::uint32_t kKinds = 2;
constexpr std::uint32_t kSets = 4;

}  // namespace

Result<ShapeCheck> ShapeCheck::Begin(const ShapePlace& place,
                                     const Task& task) {
  ShapeCheck check(place, task);
  TRY_DONE(check.StartTrusted());
  return check;
}

Result<void> ShapeCheck::StartTrusted() {
  TRY(trusted_runner, place_.runners.Start());
  TRY(root, place_.runners.Start());
  trusted_ = {std::move(trusted_runner), std::move(root)};
  benches_ = 0;
  return {};
}

Result<void> ShapeCheck::AwaitTrusted() {
  if (benches_ > 0) return {};
  TRY_DONE(trusted_.trusted_runner->Ready());
  return trusted_.root->Ready();
}

Result<void> ShapeCheck::Check(const Candidate& candidate, std::uint64_t seed,
                               Evaluation& evaluation) {
  const auto check = [&](const Workload& workload, std::uint64_t inputs_seed) {
    return CheckOn(workload, candidate, inputs_seed);
  };
  return CheckOtherShapes(task_, seed, check, evaluation);
}

Result<OnShape> ShapeCheck::CheckOn(const Workload& workload,
                                    const Candidate& candidate,
                                    std::uint64_t seed) {
  Task task = task_;
  task.workloads = {workload};
  OnShape judged;
  const auto of_root = [&](const Error& error) -> Result<OnShape> {
    if (error.code != Errc::kUsage) return tl::unexpected<Error>(error);
    judged.root = {Verdict::kCrashed, error.what};
    return judged;
  };
  const auto root =
      PrepareTrusted(place_.toolchain, task, task.root, PlanSide::kKernel);
  if (!root) return of_root(root.error());
  const auto oracle =
      PrepareTrusted(place_.toolchain, task, task.oracle, PlanSide::kOracle);
  if (!oracle) return of_root(oracle.error());
  TRY(adversarial, AdversarialInputs::Make(task, workload, seed));
  for (std::uint32_t i = 0; i < kKinds; ++i) adversarial->BeginAnother();
  TRY_DONE(AwaitTrusted());
  auto bench = CudaBench::Open(trusted_,
                               {.root = root->assignments.front(),
                                .oracle = oracle->assignments.front(),
                                .number = benches_++,
                                .seed = seed,
                                .adversarial = std::move(adversarial),
                                .batch = kSets},
                               task, workload);
  if (!bench) {
    TRY_DONE(StartTrusted());  // A fault may have ended them.
    return of_root(bench.error());
  }
  const auto of_kinds = CheckRoot(**bench);
  if (!of_kinds) {
    TRY_DONE(StartTrusted());
    return of_root(of_kinds.error());
  }
  TRY(prepared, Prepare(place_.toolchain, task, candidate, PlanSide::kKernel));
  if (prepared.verdict != Verdict::kPassed) {
    judged.candidate = {prepared.verdict, prepared.diagnostics + "\n"};
    return judged;
  }
  TRY_ASSIGN(judged.candidate, CheckOn(**bench, prepared));
  return judged;
}

// On the inputs that the candidate will meet beside plain ones, on which the
// bench has called it.
Result<void> ShapeCheck::CheckRoot(CudaBench& bench) {
  for (const std::size_t kind : bench.adversarial().begun()) {
    TRY(data, bench.AdversarialData(kind));
    TRY_DONE(bench.CheckRoot(data));
  }
  return {};
}

Result<Outcome> ShapeCheck::CheckOn(CudaBench& bench,
                                    const Prepared& prepared) {
  if (candidate_ == nullptr) {
    TRY_ASSIGN(candidate_, place_.runners.Take(prepared.libraries));
  }
  CudaChannel channel(bench, {.process = candidate_,
                              .number = opened_++,
                              .runners = place_.runners,
                              .libraries = prepared.libraries,
                              .runner_program = prepared.assignments.front(),
                              .abilities = place_.abilities,
                              .timeout_s = place_.call_timeout_s});
  Measurement measurement(
      channel, {.workload = bench.workload().uuid, .seed = bench.Secret()});
  TRY_DONE(measurement.Load());
  std::vector<std::uint32_t> kinds;
  for (const std::size_t kind : bench.adversarial().begun()) {
    kinds.push_back(static_cast<std::uint32_t>(kind + 1));
  }
  TRY_DONE(measurement.Check({.plain = kPlainCalls, .kinds = kinds}));
  return OutcomeOf(measurement, channel.Output());
}

}  // namespace coppice::eval::cuda
