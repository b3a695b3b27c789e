// The agents of a campaign, by its settings.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/campaign/agent.h"
#include "engine/factory/session_openers.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice {
struct Task;
}

namespace coppice::engine {

class ModelFactory;

inline constexpr Role kRoles[] = {Role::kPlan, Role::kCode, Role::kDebug};

class AgentFactory {
 public:
  // `models` outlives it.  Null: there are no sessions to work in.
  AgentFactory(ModelFactory& models, std::unique_ptr<SessionOpeners> sessions);
  ~AgentFactory();

  // For each of the models of a role.
  Result<std::vector<Agent>> AgentsFor(const Task& task,
                                       const config::Settings& settings,
                                       Role role);
  // For the one model of a role that somebody names.
  Result<Agent> AgentNamed(const Task& task, const config::Settings& settings,
                           Role role, const std::string& model);
  // As CampaignFactory has them.
  Result<std::vector<std::string>> UnheededNotices(
      const Task& task, const config::Settings& settings);

 private:
  // Null: its agents work in no sessions.
  Result<const SessionOpener*> OpenerFor(const config::Settings& settings,
                                         const config::ModelChoice& choice);

  ModelFactory& models_;
  const std::unique_ptr<SessionOpeners> sessions_;
};

}  // namespace coppice::engine
