// What the verbs that run campaigns share: run, resume and bench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/cli/screened.h"
#include "engine/documents/verb.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine {
class CampaignFactory;
enum class GivenBudget : std::uint8_t;
}  // namespace coppice::engine
namespace coppice::store {
class Database;
}

namespace coppice::cli {

// A campaign to run: an existing one, or one to be found or started.
struct CampaignJob {
  Task task;
  std::string task_name;  // As the user named it.
  std::string campaign;   // Empty: named after the task.
  // What the task's expert solution does is measured, too, and told beside it.
  bool with_expert = false;
  // It counts in a benchmark's metrics, and may be left out of it: that it
  // cannot be judged is told, and the others go on.
  bool is_of_benchmark = false;
  engine::GivenBudget budget{};  // It only grows.
};

// Enters all of them, so that `coppice resume` begins what this process does
// not come to, then runs them one after the other with progress on stderr, and
// prints the report, with what was `screened` before.  kNoImprovement if no
// campaign beat its root, kInterrupted if the user stopped it.
Result<Exit> RunCampaignJobs(const Invocation& invocation, Streams& streams,
                             engine::CampaignFactory& factory,
                             store::Database& database,
                             const std::vector<CampaignJob>& jobs,
                             Screened screened = {});

// The same in settings.db, which may be made for it.
Result<Exit> StartCampaigns(const Invocation& invocation, Streams& streams,
                            engine::CampaignFactory& factory,
                            const std::vector<CampaignJob>& jobs,
                            Screened screened = {});

}  // namespace coppice::cli
