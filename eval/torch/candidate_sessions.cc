#include "eval/torch/candidate_sessions.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "eval/host/waiting.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/bench.h"
#include "eval/torch/jit_compile.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/python_session.h"
#include "eval/torch/python_workbench.h"
#include "store/records/tier.h"

namespace coppice::eval::torch {
namespace {

// Enters one case's.
void Add(EvaluationSession one, bool is_timed, EvaluationSession& all) {
  std::string log = std::move(all.log);
  if (log.find(one.log) == std::string::npos) log += one.log;
  static_cast<Outcome&>(all) = one;
  all.log = std::move(log);
  all.hint = one.hint;
  all.check_s += one.check_s;
  all.timing_s += one.timing_s;
  if (!is_timed && one.verdict == Verdict::kPassed) return;
  // It says where it failed.
  std::ranges::move(one.workloads, std::back_inserter(all.workloads));
}

}  // namespace

CandidateSessions::CandidateSessions(PythonWorkbench& workbench)
    : workbench_(workbench),
      stability_(workbench.options().quiet, workbench.options().threads) {}

void CandidateSessions::TurnTo(std::filesystem::path built) {
  built_ = std::move(built);
  is_tested_ = false;
  compile_s_ = 0.0;
}

Result<EvaluationSession> CandidateSessions::Run(const Candidate& candidate,
                                                 Tier tier) {
  TRY(own, workbench_.Take(WorkerRole::kKernel));
  if (!built_.empty()) {
    TRY(is_whole, CopyBuilt(built_, own.cache.path()));
    if (!is_whole) {
      EvaluationSession session;
      session.verdict = Verdict::kCompileFailed;
      session.log = std::string(kTooMuchBuilt) + "\n";
      return session;
    }
  }
  KernelWorker& kernel_worker = *own.kernel_worker;
  TRY(session, RunCases(kernel_worker, candidate, tier));
  compile_s_ += kernel_worker.compile_s();
  session.check_s -= kernel_worker.compile_s();
  if (session.verdict == Verdict::kCrashed && workbench_.IsOnDevice()) {
    own.kernel_worker.reset();  // With the memory that it holds.
    const auto start = Clock::now();
    TRY_DONE(ExplainCrash(candidate, session));
    session.check_s += Seconds(Clock::now() - start);
  }
  return session;
}

// Why it crashed is not known otherwise: it stays a crash if that cannot be
// found out.
Result<void> CandidateSessions::ExplainCrash(const Candidate& candidate,
                                             EvaluationSession& crashed) {
  TRY(own, workbench_.Take(WorkerRole::kKernel));
  if (!built_.empty()) TRY_DONE(CopyBuilt(built_, own.cache.path()));
  const auto changes =
      ChangesInputs(workbench_.bench(), *own.kernel_worker, candidate);
  if (!changes && changes.error().code == Errc::kCancelled) {
    return tl::unexpected<Error>(changes.error());
  }
  if (!changes || !*changes) return {};
  Outcome outcome = Rejected(Breach::kWroteInput, "it changed an input\n");
  for (WorkloadResult& result : crashed.workloads) {
    if (result.verdict != Verdict::kCrashed) continue;
    result.verdict = outcome.verdict;
    result.breach = outcome.breach;
  }
  static_cast<Outcome&>(crashed) = std::move(outcome);
  return {};
}

// All cases in one process, as their own evaluators have it; those that are not
// timed only the first time.
Result<EvaluationSession> CandidateSessions::RunCases(
    KernelWorker& kernel_worker, const Candidate& candidate, Tier tier) {
  EvaluationSession all;
  bool has_control = false;
  TorchBench& bench = workbench_.bench();
  const std::vector<Case>& cases = bench.cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].is_timed && is_tested_) continue;
    if (kernel_worker.HasLoaded()) {
      TRY(parted, kernel_worker.Part());
      if (parted.verdict != Verdict::kPassed) {
        static_cast<Outcome&>(all) = parted;
        return all;
      }
    }
    TRY_DONE(bench.TurnTo(i));
    TRY_DONE(bench.BringRoot());
    const bool is_timed = cases[i].is_timed && workbench_.IsTimed();
    if (is_timed && !has_control && bench.WantsControl()) {
      TRY_DONE(RenewControl());
      has_control = true;
    }
    TRY(one, RunSession(bench, kernel_worker, candidate, EffortOf(tier)));
    Add(std::move(one), cases[i].is_timed, all);
    if (all.verdict != Verdict::kPassed) return all;
    // While it is at hand; whoever wants it says what was wrong.
    if (cases.size() > 1 && is_timed) {
      static_cast<void>(bench.LeastWriting(i));
    }
  }
  is_tested_ = true;
  return all;
}

Effort CandidateSessions::EffortOf(Tier tier) {
  Effort effort{.checks = 5,
                .is_thorough = true,
                .timing = TimingBudget{.min_rounds = 15,
                                       .max_rounds = 200,
                                       .seconds = 1.0,
                                       .noise = 0.01,
                                       .batch_s = 0.0,
                                       .long_s = 20.0}};
  if (tier == Tier::kFast) {
    effort = {.checks = 3,
              .timing = TimingBudget{.min_rounds = 7,
                                     .max_rounds = 60,
                                     .seconds = 0.3,
                                     .noise = 0.02,
                                     .batch_s = 0.0,
                                     .long_s = 5.0},
              .hints = true};
  }
  effort.cancelled = workbench_.options().cancelled;
  if (!workbench_.IsTimed()) effort.timing.reset();
  if (workbench_.bench().device_name().empty()) {
    effort.stability = &stability_;
  }
  return effort;
}

Result<void> CandidateSessions::RenewControl() {
  TRY(control, workbench_.Take(WorkerRole::kKernel));
  return workbench_.bench().RenewControl(std::move(control));
}

}  // namespace coppice::eval::torch
