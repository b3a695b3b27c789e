#include "engine/session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "config/keys.h"
#include "engine/agent_models.h"
#include "eval/python/kernelbench.h"
#include "eval/same_task.h"
#include "eval/trace_set.h"
#include "store/course.h"

namespace coppice::engine {
namespace {

// "stark", or "stark.alone" if the code agent works alone.
std::string PolicyText(const config::Settings& settings) {
  return settings.policy +
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
  for (std::size_t i = 0; i < wanted.settings.size(); ++i) {
    if (wanted.settings[i].value == row.spec.settings[i].value) continue;
    change.settings.push_back(wanted.settings[i]);
  }
  return change;
}

// The option that asks for another search than the campaign's.  Empty: none.
// What files and variables say is for campaigns that begin.
Result<std::string> OtherSearch(const Workshop& workshop,
                                const store::CampaignSpec& campaign) {
  const config::Settings& now = workshop.settings();
  TRY(then, workshop.SettingsOf(campaign));
  const std::pair<std::string_view, bool> kept[] = {
      {"policy", now.policy == campaign.policy},
      {"agents", now.agents == then.agents},
      {"seed", now.seed == campaign.seed}};
  for (const auto& [key, is_same] : kept) {
    const auto option = config::SaidBy(workshop.loaded(), key);
    if (!is_same && option) return *option;
  }
  return "";
}

// A task's text may have been edited since; what describes PyTorch's, beside
// its source, is measured anew each time.
bool IsSameText(const Task& then, const Task& task) {
  if (task.format == TaskFormat::kNative) return eval::SameTask(then, task);
  return eval::SourceOf(then.root) == eval::SourceOf(task.root);
}

// The option that asks for another way to judge.  Empty: none.
std::string OtherJudging(const Task& then, const Task& task) {
  if (task.format == TaskFormat::kNative) return "";
  if (then.protocol != task.protocol) return "--protocol";
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

Result<void> CheckIsOn(const Workshop& workshop,
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
  TRY(search, OtherSearch(workshop, campaign));
  const std::string other = judging.empty() ? search : judging;
  if (other.empty()) return {};
  return Fail(Errc::kUsage,
              campaign.name + ": was begun with another " + other +
                  "; choose another --name, or go on as it was begun with: "
                  "coppice resume " +
                  campaign.name);
}

std::optional<Speedup> ExpertSpeedup(const CampaignReport& report) {
  if (!report.expert || report.expert->verdict != Verdict::kPassed) {
    return std::nullopt;
  }
  return report.expert->speedup;
}

store::CampaignSpec Specify(const Workshop& workshop, const Task& task,
                            const std::string& name) {
  const config::Settings& settings = workshop.settings();
  store::CampaignSpec spec;
  spec.uuid = FreshUuid(workshop.clock());
  spec.name = name;
  spec.task_name = task.definition.name;
  if (const auto level = TagValue(task.definition, "level")) {
    spec.task_level = std::atoi(level->c_str());
  }
  spec.task_json = eval::SerialiseTask(task);
  spec.policy = settings.policy;
  spec.seed = settings.seed;
  spec.budget_attempts = settings.budget_attempts;
  spec.budget_s = settings.budget_s;
  for (const config::Origin& row : workshop.loaded().origins) {
    if (config::FindKey(row.key)->Has(config::kOfUserAlone)) continue;
    spec.settings.push_back({row.key, row.value, row.origin});
  }
  spec.created_at_s = workshop.clock().UnixSeconds();
  return spec;
}

Result<Intent> Intend(Workshop& workshop, store::Database& database,
                      const Task& task, const std::string& task_name,
                      const std::string& name, GivenBudget given) {
  const config::Settings& settings = workshop.settings();
  const std::string wanted =
      name.empty() ? CampaignName(settings, task_name) : name;
  auto row = store::Campaigns(database).Find(wanted);
  if (!row) {
    if (row.error().code != Errc::kNotFound) {
      return tl::unexpected<Error>(std::move(row).error());
    }
    TRY_DONE(CheckAgents(task, settings, settings.budget_attempts));
    TRY(evaluator, workshop.EvaluatorFor(task));
    TRY_DONE(evaluator->CheckTask(task));
    return Intent{Specify(workshop, task, wanted), std::nullopt};
  }
  TRY_DONE(CheckIsOn(workshop, row->spec, task));
  TRY(evaluator_s, store::ReadEvaluatorSeconds(database, row->id));
  TRY(spec, WithBudget(workshop.loaded(), *row, evaluator_s, given));
  TRY(then, workshop.SettingsToGoOn(spec));
  TRY_DONE(CheckAgents(task, then, spec.budget_attempts - row->attempts));
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

Result<store::CampaignRow> FindOrStart(Workshop& workshop,
                                       store::Database& database,
                                       const Task& task,
                                       const std::string& task_name,
                                       const std::string& name) {
  std::vector<Intent> intents;
  TRY(intent, Intend(workshop, database, task, task_name, name));
  intents.push_back(std::move(intent));
  TRY(rows, Enter(database, intents));
  return std::move(rows.front());
}

Result<CampaignReport> RunCampaign(Workshop& workshop,
                                   store::Database& database, const Task& task,
                                   const store::CampaignRow& found,
                                   Observer& observer, Campaign::Begin begin) {
  const config::Settings& settings = workshop.settings();
  // Another process may have worked on it since it was found.
  store::Campaigns campaigns(database);
  TRY(row, campaigns.Find(found.spec.name));
  TRY(parts, workshop.Equip(task, row.spec, database));
  Campaign::Options options;
  options.database = settings.db;
  options.lease_s = settings.lease_s;
  options.parallel = static_cast<int>(settings.parallel);
  if (settings.model_failures) {
    options.model_failures = static_cast<int>(*settings.model_failures);
  }
  options.drain = &workshop.drain();
  options.confirm = task.root.language != Language::kSim;
  options.begin = begin;
  options.outages = &workshop.outages();
  Campaign campaign(parts, row, options);
  TRY(ending, campaign.Run(observer));
  CampaignReport report;
  report.campaign = row.spec.name;
  report.task = row.spec.task_name;
  report.ending = ending;
  report.progress = campaign.progress();
  report.is_confirmed = campaign.is_confirmed();
  report.cap_reached = campaign.cap_reached();
  return report;
}

}  // namespace coppice::engine
