#include "tests/drifting_place.h"

#include <optional>

#include "agents/provider/model.h"
#include "engine/campaign/campaign.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/station.h"
#include "engine/factory/campaign_factory.h"
#include "search/policy.h"
#include "store/scratch_file.h"
#include "store/write/campaigns.h"
#include "tests/drifting_campaigns.h"
#include "tests/drifting_machine.h"
#include "tests/variant_model.h"

namespace coppice {
namespace {

using store::Must;

class Unwatched final : public engine::Observer {
 public:
  void OnCommit(const engine::Progress&, const NodeRecord&) override {}
  void OnConfirm(const engine::Progress&, NodeId) override {}
};

}  // namespace

DriftingPlace::DriftingPlace(const DriftingFile& file,
                             const config::Surroundings& surroundings)
    : file_(file),
      loaded_(Must(config::Load(surroundings, std::nullopt,
                                {{"policy", file.policy},
                                 {"seed", std::to_string(file.seed)},
                                 {"budget", std::to_string(kDriftingBudget)},
                                 {"db", file.path.string()}}))),
      factory_(Must(
          engine::CampaignFactory::Make(loaded_, "no runner", clock_, drain_))),
      database_(store::NewFile(file.path)),
      model_(MakeVariantModel()) {}

DriftingPlace::~DriftingPlace() = default;

store::CampaignRow DriftingPlace::Row(const std::string& name) {
  return Must(store::Campaigns(database_).Find(name));
}

void DriftingPlace::Run(const std::string& name, const Task& task,
                        eval::Evaluator& evaluator) {
  while (!RunOnce(name, task, evaluator)) {
  }
}

bool DriftingPlace::RunOnce(const std::string& name, const Task& task,
                            eval::Evaluator& evaluator) {
  const store::CampaignRow row = Row(name);
  const auto policy = Must(search::MakePolicy(store::PolicyOf(row.spec)));
  const engine::Agent agent{model_.get(), {}};
  const engine::CampaignParts parts{
      database_,
      task,
      *policy,
      agent,
      agent,
      agent,
      *Must(factory_->PromptsOf(factory_->settings())),
      {{&evaluator, ""}},
      clock_,
      {5, 2},
      DriftingMachine::kHardware,
      1};
  engine::Campaign::Options options;
  options.database = file_.path;
  engine::Campaign campaign(parts, row, options);
  Unwatched nobody;
  Must(campaign.Run(nobody));
  return campaign.is_confirmed() || campaign.progress().best == kRootNode;
}

}  // namespace coppice
