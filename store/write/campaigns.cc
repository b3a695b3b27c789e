#include "store/write/campaigns.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "store/connection.h"
#include "store/write/events.h"
#include "store/write/lessons.h"

namespace coppice::store {
namespace {

std::string_view EventOf(CampaignState state) {
  switch (state) {
    case CampaignState::kRunning:
      return "running";
    case CampaignState::kPaused:
      return "paused";
    case CampaignState::kFinished:
      return "finished";
  }
  return "running";
}

Result<void> InsertSettings(Connection& connection, CampaignId campaign,
                            const std::vector<CampaignSetting>& settings) {
  for (const CampaignSetting& setting : settings) {
    Statement insert = connection.Prepare(
        "INSERT INTO setting (campaign_id, key, value, origin)"
        " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
    insert.Bind(campaign, setting.key, setting.value, setting.origin).Run();
    if (connection.Changes() == 0) {
      return connection.FailHere(Errc::kUsage,
                                 "setting " + setting.key + " is given twice");
    }
  }
  return {};
}

std::vector<CampaignSetting> LoadSettings(Connection& connection,
                                          CampaignId campaign) {
  return connection.Rows(
      "SELECT key, value, origin FROM setting WHERE campaign_id = ?"
      " ORDER BY key",
      [](const Statement& read) {
        return CampaignSetting{read.Text(0), read.Text(1), read.Text(2)};
      },
      campaign);
}

Result<CampaignRow> ReadRow(Connection& connection, CampaignId id) {
  Statement row = connection.Prepare(
      "SELECT campaign_id, uuid, name, task, task_level, task_blob, policy,"
      " seed, budget_attempts, budget_s, created_at_s, state, elapsed_s,"
      " attempts, nodes, root_runtime_s, updated_at_s FROM campaign"
      " WHERE campaign_id = ?");
  if (!row.Bind(id).Step()) return connection.NoSuchCampaign(id);
  CampaignRow campaign;
  CampaignSpec& spec = campaign.spec;
  campaign.id = row.As<CampaignId>(0);
  spec.uuid = row.Uuid(1);
  spec.name = row.Text(2);
  spec.task_name = row.Text(3);
  spec.task_level = row.As<int>(4);
  TRY_ASSIGN(spec.task_json, connection.blobs().Text(row.As<BlobId>(5)));
  spec.policy = row.Text(6);
  spec.seed = std::bit_cast<std::uint64_t>(row.Int(7));
  spec.budget_attempts = row.Int(8);
  spec.budget_s = row.OptionalReal(9);
  spec.created_at_s = row.Real(10);
  campaign.state = row.As<CampaignState>(11);
  campaign.elapsed_s = row.Real(12);
  campaign.attempts = row.Int(13);
  campaign.nodes = row.Int(14);
  campaign.root_runtime_s = row.OptionalReal(15);
  campaign.updated_at_s = row.Real(16);
  spec.settings = LoadSettings(connection, campaign.id);
  return campaign;
}

// REQUIRES: within a transaction.
Result<CampaignId> Insert(Connection& connection, const CampaignSpec& spec) {
  TRY(task,
      connection.blobs().Put(spec.task_json, std::nullopt, Future::kLeaf));
  connection.Run(
      "INSERT INTO campaign (uuid, name, task, task_level, task_blob,"
      " policy, seed, budget_attempts, budget_s, created_at_s,"
      " updated_at_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?10, ?10)",
      spec.uuid, spec.name, spec.task_name, spec.task_level, task.id,
      spec.policy, std::bit_cast<std::int64_t>(spec.seed), spec.budget_attempts,
      spec.budget_s, spec.created_at_s);
  const auto id = static_cast<CampaignId>(connection.LastRowId());
  TRY_DONE(InsertSettings(connection, id, spec.settings));
  if (spec.lessons) {
    InsertLessons(connection, id, *spec.lessons, spec.created_at_s);
  }
  RecordEvent(connection, id, spec.created_at_s, "created");
  return id;
}

// The campaign that has the name or the uuid; none: both are free.
std::optional<std::string> Holder(Connection& connection,
                                  const CampaignSpec& spec) {
  return connection.Find<std::string>(
      "SELECT name FROM campaign WHERE name = ?1 OR uuid = ?2", spec.name,
      spec.uuid);
}

// REQUIRES: within a transaction.
Result<void> ChangeBudget(Connection& connection, CampaignId id,
                          std::int64_t attempts,
                          std::optional<double> seconds) {
  double at_s = 0.0;
  {
    Statement used = connection.Prepare(
        "SELECT attempts, elapsed_s, updated_at_s, budget_s FROM campaign"
        " WHERE campaign_id = ?");
    if (!used.Bind(id).Step()) return connection.NoSuchCampaign(id);
    const bool is_other_limit = seconds && seconds != used.OptionalReal(3);
    if (attempts < used.Int(0) || (is_other_limit && *seconds < used.Real(1))) {
      return connection.FailHere(
          Errc::kUsage, "budget below what is used already (" + used.Text(0) +
                            " attempts, " + used.Text(1) + " s)");
    }
    at_s = used.Real(2);
  }
  connection.Run(
      "UPDATE campaign SET budget_attempts = ?2, budget_s = ?3,"
      " state = iif(state = ?4 AND (?2 > budget_attempts"
      "   OR coalesce(?3, 9e999) > coalesce(budget_s, 9e999)), ?5, state)"
      " WHERE campaign_id = ?1",
      id, attempts, seconds, CampaignState::kFinished, CampaignState::kPaused);
  RecordEvent(connection, id, at_s, "budget", std::nullopt,
              std::to_string(attempts) + " attempts");
  return {};
}

// REQUIRES: within a transaction.
Result<void> ChangeSetting(Connection& connection, CampaignId id,
                           const CampaignSetting& setting) {
  connection.Run(
      "UPDATE setting SET value = ?3, origin = ?4"
      " WHERE campaign_id = ?1 AND key = ?2",
      id, setting.key, setting.value, setting.origin);
  if (connection.Changes() > 0) return {};
  return connection.FailHere(Errc::kNotFound, "no setting " + setting.key);
}

// Attempts have the policy that chose them; this is of those that come.
// REQUIRES: within a transaction.
Result<void> ChangePolicy(Connection& connection, CampaignId id,
                          const CampaignSetting& policy) {
  std::int64_t decision = 0;
  double at_s = 0.0;
  {
    Statement read = connection.Prepare(
        "SELECT attempts, updated_at_s FROM campaign WHERE campaign_id = ?");
    if (!read.Bind(id).Step()) return connection.NoSuchCampaign(id);
    decision = read.Int(0);
    at_s = read.Real(1);
  }
  PutSetting(connection, id, policy);
  RecordEvent(connection, id, at_s, "policy", decision, policy.value);
  return {};
}

}  // namespace

void PutSetting(Connection& connection, CampaignId campaign,
                const CampaignSetting& setting) {
  connection.Run(
      "INSERT INTO setting (campaign_id, key, value, origin)"
      " VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
      " value = excluded.value, origin = excluded.origin",
      campaign, setting.key, setting.value, setting.origin);
}

std::string PolicyOf(const CampaignSpec& spec) {
  const std::string changed = SettingOf(spec, "policy");
  return changed.empty() ? spec.policy : changed;
}

std::string SettingOf(const CampaignSpec& spec, std::string_view key) {
  const auto found =
      std::ranges::find(spec.settings, key, &CampaignSetting::key);
  return found == spec.settings.end() ? "" : found->value;
}

Result<CampaignId> Campaigns::Create(const CampaignSpec& spec) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<CampaignId> {
    if (const auto holder = Holder(connection, spec)) {
      return connection.FailHere(
          Errc::kBusy, "campaign " + *holder +
                           " exists already: resume it, or choose another "
                           "name");
    }
    return Insert(connection, spec);
  });
}

