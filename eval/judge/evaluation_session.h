// One session: a candidate on every workload of a task, checked and timed in
// processes of its own.  The full tier has two, with inputs of their own, whose
// results must agree; the root is timed within each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/records/hint.h"
#include "store/records/outcome.h"
#include "store/records/result.h"
#include "store/records/task.h"
#include "store/records/workload_result.h"

namespace coppice {
struct Evaluation;
}

namespace coppice::eval {

class Measurement;

struct EvaluationSession : Outcome {
  std::vector<WorkloadResult> workloads;  // Of the benches, in their order.
  double check_s = 0.0;                   // Wall seconds.
  double timing_s = 0.0;
  std::optional<Hint> hint{};  // Of one that computed wrong.
};

// Enters what came of one workload, and its log under the first failure or a
// pass.  `printed` tells what the candidate printed.
void Record(const Measurement& measurement, const Workload& workload,
            const std::function<std::string()>& printed, WorkloadResult& result,
            EvaluationSession& session);

// Why a check failed, with what the candidate printed; or that it did not.
Outcome OutcomeOf(const Measurement& measurement, const std::string& printed);

// Speeds relative to the root, which cancels what the machine did meanwhile,
// differ on no workload by more than 10 % or half of the difference's 95 %
// interval, whichever is more.  REQUIRES: both passed on equal workloads, timed
// in 3 rounds or more.
bool Agree(const EvaluationSession& a, const EvaluationSession& b);

// Adds a session's results to those before it, and its samples as those of
// session `number`.
void Enter(const EvaluationSession& session, int number,
           Evaluation& evaluation);

// What the full tier makes of a first session, which is entered as session 0.
// Enters sessions by `run_again` until one does not pass or two agree, three in
// all at most; those that disagree widen the interval (Pool).  REQUIRES:
// `first` passed.
Result<void> RepeatUntilTwoAgree(
    EvaluationSession first,
    const std::function<Result<EvaluationSession>()>& run_again,
    Evaluation& evaluation);

// "M=33, N=17"
std::string ShapeText(const Workload& workload);

// "workload ID (M=33, N=17): "
std::string Prefix(const Workload& workload);

// Without its middle, where it has more bytes: why something failed is often
// said last.
std::string Abridge(const std::string& text, std::size_t most_bytes);

// What a candidate printed, for a log; abridged.
std::string Quote(const std::string& printed);

}  // namespace coppice::eval
