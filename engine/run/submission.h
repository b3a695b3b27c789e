// Takes kernels that people submit into a campaign: judged like any candidate,
// by whoever runs the campaign, or by this process if nobody does.
#pragma once

#include <functional>
#include <string>
#include <vector>

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

enum class Await : std::uint8_t {
  kJudged,   // Until all are judged.
  kNothing,  // Whoever runs the campaign, now or later, judges them.
};

struct Submission {
  store::Intake intake;
  // As far as they are judged, in their order.
  std::vector<store::ClaimLine> lines;
  bool is_judged = false;    // All of them.
  bool is_drained = false;   // The user wants no more of it for now.
  std::string open_because;  // Empty: nothing is open, or the above says why.
};

// Submits the claims in one transaction, once the root is measured.  Killed
// before it, nothing was submitted; after it, submitting the same again, or
// `coppice resume`, has them judged.  `say` is told what is waited for.
Result<Submission> Submit(CampaignFactory& factory, store::Database& database,
                          const Task& task, const store::CampaignRow& campaign,
                          const std::vector<store::Claim>& claims, Await await,
                          Observer& observer,
                          const std::function<void(const std::string&)>& say);

}  // namespace coppice::engine
