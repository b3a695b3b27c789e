#include "engine/compare/grid_settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include "config/continue.h"
#include "config/keys.h"
#include "config/put.h"
#include "engine/compare/contender.h"
#include "engine/run/grid.h"

namespace coppice::engine {
namespace {

constexpr const char* kOrigin = "compare";
constexpr const char* kDefault = "default";  // Said by nobody.
constexpr const char* kNoLimit = "none";

// What the budget, or the policy's name, says.
constexpr std::array<std::string_view, 7> kDecided = {
    "agents",           "cap_tokens",
    "cap_usd",          "budget_evaluator_s",
    "stop_at_speedup",  "stop_at_baseline",
    "stop_without_gain"};

config::Origin& OriginOf(config::Loaded& loaded, std::string_view key) {
  return *std::ranges::find(loaded.origins, key, &config::Origin::key);
}

Result<void> PutBudget(const Budget& budget, config::Loaded& loaded) {
  std::ostringstream amount;
  amount.precision(15);
  amount << budget.amount;
  const auto attempts = budget.kind == BudgetKind::kAttempts
                            ? std::llround(budget.amount)
                            : kManyAttempts;
  TRY_DONE(config::Put(loaded, "budget", std::to_string(attempts), kOrigin));
  for (const std::string_view limit :
       {"budget_s", "budget_evaluator_s", "stop_at_speedup", "stop_at_baseline",
        "stop_without_gain"}) {
    if (OriginOf(loaded, limit).value == kNoLimit) continue;
    TRY_DONE(config::Put(loaded, limit, kNoLimit, kOrigin));
  }
  switch (budget.kind) {
    case BudgetKind::kAttempts:
      return {};
    case BudgetKind::kTokens:
      return config::Put(loaded, "cap_tokens", amount.str(), kOrigin);
    case BudgetKind::kDollars:
      return config::Put(loaded, "cap_usd", amount.str(), kOrigin);
    case BudgetKind::kEvaluatorSeconds:
      return config::Put(loaded, "budget_evaluator_s", amount.str(), kOrigin);
  }
  return {};
}

bool IsOwn(const Contender& contender, std::string_view key) {
  return std::ranges::find(contender.settings, key, &config::Override::key) !=
         contender.settings.end();
}

// Takes the value of one of the campaigns that have no value of their own of
// it: they are all alike.
Result<void> AdoptKey(std::string_view key,
                      const std::vector<const store::CampaignRow*>& rows,
                      config::Loaded& loaded) {
  for (const store::CampaignRow* row : rows) {
    if (IsOwn(ContenderOf(ReadMarks(*row)->cell.policy), key)) continue;
    const auto stored = std::ranges::find(row->spec.settings, key,
                                          &store::CampaignSetting::key);
    if (stored == row->spec.settings.end()) continue;
    const config::Origin& now = OriginOf(loaded, key);
    if (now.value == stored->value) return {};
    if (now.origin != kDefault) {
      return Fail(Errc::kUsage, config::OptionName(key) + ": " +
                                    row->spec.name + " was made with " +
                                    stored->value + ", not " + now.value +
                                    "; compare that in another database");
    }
    if (config::MayBeTaken(loaded, {stored->key, stored->value})) {
      return config::Put(loaded, key, stored->value, row->spec.name);
    }
    return {};
  }
  return {};
}

Result<void> Adopt(const std::vector<const store::CampaignRow*>& rows,
                   config::Loaded& loaded) {
  if (rows.empty()) return {};
  std::vector<config::Override> then;
  for (const store::CampaignSetting& setting : rows.front()->spec.settings) {
    then.push_back({setting.key, setting.value});
  }
  if (auto said = config::CheckSaid(loaded, then); !said) {
    return Fail(said.error().code,
                rows.front()->spec.name + ": " + said.error().what);
  }
  for (const std::string_view key : config::NamesWith(config::kKept)) {
    if (std::ranges::find(kDecided, key) != kDecided.end()) continue;
    TRY_DONE(AdoptKey(key, rows, loaded));
  }
  return {};
}

// What is said now beats what a campaign has stored, which of a key that
// contenders differ in is theirs.
void LeaveToContenders(const Grid& grid, config::Loaded& loaded) {
  for (const std::string& policy : grid.policies) {
    for (const config::Override& own : ContenderOf(policy).settings) {
      OriginOf(loaded, own.key).origin = kDefault;
    }
  }
}

}  // namespace

Result<void> Settle(const Grid& grid,
                    const std::vector<store::CampaignRow>& rows,
                    config::Loaded& loaded) {
  std::vector<const store::CampaignRow*> of_grid;
  for (const store::CampaignRow& row : rows) {
    const auto marked = ReadMarks(row);
    if (!marked || marked->budget.kind != grid.budget.kind) continue;
    of_grid.push_back(&row);
  }
  TRY_DONE(Adopt(of_grid, loaded));
  LeaveToContenders(grid, loaded);
  TRY_DONE(config::Put(loaded, "parallel", "1", kOrigin));
  return PutBudget(grid.budget, loaded);
}

std::vector<store::CampaignSetting> SettingsOf(const Cell& cell,
                                               const Budget& budget,
                                               const config::Loaded& loaded) {
  const Contender contender = ContenderOf(cell.policy);
  std::vector<store::CampaignSetting> settings;
  for (const config::Origin& row : loaded.origins) {
    if (config::FindKey(row.key)->Has(config::kOfUserAlone)) continue;
    settings.push_back({row.key, row.value, row.origin});
    store::CampaignSetting& setting = settings.back();
    const auto set = [&](std::string_view key, const std::string& value) {
      if (setting.key != key) return;
      setting.value = value;
      setting.origin = kOrigin;
    };
    set("policy", contender.policy);
    set("agents", AgentsOf(contender));
    set("seed", std::to_string(cell.seed));
    for (const config::Override& own : contender.settings) {
      set(own.key, own.value);
    }
  }
  for (store::CampaignSetting& mark : Marks(cell, budget)) {
    settings.push_back(std::move(mark));
  }
  return settings;
}

}  // namespace coppice::engine
