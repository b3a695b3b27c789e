// A candidate's sessions (python_session.h), each on all cases of its task and
// in a process of its own.
#pragma once

#include <cstdint>
#include <filesystem>

#include "eval/host/timing_stability.h"
#include "store/records/result.h"

namespace coppice {
struct Candidate;
enum class Tier : std::uint8_t;
}  // namespace coppice
namespace coppice::eval {
struct EvaluationSession;
}

namespace coppice::eval::torch {

struct Effort;
class KernelWorker;
class PythonWorkbench;

class CandidateSessions {
 public:
  // It outlives this, and has adopted the task of what is asked.
  explicit CandidateSessions(PythonWorkbench& workbench);

  // What follows is of another candidate, of which compilers have left that;
  // empty: nothing.
  void TurnTo(std::filesystem::path built);

  Result<EvaluationSession> Run(const Candidate& candidate, Tier tier);

  // The seconds that its processes had something compiled in.
  double compile_s() const { return compile_s_; }

 private:
  Result<void> ExplainCrash(const Candidate& candidate,
                            EvaluationSession& crashed);
  Result<EvaluationSession> RunCases(KernelWorker& kernel_worker,
                                     const Candidate& candidate, Tier tier);
  Effort EffortOf(Tier tier);
  Result<void> RenewControl();

  PythonWorkbench& workbench_;
  TimingStability stability_;
  std::filesystem::path built_;
  bool is_tested_ = false;  // It has passed the cases that are not timed.
  double compile_s_ = 0.0;
};

}  // namespace coppice::eval::torch
