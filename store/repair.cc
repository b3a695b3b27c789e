#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/events.h"
#include "store/fence.h"
#include "store/maintenance.h"
#include "store/mends.h"
#include "store/worths.h"

namespace coppice::store {
namespace {

struct Done {
  CampaignId campaign{};
  std::string what;
};

void Apply(Connection& connection, const Mend& mend, std::vector<Done>& done) {
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
  std::vector<Open> open;
  Statement read = connection.Prepare(
      "SELECT attempt_id, campaign_id, lease_owner FROM attempt a"
      " WHERE stage < 2 AND EXISTS (SELECT 1 FROM model_call m"
      "  WHERE m.attempt_id = a.attempt_id AND m.outcome = 0)");
  while (read.Step()) {
    open.push_back(
        {read.As<AttemptId>(0), read.As<CampaignId>(1), read.Text(2)});
  }
  return open;
}

Result<void> TakeFromTheDead(Connection& connection, double now_s,
                             const IsAlive& is_alive, std::vector<Done>& done) {
  std::map<std::string, bool> lives;
  for (const Open& open : ReadOpen(connection)) {
    if (!lives.contains(open.owner)) {
      TRY(alive, is_alive(open.owner));
      lives[open.owner] = alive;
    }
    if (lives[open.owner]) continue;
    TakeAway(connection, open.attempt, now_s);
    done.push_back(
        {open.campaign, "attempt " + std::to_string(Index(open.attempt)) +
                            " has a call that died with its process"});
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
    TRY_DONE(TakeFromTheDead(connection, now_s, is_alive, done));
    MendWorths(connection, done);  // Of which there are sums.
    for (const Mend& mend : Mends()) Apply(connection, mend, done);
    for (const Done& each : done) {
      RecordEvent(connection, each.campaign, now_s, "repaired", std::nullopt,
                  each.what);
    }
    return Lines(done);
  });
}

}  // namespace coppice::store
