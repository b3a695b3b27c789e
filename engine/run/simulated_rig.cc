#include "engine/run/simulated_rig.h"

#include "agents/prompt/prompt_templates.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/replay.h"
#include "eval/judge/evaluator.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/care/maintenance.h"
#include "store/records/node.h"

namespace coppice::engine {

using store::Must;

LandscapeTasks Landscapes() {
  return LandscapeTasks(std::filesystem::path(COPPICE_SOURCE_DIR) / "data");
}

SimulatedRig::SimulatedRig(std::int64_t budget, const std::string& policy,
                           const std::string& task)
    : task_(Must(Landscapes().Find(task))),
      model_(Must(Landscapes().MakeModel(task_))),
      evaluator_(Must(Landscapes().MakeEvaluator(task_))),
      policy_(Must(search::MakePolicy(policy))),
      database_(std::make_unique<store::Database>(
          store::NewFile(directory_.File("x.db")))) {
  prompts_.emplace(Must(agents::PromptTemplates::Load(
      std::filesystem::path(COPPICE_SOURCE_DIR) / "data" / "prompts")));
  store::CampaignSpec spec;
  spec.uuid = FreshUuid(clock_);
  spec.name = "c";
  spec.task_name = task_.definition.name;
  spec.task_json = "{}";
  spec.policy = policy;
  spec.seed = kSeed;
  spec.budget_attempts = budget;
  Must(store::Campaigns(*database_).Create(spec));
}

store::CampaignRow SimulatedRig::Row() {
  return Must(store::Campaigns(*database_).List()).at(0);
}

std::unique_ptr<store::Database> SimulatedRig::Connect() const {
  return std::make_unique<store::Database>(Must(store::Database::Open(
      path(), store::Access::kReadWrite, store::Durability::kNormal)));
}

CampaignParts SimulatedRig::PartsFor(store::Database& database,
                                     agents::Model* model) {
  const Agent agent{model == nullptr ? model_.get() : model, {}};
  return {database, task_,  *policy_,  agent,
          agent,    agent,  *prompts_, {{evaluator_.get(), ""}},
          clock_,   {5, 2}, "test",    1};
}

Campaign::Options SimulatedRig::OptionsFor(int parallel) const {
  Campaign::Options options;
  options.database = path();
  options.confirm = false;
  options.parallel = parallel;
  return options;
}

namespace {

bool AreSame(const Remade& a, const Remade& b) {
  return a.again.node == b.again.node && a.again.reason == b.again.reason &&
         a.again.mate == b.again.mate && a.picks_again == b.picks_again &&
         a.directive_again == b.directive_again && a.in_flight == b.in_flight &&
         a.seen.Size() == b.seen.Size() &&
         a.seen.AttemptsLeft() == b.seen.AttemptsLeft() &&
         a.policy.Name() == b.policy.Name();
}

}  // namespace

std::vector<std::string> SimulatedRig::Findings() {
  std::vector<std::string> findings = Must(store::Diagnose(*database_));
  const store::CampaignRow row = Row();
  store::Summaries nodes;
  store::Add(Must(store::ReadNews(*database_, row.id, nodes)), nodes);
  const auto find = [&](std::int64_t decision, const char* what) {
    findings.push_back("decision " + std::to_string(decision) + what);
  };
  Must(Replay(Must(store::ReadAnnals(*database_, row.id)), row.spec.seed,
              search::MakePolicy, [&](const Remade& remade) {
                const std::int64_t decision = remade.recorded.decision;
                if (!remade.Agrees()) find(decision, " is made differently");
                const auto decision_state = Must(
                    store::ReadDecisionState(*database_, row.id, decision));
                bool is_same = false;
                Must(ReplayOne(*decision_state, nodes.nodes, row.spec.seed,
                               search::MakePolicy, [&](const Remade& alone) {
                                 is_same = AreSame(alone, remade);
                               }));
                if (!is_same) find(decision, " is made differently alone");
                return true;
              }));
  return findings;
}

std::vector<std::string> SimulatedRig::Rows(const std::string& sql) {
  return store::Rows(*database_, sql);
}

}  // namespace coppice::engine
