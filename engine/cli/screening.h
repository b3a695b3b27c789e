// Before a campaign begins: whether its task measures anything.  If a problem's
// right output is zeros whatever its inputs are, a kernel that computes nothing
// would be the best.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <set>
#include <string>

#include "engine/cli/screened.h"
#include "engine/documents/verb.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/fitness.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::cli {

using engine::IsKept;
using engine::MustBeKept;
using engine::TaskFitness;
using engine::Unfit;

inline constexpr Option kUnfitOption{
    "unfit", Takes::kText, "skip|keep",
    "tasks that measure nothing (skip; as a benchmark's --protocol: keep)"};

// Tells of a task that is unfit in a line, and puts it on its list.
void Enter(const Task& task, const TaskFitness& fitness, std::ostream& err,
           Screened& screened);

// "defines no get_inputs", of "FILE: defines no get_inputs".
std::string WithoutSubject(const std::string& subject, const std::string& what);

// Leaves out one that a benchmark cannot use, which the caller tells: `subject`
// is how the error names it.  Any but kUsage and kUnfit is an error of ours,
// and returned.
Result<void> LeaveOut(const std::string& task, const std::string& subject,
                      const Error& error, Screened& screened);

class Screening {
 public:
  // As --unfit has it.
  explicit Screening(const Invocation& invocation);

  // Judges as engine::FitnessOf has it; says so where it cannot be judged.
  Result<TaskFitness> Judge(engine::CampaignFactory& factory, const Task& task,
                            const std::string& campaign, std::ostream& err);

 private:
  Result<bool> HasBegun(const std::string& campaign);

  Unfit unfit_ = Unfit::kAsUsual;
  std::filesystem::path database_;              // There may be none yet.
  std::optional<std::set<std::string>> begun_;  // Its campaigns, once asked.
};

}  // namespace coppice::cli
