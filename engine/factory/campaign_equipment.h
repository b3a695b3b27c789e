// What campaigns are composed of that the settings choose for each: policy,
// agents, prompts and caps.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice {
struct Task;
}
namespace coppice::config {
struct Settings;
}
namespace coppice::search {
class ModelRule;
class Policy;
}  // namespace coppice::search
namespace coppice::store {
struct CampaignSpec;
class Database;
}  // namespace coppice::store

namespace coppice::engine {

class AgentFactory;
struct CampaignParts;
class Clock;
class EvaluatorFactory;
class NamedAgents;
class PromptSets;

class CampaignEquipment {
 public:
  // All outlives it.
  CampaignEquipment(AgentFactory& agents, EvaluatorFactory& evaluators,
                    PromptSets& prompts, const Clock& clock);
  ~CampaignEquipment();

  // kUsage: there is no such, before anything is created for it.
  static Result<void> CheckModelRule(const std::string& text);
  static Result<void> CheckPolicy(const std::string& text);

  // As CampaignFactory::Equip; `said` are the settings of that campaign.
  Result<CampaignParts> Equip(const Task& task, const config::Settings& said,
                              const store::CampaignSpec& campaign,
                              store::Database& database);

 private:
  AgentFactory& agents_;
  EvaluatorFactory& evaluators_;
  PromptSets& prompts_;
  const Clock& clock_;
  std::map<std::string, std::unique_ptr<search::Policy>> policies_;
  std::map<std::string, std::unique_ptr<search::ModelRule>> model_rules_;
  std::vector<std::unique_ptr<NamedAgents>> named_;  // Of what it returned.
};

}  // namespace coppice::engine