Result<void> Campaigns::Enter(const std::vector<CampaignSpec>& specs,
                              const std::vector<CampaignChange>& changes) {
  const auto changes_nothing = [](const CampaignChange& change) {
    return !change.budget_attempts && change.settings.empty() && !change.policy;
  };
  if (specs.empty() && std::ranges::all_of(changes, changes_nothing)) return {};
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    for (const CampaignChange& change : changes) {
      if (change.budget_attempts) {
        TRY_DONE(ChangeBudget(connection, change.id, *change.budget_attempts,
                              change.budget_s));
      }
      for (const CampaignSetting& setting : change.settings) {
        TRY_DONE(ChangeSetting(connection, change.id, setting));
      }
      if (change.policy) {
        TRY_DONE(ChangePolicy(connection, change.id, *change.policy));
      }
    }
    for (const CampaignSpec& spec : specs) {
      if (Holder(connection, spec)) continue;
      TRY_DONE(Insert(connection, spec));
    }
    return {};
  });
}

Result<std::vector<CampaignRow>> Campaigns::List() {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<std::vector<CampaignRow>> {
    std::vector<CampaignRow> rows;
    Statement read = connection.Prepare(
        "SELECT campaign_id FROM campaign ORDER BY campaign_id");
    while (read.Step()) {
      TRY(row, ReadRow(connection, read.As<CampaignId>(0)));
      rows.push_back(std::move(row));
    }
    return rows;
  });
}

