// One sitting: a candidate on every workload of a task, checked and timed in
// processes of its own.  The full tier has two, with inputs of their own, whose
// results must agree; the root is timed within each.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/bench.h"
#include "eval/lanes.h"
#include "eval/side_work.h"
#include "eval/stillness.h"
#include "eval/stopping.h"
#include "store/records/evaluation.h"
#include "store/records/result.h"

namespace coppice::eval {

struct Depth {
  // Per workload, before timing: plain inputs, at least once, and so many
  // adversarial kinds, or all if there are fewer.
  int plain = 1;
  std::size_t adversarial = 0;
  // Whether a second process shall give the same bits on the same inputs.  If
  // not, that is remarked on.
  bool repeat = false;
  double fresh_s;  // Per workload, for data sets that are made for it.
  std::optional<TimingBudget> timing;  // None: it is only checked.
  double counted_s = 0.0;  // Calls that take no longer are counted, too.
};

struct Sitting {
  Verdict verdict = Verdict::kPassed;
  std::string log;
  std::vector<WorkloadResult> workloads;  // Of the benches, in their order.
  double check_s = 0.0;                   // Wall seconds.
  double timing_s = 0.0;
};

using Benches = std::vector<std::unique_ptr<Bench>>;

// Checks workloads side by side, unless somebody else measures at this moment.
// Waits for the machine's measurement lock before it times, and then all lanes
// and side work rest.
Result<Sitting> Sit(const Benches& benches, const Program& program,
                    const Depth& depth, Lanes& lanes, SideWork& side,
                    Stillness& stillness, const std::atomic<bool>* cancelled);

// Speeds relative to the root, which cancels what the machine did meanwhile,
// differ on no workload by more than 10 % or half of the difference's 95 %
// interval, whichever is more.  REQUIRES: both passed on equal workloads, timed
// in 3 rounds or more.
bool Agree(const Sitting& a, const Sitting& b);

// Adds a sitting's results to those before it, and its samples as those of
// session `number`.
void Enter(const Sitting& sitting, int number, Evaluation& evaluation);

// What the full tier makes of a first sitting, entered as session 0: enters
// sittings by `sit_again` until one does not pass, or two agree, three in all
// at most: those that disagree widen the interval (Pool).  REQUIRES: `first`
// passed.
Result<void> SitUntilTwoAgree(Sitting first,
                              const std::function<Result<Sitting>()>& sit_again,
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
