#include "engine/run/session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "config/keys.h"
#include "config/load.h"
#include "engine/campaign/stop_rules.h"
#include "engine/factory/agent_models.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/clock.h"
#include "engine/python_policy/policy_file.h"
#include "engine/run/grid.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/same_task.h"
#include "eval/torch/kernelbench.h"
#include "search/policy.h"
#include "store/read/progress_curve.h"
#include "store/records/evaluation.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kPolicy = "policy";

// "stark", or "stark.alone" if the code agent works alone.
std::string PolicyText(const config::Settings& settings) {
  return search::PolicySpelling(settings.policy) +
         (settings.agents == config::Agents::kAlone ? ".alone" : "");
}

store::CampaignChange ChangeOf(const store::CampaignRow& row,
                               const store::CampaignSpec& wanted) {
  store::CampaignChange change;
  change.id = row.id;
  if (wanted.budget_attempts != row.spec.budget_attempts ||
      wanted.budget_s != row.spec.budget_s) {
    change.budget_attempts = wanted.budget_attempts;
    change.budget_s = wanted.budget_s;
  }
  for (const store::CampaignSetting& setting : wanted.settings) {
    const auto before = std::ranges::find(row.spec.settings, setting.key,
                                          &store::CampaignSetting::key);
    const bool is_there = before != row.spec.settings.end();
    if (is_there && before->value == setting.value) continue;
    if (setting.key == kPolicy) {
      change.policy = setting;
    } else {
      change.settings.push_back(setting);
    }
  }
  return change;
}

// Replaces the setting that the campaign began with.
void Put(store::CampaignSpec& spec, store::CampaignSetting setting) {
  const auto before = std::ranges::find(spec.settings, setting.key,
                                        &store::CampaignSetting::key);
  if (before == spec.settings.end()) {
    spec.settings.push_back(std::move(setting));
  } else {
    *before = std::move(setting);
  }
}

// The policy that the command line names, by itself, decides from now on.  What
// files and variables say is for campaigns that begin.
Result<void> TakePolicy(const CampaignFactory& factory,
                        const store::CampaignRow& row,
                        store::CampaignSpec& spec) {
  if (config::SaidBy(factory.loaded(), kPolicy) != "--policy") return {};
  TRY(policy, search::MakePolicy(factory.settings().policy));
  const std::string name(policy->Name());
  if (name == search::StoredPolicySpelling(store::PolicyOf(spec))) return {};
  const std::string before = store::PolicyOf(spec);
  if (IsOtherText(before, name) && factory.settings().policy_changed != "yes") {
    return Fail(Errc::kUsage,
                spec.name + ": is decided by " + before +
                    ", and the file has another text now, which is " + name +
                    "; with --policy-changed yes that one decides from now on");
  }
  if (ReadMarks(row)) {
    return Fail(Errc::kUsage, spec.name +
                                  ": is of a comparison, where its policy "
                                  "stays as it is");
  }
  Put(spec, {std::string(kPolicy), name, "command line"});
  return {};
}

// A rule that the command line gives is the campaign's from now on.
void TakeRules(const config::Loaded& loaded, store::CampaignSpec& spec) {
  for (const std::string_view key : config::NamesIn({config::Group::kStop})) {
    if (!config::SaidBy(loaded, key)) continue;
    const config::Origin& now =
        *std::ranges::find(loaded.origins, key, &config::Origin::key);
    const auto stored =
        std::ranges::find(spec.settings, key, &store::CampaignSetting::key);
    if (stored == spec.settings.end()) continue;
    *stored = {now.key, now.value, now.origin};
  }
}

// The option that asks for another search than the campaign's.  Empty: none.
// What files and variables say is for campaigns that begin.
Result<std::string> OtherSearch(const CampaignFactory& factory,
                                const store::CampaignSpec& campaign) {
  const config::Settings& now = factory.settings();
  TRY(then, factory.SettingsOf(campaign));
  const bool is_same_policy =
      search::PolicySpelling(now.policy) ==
      search::StoredPolicySpelling(store::PolicyOf(campaign));
  const std::pair<std::string_view, bool> kept[] = {
      {kPolicy, is_same_policy ||
                    config::SaidBy(factory.loaded(), kPolicy) == "--policy"},
      {"agents", now.agents == then.agents},
      {"seed", now.seed == campaign.seed}};
  for (const auto& [key, is_same] : kept) {
    const auto option = config::SaidBy(factory.loaded(), key);
    if (!is_same && option) return *option;
  }
  return "";
}

// A task's text may have been edited since; what describes PyTorch's, beside
// its source, is measured anew each time.
bool IsSameText(const Task& then, const Task& task) {
  if (task.format == TaskFormat::kNative) return eval::SameTask(then, task);
  return eval::SourceOf(then.root) == eval::SourceOf(task.root) &&
         then.definition.reference == task.definition.reference;
}

// The option that asks for another way to judge.  Empty: none.
std::string OtherJudging(const Task& then, const Task& task) {
  if (task.format == TaskFormat::kNative) return "";
  if (then.protocol != task.protocol) return "--protocol";
  if (then.eval_config != task.eval_config) return "--eval-config";
  if (then.delegation != task.delegation) return "--delegation";
  if (eval::PrecisionOf(then) != eval::PrecisionOf(task)) return "--precision";
  return "";
}

}  // namespace

