// What torch makes of a task in PyTorch by itself: its Model as it is, and
// compiled by torch.compile.  Measured as candidates are, in the place of one.
//
// They are stored under the names that KernelBench has for them, so that files
// of baseline times have the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Evaluation;
struct Task;
}  // namespace coppice
namespace coppice::eval {
class Evaluator;
}
namespace coppice::store {
class Database;
}

namespace coppice::engine {

class Clock;

enum class TorchBaseline : std::uint8_t { kEager, kCompile, kMaxAutotune };

// As users write it: "max-autotune"; and of all, in the order above.
std::string_view NameOf(TorchBaseline baseline);
std::vector<std::string> TorchBaselineNames();

// As it is stored: "torch_compile_inductor_max-autotune".
std::string StoredName(TorchBaseline baseline);

// None: nothing of torch's is stored so.
std::optional<TorchBaseline> StoredAs(const std::string& stored);

// kUsage names the nearest.
Result<TorchBaseline> ParseTorchBaseline(const std::string& name);

// What --baselines says: "eager,compile", "all" or "none".  Each once, in the
// order above.
Result<std::vector<TorchBaseline>> ParseTorchBaselines(const std::string& list);

// Trusted: whatever the task's rule of delegation, torch may do the work.
// kUsage: the task is not in PyTorch.
Result<Candidate> CandidateOf(TorchBaseline baseline, const Task& task);

// What came of one that was measured just now.
using HeardOfBaseline =
    std::function<void(TorchBaseline, const Result<Evaluation>&)>;

// Judges those of which the database tells nothing yet, for this task
// and in the evaluator's environment, by the full tier as the campaign's best
// is, and stores them with the campaign.  One that cannot be judged is only
// told of. None begins once `drain` is set.
Result<void> MeasureTorchBaselines(eval::Evaluator& evaluator, const Task& task,
                                   const std::vector<TorchBaseline>& baselines,
                                   store::Database& database,
                                   CampaignId campaign, const Clock& clock,
                                   const std::atomic<bool>& drain,
                                   const HeardOfBaseline& heard);

}  // namespace coppice::engine
