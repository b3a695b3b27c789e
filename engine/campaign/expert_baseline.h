// The expert solution that a task may come with: what to compare results with.
// It is trusted and may call libraries, which candidates may not.
#pragma once

#include <optional>

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

// None if the task comes with none.
std::optional<Candidate> ExpertOf(const Task& task);

// Its judges let a trusted candidate call whatever it does, unlike those that
// agents write.
Task Trusting(Task task);

// What it did, by the full tier, as the campaign's best is measured: the stored
// evaluation if it passed, or else a new one, which is stored.  None if the
// task comes with none.
Result<std::optional<Evaluation>> JudgeExpert(eval::Evaluator& evaluator,
                                              const Task& task,
                                              store::Database& database,
                                              CampaignId campaign,
                                              const Clock& clock);

}  // namespace coppice::engine
