#include "tests/planted_site.h"

#include <optional>
#include <utility>

#include "agents/prompt/prompt_templates.h"
#include "agents/provider/retrying_model.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/station.h"
#include "engine/process/clock.h"
#include "engine/process/system_timer.h"
#include "search/policy.h"
#include "store/database.h"
#include "store/records/task.h"
#include "store/scratch_file.h"
#include "store/write/campaigns.h"
#include "tests/paced_agents.h"
#include "tests/planted_campaign.h"

namespace coppice {

using store::Must;

struct PlantedSite::Kept {
  Kept(const std::filesystem::path& file, std::int64_t attempts,
       double latency_s, eval::Evaluator& evaluator,
       store::Durability durability)
      : database(Must(store::Database::Open(file, store::Access::kReadWrite,
                                            durability))),
        task(PlantedTask()),
        policy(Must(search::MakePolicy("stark"))),
        prompts(Must(agents::PromptTemplates::Load(
            std::filesystem::path(COPPICE_SOURCE_DIR) / "data" / "prompts"))),
        timer(TheClock()),
        model(agents::MakeRetryingModel(
            agents::MakeModelTransport(MakePacedModel(latency_s)),
            std::make_shared<agents::Throttle>(agents::Limits{}, timer), timer,
            {})),
        agent{model.get(), {}},
        parts{database,   task,   *policy,     agent,
              agent,      agent,  prompts,     {{&evaluator, ""}},
              TheClock(), {5, 2}, "simulated", 1} {
    store::Campaigns campaigns(database);
    row = Must(campaigns.List()).at(0);
    row.spec.budget_attempts = row.attempts + attempts;
    Must(campaigns.SetBudget(row.id, row.spec.budget_attempts, std::nullopt));
  }

  store::Database database;
  const Task task;
  const std::unique_ptr<search::Policy> policy;
  const agents::PromptTemplates prompts;
  engine::SystemTimer timer;
  const std::unique_ptr<agents::Model> model;
  const engine::Agent agent;
  const engine::CampaignParts parts;
  store::CampaignRow row;
};

PlantedSite::PlantedSite(const std::filesystem::path& file,
                         std::int64_t attempts, double latency_s,
                         eval::Evaluator& evaluator,
                         store::Durability durability)
    : kept_(std::make_unique<Kept>(file, attempts, latency_s, evaluator,
                                   durability)) {}

PlantedSite::~PlantedSite() = default;

const engine::CampaignParts& PlantedSite::parts() const { return kept_->parts; }

const store::CampaignRow& PlantedSite::row() const { return kept_->row; }

}  // namespace coppice