Result<CampaignRow> Campaigns::Find(const std::string& name) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<CampaignRow> {
    const auto id = connection.Find<CampaignId>(
        "SELECT campaign_id FROM campaign WHERE name = ?", name);
    if (id) return ReadRow(connection, *id);
    return connection.FailHere(Errc::kNotFound, "no campaign " + name);
  });
}

Result<CampaignRow> Campaigns::Find(CampaignId id) {
  Connection& connection = database_.connection();
  return connection.Read([&] { return ReadRow(connection, id); });
}

Result<CampaignRow> Campaigns::Last() {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<CampaignRow> {
    // Events are in the order of transactions, which no clock can turn around.
    const auto id = connection.Find<CampaignId>(
        "SELECT coalesce((SELECT campaign_id FROM event WHERE kind <> 'created'"
        " ORDER BY event_id DESC LIMIT 1),"
        " (SELECT max(campaign_id) FROM campaign))");
    if (id) return ReadRow(connection, *id);
    return connection.FailHere(Errc::kNotFound, "holds no campaign yet");
  });
}

Result<void> Campaigns::Update(CampaignId id, CampaignState state,
                               double elapsed_more_s, double now_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    const auto before = connection.Find<CampaignState>(
        "SELECT state FROM campaign WHERE campaign_id = ?", id);
    if (!before) return connection.NoSuchCampaign(id);
    connection.Run(
        "UPDATE campaign SET state = ?2, elapsed_s = elapsed_s + ?3,"
        " updated_at_s = ?4 WHERE campaign_id = ?1",
        id, state, elapsed_more_s, now_s);
    if (state != before) RecordEvent(connection, id, now_s, EventOf(state));
    return {};
  });
}

Result<void> Campaigns::Stop(CampaignId id, const std::string& rule,
                             double now_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    connection.Run(
        "UPDATE campaign SET state = ?2, updated_at_s = ?3"
        " WHERE campaign_id = ?1",
        id, CampaignState::kFinished, now_s);
    if (connection.Changes() == 0) return connection.NoSuchCampaign(id);
    RecordEvent(connection, id, now_s, "stopped", std::nullopt, rule);
    return {};
  });
}

Result<void> Campaigns::SetBudget(CampaignId id, std::int64_t attempts,
                                  std::optional<double> seconds) {
  Connection& connection = database_.connection();
  return connection.Write(
      [&] { return ChangeBudget(connection, id, attempts, seconds); });
}

}  // namespace coppice::store
