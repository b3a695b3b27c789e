// Runs campaigns for a user: finds or starts the campaign of a task in the
// database, takes its lock, runs it, and sums up what came of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/campaign/budget.h"
#include "engine/campaign/extent.h"
#include "store/records/result.h"
#include "store/write/campaigns.h"

namespace coppice {
struct Task;
}
namespace coppice::config {
struct Settings;
}

namespace coppice::store {
class Database;
}

namespace coppice::engine {

class CampaignFactory;
struct CampaignReport;
class Observer;

// kUsage if the campaign is on another task, or on another text of it, its
// nodes are judged by another protocol, rule of delegation or precision, or the
// command line asks for another search: agents or seed, itself or by a preset,
// or another policy by a preset.
Result<void> CheckIsOn(const CampaignFactory& factory,
                       const store::CampaignSpec& campaign, const Task& task);

// A new campaign of the settings' policy, seed and budget.
store::CampaignSpec Specify(const CampaignFactory& factory, const Task& task,
                            const std::string& name);

// "TASK.POLICY.sSEED", or "TASK.POLICY.alone.sSEED" if the code agent works
// alone.
std::string CampaignName(const config::Settings& settings,
                         const std::string& task_name);

// A campaign that is to run, with the budget that it shall have.
struct Intent {
  store::CampaignSpec spec;
  std::optional<store::CampaignRow> found;  // None: it is to be created.
};

// The campaign of that name, or a new one of the settings' policy, seed and
// budget.  An empty name means that of CampaignName.  An existing campaign
// keeps its seed and agents, and its policy, unless the command line names
// another by itself: that makes the decisions from then on.  None is begun on a
// task that cannot be judged, and none goes on whose agents could write no more
// of its attempts, or of whose settings the user has to say some again. Changes
// nothing.
Result<Intent> Intend(CampaignFactory& factory, store::Database& database,
                      const Task& task, const std::string& task_name,
                      const std::string& name,
                      GivenBudget given = GivenBudget::kOnlyGrows);

// Makes it so, for all that one command asks for before the first of them runs,
// and in one transaction: who resumes after a crash finds all or none of them.
// In their order.
Result<std::vector<store::CampaignRow>> Enter(
    store::Database& database, const std::vector<Intent>& intents);

// Both, for one.
Result<store::CampaignRow> FindOrStart(CampaignFactory& factory,
                                       store::Database& database,
                                       const Task& task,
                                       const std::string& task_name,
                                       const std::string& name);

// kBusy if another process has it alone.
Result<CampaignReport> RunCampaign(CampaignFactory& factory,
                                   store::Database& database, const Task& task,
                                   const store::CampaignRow& found,
                                   Observer& observer,
                                   Extent extent = Extent::kAttempts);

}  // namespace coppice::engine
