// Campaigns: one search over one task each; a file holds many.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/uuid.h"

namespace coppice {
struct Lesson;
}

namespace coppice::store {

class Connection;
class Database;

struct CampaignSetting {
  std::string key;
  std::string value;
  std::string origin;  // "default", "command line", "coppice.toml:12", ...
};

// Fixed when the campaign starts.
struct CampaignSpec {
  Uuid uuid;
  std::string name;  // What users type; unique in the file.
  std::string task_name;
  int task_level = 0;     // 0: none stated.
  std::string task_json;  // eval::SerialiseTask, or the landscape's name.
  std::string policy;
  std::uint64_t seed = 0;
  std::int64_t budget_attempts = 0;
  std::optional<double> budget_s;  // Wall seconds over all its processes.
  std::vector<CampaignSetting> settings;
  // That it begins with; null: none, as Find leaves it.
  std::shared_ptr<const std::vector<Lesson>> lessons{};
  double created_at_s = 0.0;  // Unix time.
};

// The policy that decides now: that of its start, or what it was changed to
// since.
std::string PolicyOf(const CampaignSpec& spec);

// What a setting of the campaign is; empty: it has none of that name.
std::string SettingOf(const CampaignSpec& spec, std::string_view key);

enum class CampaignState : std::uint8_t {  // DO NOT RENUMBER: stored.
  kRunning = 0,  // Or left behind by a crash: see its attempts' leases.
  kPaused = 1,   // Drained after Ctrl-C.
  kFinished = 2,
};

// What a campaign has from now on; all else stays.
struct CampaignChange {
  CampaignId id{};
  // None: its budget stays, and budget_s says nothing.
  std::optional<std::int64_t> budget_attempts = {};
  std::optional<double> budget_s = {};
  // Other values of those that it was created with.
  std::vector<CampaignSetting> settings = {};
  // Makes the decisions that come, which an event tells.  None: as before.
  std::optional<CampaignSetting> policy = {};
};

struct CampaignRow {
  CampaignId id{};
  CampaignSpec spec;
  CampaignState state = CampaignState::kRunning;
  double elapsed_s = 0.0;
  double updated_at_s = 0.0;  // Unix time.
  // Seconds of the root as it was first measured; none: it was not yet.
  std::optional<double> root_runtime_s;
  std::int64_t attempts = 0;  // Reserved so far.
  std::int64_t nodes = 0;     // Committed, the root among them.
};

class Campaigns {
 public:
  explicit Campaigns(Database& database) : database_(database) {}

  // kBusy if the name is taken.
  Result<CampaignId> Create(const CampaignSpec& spec);
  // Creates those whose name is free and changes those that are there, as
  // SetBudget does.  In one transaction: all that one command asks for is in
  // the file, or none of it.
  Result<void> Enter(const std::vector<CampaignSpec>& specs,
                     const std::vector<CampaignChange>& changes);
  Result<std::vector<CampaignRow>> List();            // In order of creation.
  Result<CampaignRow> Find(const std::string& name);  // kNotFound: none.
  Result<CampaignRow> Find(CampaignId id);            // Likewise.
  // The one that something was done on last: a node, an evaluation, a change of
  // its state or budget.  If nothing was done on any, the last created.
  Result<CampaignRow> Last();  // kNotFound: there is none.
  // Adds to the time used; the state and the time are one transaction.
  Result<void> Update(CampaignId id, CampaignState state, double elapsed_more_s,
                      double now_s);
  // It is finished by a rule, in words, with attempts left: state and event are
  // one transaction.
  Result<void> Stop(CampaignId id, const std::string& rule, double now_s);
  // Another budget for an existing campaign; one that was finished and may go
  // on is paused by it.  kUsage if it is lowered below what was used; a limit
  // of seconds that was overrun may stay.
  Result<void> SetBudget(CampaignId id, std::int64_t attempts,
                         std::optional<double> seconds);

 private:
  Database& database_;
};

// Private to this folder.  A setting from now on, whether it had one of that
// name or not.  REQUIRES: the caller is inside Connection::Write.
void PutSetting(Connection& connection, CampaignId campaign,
                const CampaignSetting& setting);

}  // namespace coppice::store
