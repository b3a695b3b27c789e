// A simulated campaign for tests: a database of its own, and as many processes'
// worth of connections to it as a test asks for.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/prompt/prompt_templates.h"
#include "agents/provider/model.h"
#include "engine/campaign/campaign.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/station.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "search/policy.h"
#include "store/scratch_file.h"

namespace coppice::engine {

// The landscapes of the source tree.
LandscapeTasks Landscapes();

class SimulatedRig {
 public:
  static constexpr std::uint64_t kSeed = 7;

  explicit SimulatedRig(std::int64_t budget,
                        const std::string& policy = "stark",
                        const std::string& task = "sim:basic");

  std::filesystem::path path() const { return directory_.File("x.db"); }
  store::CampaignRow Row();
  // As a process of its own has them.  `model` takes the simulation's place.
  std::unique_ptr<store::Database> Connect() const;
  CampaignParts PartsFor(store::Database& database,
                         agents::Model* model = nullptr);
  Campaign::Options OptionsFor(int parallel) const;

  const Task& task() const { return task_; }
  agents::Model& model() { return *model_; }
  eval::Evaluator& evaluator() { return *evaluator_; }
  const Clock& clock() const { return clock_; }

  // Its own connection: none may be open in a process that forks.
  void Close() { database_.reset(); }
  void Reopen() { database_ = Connect(); }

  // CampaignFindings.
  std::vector<std::string> Findings();
  std::vector<std::string> Rows(const std::string& sql);

 private:
  store::ScratchDirectory directory_;
  SystemClock clock_;
  Task task_;
  std::unique_ptr<agents::Model> model_;
  std::unique_ptr<eval::Evaluator> evaluator_;
  std::unique_ptr<search::Policy> policy_;
  std::optional<agents::PromptTemplates> prompts_;
  std::unique_ptr<store::Database> database_;
};

class Silent final : public Observer {
 public:
  void OnCommit(const Progress&, const NodeRecord&) override { ++commits; }
  void OnConfirm(const Progress&, NodeId) override {}
  int commits = 0;  // The campaign calls one at a time.
};

}  // namespace coppice::engine
