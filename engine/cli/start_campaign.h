// What the verbs that run campaigns share: run, resume and bench.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/campaign/budget.h"
#include "engine/campaign/outages.h"
#include "engine/cli/screened.h"
#include "engine/documents/verb.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine {
class CampaignFactory;
class Display;
enum class Surface;
}  // namespace coppice::engine
namespace coppice::store {
enum class Access;
class Database;
}  // namespace coppice::store

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
  engine::GivenBudget budget = engine::GivenBudget::kOnlyGrows;
};

// Options that these verbs take beside settings.
std::vector<Option> CampaignOptions();

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

// kUsage if no terminal would show it as it is.
Result<void> CheckCampaignName(const std::string& name);

// What --progress asks for.
Result<engine::Surface> SurfaceOf(const Invocation& invocation,
                                  bool is_terminal);

// The same, of who tells of several campaigns at once, and that in words.
Result<engine::Surface> TextSurfaceOf(const Invocation& invocation,
                                      bool is_terminal);

Result<std::unique_ptr<engine::CampaignFactory>> OpenFactory(
    const Invocation& invocation);

// Says on stderr what is waited for, where nothing else is said meanwhile.
engine::Outages::Listener Listen(engine::CampaignFactory& factory,
                                 Streams& streams);

// Shows it there.
engine::Outages::Listener Listen(engine::CampaignFactory& factory,
                                 engine::Display& display);

// Opens settings.db once the options are known to be right, and arms the crash
// test's hook if its variable is set.
Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    store::Access access);

// For campaigns, which wait for whatever is in the way of the file: `listener`
// lives as long as the database, so that no wait is silent.
Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    const engine::Outages::Listener& listener,
                                    store::Access access);

}  // namespace coppice::cli
