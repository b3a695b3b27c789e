// Takes kernels from elsewhere into a campaign.  They are candidates like those
// that agents write, children of the root, and judged by the same evaluator;
// what is said of them counts for nothing.
#pragma once

#include <string>
#include <vector>

#include "engine/campaign/extent.h"
#include "store/records/result.h"
#include "store/write/claims.h"

namespace coppice {
struct Task;
}
namespace coppice::store {
struct CampaignRow;
class Database;
}  // namespace coppice::store

namespace coppice::engine {

class CampaignFactory;
class Observer;

// The campaign of that name on the task, or a new one in which no policy has
// anything to decide: its budget is what is imported.
Result<store::CampaignRow> FindOrPlant(CampaignFactory& factory,
                                       store::Database& database,
                                       const Task& task,
                                       const std::string& name);

struct Imported {
  store::Intake intake;
  Ending ending = Ending::kBudgetSpent;
};

// Submits the claims and, unless they are for later, judges them and whatever
// else was begun in the campaign.  Drained or killed, `coppice resume` goes on.
Result<Imported> Import(CampaignFactory& factory, store::Database& database,
                        const Task& task, const store::CampaignRow& campaign,
                        const std::vector<store::Claim>& claims,
                        store::Judging judging, Observer& observer);

}  // namespace coppice::engine
