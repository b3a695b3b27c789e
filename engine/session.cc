#include "engine/session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/agent_models.h"
#include "eval/python/kernelbench.h"
#include "eval/trace_set.h"

namespace coppice::engine {
namespace {

// "stark", or "stark.alone" if the code agent works alone.
std::string PolicyText(const config::Settings& settings) {
  return settings.policy +
         (settings.agents == config::Agents::kAlone ? ".alone" : "");
}

// None is no limit.
std::optional<double> Longer(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

// A budget that the user gives only makes the campaign's own grow.
store::CampaignSpec Grown(const Workshop& workshop, store::CampaignSpec spec) {
  const config::Settings& settings = workshop.settings();
  if (config::IsGiven(workshop.loaded(), "budget")) {
    spec.budget_attempts =
        std::max(spec.budget_attempts, settings.budget_attempts);
  }
  if (config::IsGiven(workshop.loaded(), "budget_s")) {
    spec.budget_s = Longer(spec.budget_s, settings.budget_s);
  }
  return spec;
}

Result<void> GrowBudget(const Workshop& workshop, store::Campaigns& campaigns,
                        const Task& task, store::CampaignRow& row) {
  store::CampaignSpec grown = Grown(workshop, row.spec);
  // What the user has to say again first is told by Workshop::Equip.
  if (const auto settings = workshop.SettingsToGoOn(grown)) {
    TRY_DONE(
        CheckAgents(task, *settings, grown.budget_attempts - row.attempts));
  }
  const bool is_same = grown.budget_attempts == row.spec.budget_attempts &&
                       grown.budget_s == row.spec.budget_s;
  row.spec = std::move(grown);
  if (is_same) return {};
  return campaigns.SetBudget(row.id, row.spec.budget_attempts,
                             row.spec.budget_s);
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

// The option that asks for another way to judge.  Empty: none.
Result<std::string> OtherJudging(const store::CampaignSpec& campaign,
                                 const Task& task) {
  if (task.format == TaskFormat::kNative) return "";
  TRY(then, eval::ParseTask(campaign.task_json));
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
  TRY(judging, OtherJudging(campaign, task));
  TRY(search, OtherSearch(workshop, campaign));
  const std::string other = judging.empty() ? search : judging;
  if (other.empty()) return {};
  return Fail(Errc::kUsage,
              campaign.name + ": was begun with another " + other +
                  "; choose another --name, or go on as it was begun with: "
                  "coppice resume " +
                  campaign.name);
}

double Speedup(const CampaignReport& report) {
  if (report.confirmation) return Speedup(*report.confirmation);
  return report.progress.best_speedup;
}

std::optional<double> ExpertSpeedup(const CampaignReport& report) {
  if (!report.expert || report.expert->verdict != Verdict::kPassed ||
      !report.expert->runtime_s || !report.expert->root_runtime_s) {
    return std::nullopt;
  }
  return *report.expert->root_runtime_s / *report.expert->runtime_s;
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
    spec.settings.push_back({row.key, row.value, row.origin});
  }
  spec.created_at_s = workshop.clock().UnixSeconds();
  return spec;
}

Result<store::CampaignRow> FindOrStart(Workshop& workshop,
                                       store::Database& database,
                                       const Task& task,
                                       const std::string& task_name,
                                       const std::string& name) {
  const config::Settings& settings = workshop.settings();
  const std::string wanted =
      name.empty() ? CampaignName(settings, task_name) : name;
  store::Campaigns campaigns(database);
  auto row = campaigns.Find(wanted);
  if (!row && row.error().code != Errc::kNotFound) return row;
  if (!row) {
    TRY_DONE(CheckAgents(task, settings, settings.budget_attempts));
    TRY(evaluator, workshop.EvaluatorFor(task));
    TRY_DONE(evaluator->CheckTask(task));
    TRY_DONE(campaigns.Create(Specify(workshop, task, wanted)));
    return campaigns.Find(wanted);
  }
  TRY_DONE(CheckIsOn(workshop, row->spec, task));
  TRY_DONE(GrowBudget(workshop, campaigns, task, *row));
  return row;
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
  options.model_failures = static_cast<int>(settings.model_failures);
  options.drain = &workshop.drain();
  options.confirm = task.root.language != Language::kSim;
  options.begin = begin;
  Campaign campaign(parts, row, options);
  TRY(ending, campaign.Run(observer));
  CampaignReport report;
  report.campaign = row.spec.name;
  report.task = row.spec.task_name;
  report.ending = ending;
  report.progress = campaign.progress();
  report.confirmation = campaign.confirmation();
  report.cap_reached = campaign.cap_reached();
  return report;
}

}  // namespace coppice::engine