std::string CampaignName(const config::Settings& settings,
                         const std::string& task_name) {
  return task_name + "." + PolicyText(settings) + ".s" +
         std::to_string(settings.seed);
}

Result<void> CheckIsOn(const CampaignFactory& factory,
                       const store::CampaignSpec& campaign, const Task& task) {
  if (campaign.task_name != task.definition.name) {
    return Fail(Errc::kUsage, campaign.name + ": is a campaign on " +
                                  campaign.task_name + ", not on " +
                                  task.definition.name);
  }
  TRY(then, eval::ParseTask(campaign.task_json));
  if (!IsSameText(then, task)) {
    return Fail(Errc::kUsage,
                campaign.name + ": was begun before " + task.definition.name +
                    " was changed, and its nodes are judged by what that was; "
                    "choose another --name, or go on by the old one: coppice "
                    "resume " +
                    campaign.name);
  }
  const std::string judging = OtherJudging(then, task);
  TRY(search, OtherSearch(factory, campaign));
  const std::string other = judging.empty() ? search : judging;
  if (other.empty()) return {};
  return Fail(Errc::kUsage,
              campaign.name + ": was begun with another " + other +
                  "; choose another --name, or go on as it was begun with: "
                  "coppice resume " +
                  campaign.name);
}

store::CampaignSpec Specify(const CampaignFactory& factory, const Task& task,
                            const std::string& name) {
  const config::Settings& settings = factory.settings();
  store::CampaignSpec spec;
  spec.uuid = FreshUuid(factory.clock());
  spec.name = name;
  spec.task_name = task.definition.name;
  if (const auto level = TagValue(task.definition, "level")) {
    spec.task_level = std::atoi(level->c_str());
  }
  spec.task_json = eval::SerialiseTask(task);
  spec.policy = search::PolicySpelling(settings.policy);
  spec.seed = settings.seed;
  spec.budget_attempts = settings.budget_attempts;
  spec.budget_s = settings.budget_s;
  for (const config::Origin& row : factory.loaded().origins) {
    if (config::FindKey(row.key)->Has(config::kOfUserAlone)) continue;
    const bool is_policy = row.key == kPolicy;
    spec.settings.push_back(
        {row.key, is_policy ? spec.policy : row.value, row.origin});
  }
  spec.created_at_s = factory.clock().UnixSeconds();
  return spec;
}

Result<Intent> Intend(CampaignFactory& factory, store::Database& database,
                      const Task& task, const std::string& task_name,
                      const std::string& name, GivenBudget given) {
  const config::Settings& settings = factory.settings();
  const std::string wanted =
      name.empty() ? CampaignName(settings, task_name) : name;
  auto row = store::Campaigns(database).Find(wanted);
  if (!row) {
    if (row.error().code != Errc::kNotFound) {
      return tl::unexpected<Error>(std::move(row).error());
    }
    TRY_DONE(CheckAgents(task, settings, settings.budget_attempts));
    TRY_DONE(CheckRules(settings, task));
    TRY(evaluator, factory.EvaluatorFor(task));
    TRY_DONE(evaluator->CheckTask(task));
    Intent fresh{Specify(factory, task, wanted), std::nullopt};
    TRY_ASSIGN(fresh.spec.lessons, factory.LessonsFor(task, settings));
    return fresh;
  }
  TRY_DONE(CheckIsOn(factory, row->spec, task));
  TRY(evaluator_s, store::ReadEvaluatorSeconds(database, row->id));
  TRY(spec, WithBudget(factory.loaded(), *row, evaluator_s, given));
  TRY_DONE(TakePolicy(factory, *row, spec));
  TakeRules(factory.loaded(), spec);
  TRY(then, factory.SettingsToGoOn(spec));
  TRY_DONE(CheckAgents(task, then, spec.budget_attempts - row->attempts));
  TRY_DONE(CheckRules(then, task));
  return Intent{std::move(spec), *std::move(row)};
}

Result<std::vector<store::CampaignRow>> Enter(
    store::Database& database, const std::vector<Intent>& intents) {
  store::Campaigns campaigns(database);
  std::vector<store::CampaignSpec> missing;
  std::vector<store::CampaignChange> changes;
  for (const Intent& intent : intents) {
    if (intent.found) {
      changes.push_back(ChangeOf(*intent.found, intent.spec));
    } else {
      missing.push_back(intent.spec);
    }
  }
  TRY_DONE(campaigns.Enter(missing, changes));
  std::vector<store::CampaignRow> rows;
  for (const Intent& intent : intents) {
    TRY(row, campaigns.Find(intent.spec.name));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<store::CampaignRow> FindOrStart(CampaignFactory& factory,
                                       store::Database& database,
                                       const Task& task,
                                       const std::string& task_name,
                                       const std::string& name) {
  std::vector<Intent> intents;
  TRY(intent, Intend(factory, database, task, task_name, name));
  intents.push_back(std::move(intent));
  TRY(rows, Enter(database, intents));
  return std::move(rows.front());
}

}  // namespace coppice::engine
