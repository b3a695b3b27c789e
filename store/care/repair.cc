#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/care/maintenance.h"
#include "store/care/repairs.h"
#include "store/connection.h"
#include "store/named.h"
#include "store/records/attempt.h"
#include "store/records/model_call.h"
#include "store/schema.h"
#include "store/write/epoch_check.h"
#include "store/write/events.h"
#include "store/write/worths.h"

namespace coppice::store {
namespace {

struct Done {
  std::optional<CampaignId> campaign;  // Whose events tell it; none: it is as
  std::string what;                    // if it had never been.
};

// Makes right what it finds wrong, and adds a line for each.
using Cure = std::function<void(std::vector<Done>&)>;

void Apply(Connection& connection, const RepairRule& mend,
           std::vector<Done>& done) {
  const std::size_t before = done.size();
  {
    Statement read = connection.Prepare(mend.findings);
    while (read.Step()) done.push_back({read.As<CampaignId>(1), read.Text(0)});
  }
  if (done.size() > before) connection.sqlite().exec(mend.sql);
}

// An unfinished attempt with a call that has not ended.
struct Open {
  AttemptId attempt{};
  CampaignId campaign{};
  std::string owner;
};

std::vector<Open> ReadOpen(Connection& connection) {
  // SQLite takes attempt_unfinished for a condition of its own words alone, and
  // does not conclude it from a narrower one: so both are there.
  return connection.Rows(
      "SELECT attempt_id, campaign_id, lease_owner FROM attempt a"
      " INDEXED BY attempt_unfinished WHERE stage < 3 AND stage < ?"
      " AND EXISTS (SELECT 1 FROM model_call m"
      "  WHERE m.attempt_id = a.attempt_id AND m.outcome = ?)",
      [](const Statement& read) {
        return Open{read.As<AttemptId>(0), read.As<CampaignId>(1),
                    read.Text(2)};
      },
      Stage::kCoded, CallOutcome::kSent);
}

Result<void> TakeFromTheDead(Connection& connection, double now_s,
                             const IsAlive& is_alive, std::vector<Done>& done) {
  std::map<std::string, bool> lives;
  for (const Open& open : ReadOpen(connection)) {
    if (!lives.contains(open.owner)) {
      TRY_ASSIGN(lives[open.owner], is_alive(open.owner));
    }
    if (lives[open.owner]) continue;
    TakeAway(connection, open.attempt, now_s);
    done.push_back(
        {open.campaign,
         Named(open.attempt) + " has a call that died with its process"});
  }
  return {};
}

void MendWorths(Connection& connection, std::vector<Done>& done) {
  for (const Misjudged& each : FindMisjudged(connection)) {
    PutWorth(connection, each.campaign, each.original,
             ComputeWorth(connection, each.campaign, each.original));
    done.push_back({each.campaign, each.what});
  }
}

// Indexes hold no facts: they are made anew from the tables.
void MendIndexes(Connection& connection, std::vector<Done>& done) {
  bool is_wrong = false;
  SQLite::Statement read(connection.sqlite(), "PRAGMA integrity_check");
  while (read.executeStep()) {
    const std::string line = read.getColumn(0).getString();
    is_wrong = is_wrong || line.find(" index ") != std::string::npos;
  }
  if (!is_wrong) return;
  connection.Run("SAVEPOINT indexes");
  try {
    connection.sqlite().exec("REINDEX");
    done.push_back({std::nullopt, "indexes had other rows than their tables"});
  } catch (const SQLite::Exception&) {
    // They are damaged beyond that, as doctor goes on to say.
    connection.Run("ROLLBACK TO indexes");
  }
  connection.Run("RELEASE indexes");
}

bool AreProven(const Sums& changed, const Sums& differences) {
  return std::ranges::all_of(changed, [&](const auto& each) {
    if (each.second == 0) return true;
    const auto wrong = differences.find(each.first);
    return wrong != differences.end() && wrong->second + each.second == 0;
  });
}

// While rows differ from their seals it cannot be told whether a count is
// wrong, or what it counts.  Then cures are kept only if all that they change
// is, after it, as it was sealed.
void Try(Connection& connection, std::span<const Cure> cures, Sums& differences,
         std::vector<Done>& done) {
  Seals& seals = connection.seals();
  std::vector<Done> made;
  connection.Run("SAVEPOINT cures");
  for (const Cure& cure : cures) cure(made);
  const Sums changed = seals.pending();
  // What only changes sums, which have no seal, would fit them to the damage.
  if (!changed.empty() && AreProven(changed, differences)) {
    for (const auto& [block, sum] : changed) differences.erase(block);
  } else {
    connection.Run("ROLLBACK TO cures");
    made.clear();
  }
  connection.Run("RELEASE cures");
  seals.set_pending({});
  std::ranges::move(made, std::back_inserter(done));
}

void CureAll(Connection& connection, Sums& differences,
             std::vector<Done>& done) {
  const auto cure_of = [&](const RepairRule& mend) {
    return [&connection, &mend](std::vector<Done>& made) {
      Apply(connection, mend, made);
    };
  };
  std::vector<Cure> endings;
  std::vector<Cure> recounts;
  for (const RepairRule& mend : Endings()) endings.emplace_back(cure_of(mend));
  // First, for there are sums of worths.
  recounts.emplace_back(
      [&](std::vector<Done>& made) { MendWorths(connection, made); });
  for (const RepairRule& mend : Recounts())
    recounts.emplace_back(cure_of(mend));
  if (!differences.empty()) {
    // A row may have several wrong counts: they are right together.
    Try(connection, recounts, differences, done);
    for (const Cure& cure : recounts) {
      Try(connection, {&cure, 1}, differences, done);
    }
  }
  if (!differences.empty()) return;
  for (const Cure& cure : endings) cure(done);
  for (const Cure& cure : recounts) cure(done);
}

std::vector<std::string> Lines(const std::vector<Done>& done) {
  std::vector<std::string> lines;
  for (const Done& each : done) lines.push_back(each.what);
  return lines;
}

}  // namespace

Result<std::vector<std::string>> EndOrphans(Database& database, double now_s,
                                            const IsAlive& is_alive) {
  Connection& connection = database.connection();
  // Mostly there are none, and no reason to write.
  TRY(open, connection.Read([&]() -> Result<std::vector<Open>> {
    return ReadOpen(connection);
  }));
  if (open.empty()) return std::vector<std::string>();
  return connection.Write([&]() -> Result<std::vector<std::string>> {
    std::vector<Done> done;
    TRY_DONE(TakeFromTheDead(connection, now_s, is_alive, done));
    return Lines(done);
  });
}

Result<std::vector<std::string>> Repair(Database& database, double now_s,
                                        const IsAlive& is_alive) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<std::vector<std::string>> {
    std::vector<Done> done;
    MendIndexes(connection, done);
    Sums differences = connection.seals().Differences();
    TRY_DONE(TakeFromTheDead(connection, now_s, is_alive, done));
    connection.seals().Write();
    CureAll(connection, differences, done);
    for (const Done& each : done) {
      if (!each.campaign) continue;
      RecordEvent(connection, *each.campaign, now_s, "repaired", std::nullopt,
                  each.what);
    }
    return Lines(done);
  });
}

Result<std::vector<std::string>> Reseal(Database& database, double now_s) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<std::vector<std::string>> {
    Seals& seals = connection.seals();
    std::vector<std::string> lines = seals.FindTablesOfNothing();
    for (std::string& line : lines) line = "seals of " + line;
    for (const auto& [block, difference] : seals.Differences()) {
      lines.push_back("rows of " + seals.Describe(block));
    }
    if (lines.empty()) return lines;
    seals.MakeAnew();
    const auto campaigns = connection.Rows(
        "SELECT campaign_id FROM campaign",
        [](const Statement& read) { return read.As<CampaignId>(0); });
    for (const CampaignId campaign : campaigns) {
      for (const std::string& line : lines) {
        RecordEvent(connection, campaign, now_s, "resealed", std::nullopt,
                    line);
      }
    }
    return lines;
  });
}

}  // namespace coppice::store
