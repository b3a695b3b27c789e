#include "store/snapshot.h"

#include <bit>
#include <string>
#include <utility>

#include "store/connection.h"
#include "store/evaluations.h"
#include "store/nodes.h"

namespace coppice::store {
namespace {

struct Counts {
  std::int64_t decisions = 0;
  std::int64_t nodes = 0;
  std::int64_t further = 0;
};

Result<Counts> Count(Connection& connection, CampaignId campaign) {
  Statement read = connection.Prepare(
      "SELECT attempts, nodes, further FROM campaign WHERE campaign_id = ?");
  if (!read.Bind(campaign).Step()) {
    return connection.NoSuchCampaign(campaign);
  }
  return Counts{read.Int(0), read.Int(1), read.Int(2)};
}

std::vector<Arrival> ArrivalsFrom(Connection& connection, CampaignId campaign,
                                  std::int64_t first) {
  std::vector<Arrival> arrivals;
  Statement read = connection.Prepare(
      "SELECT n.number, n.parent_number, n.verdict,"
      " c.root_runtime_s / n.speedup, n.kernel_hash, n.same_as IS NOT NULL,"
      " a.decision FROM campaign c JOIN node n USING (campaign_id)"
      " LEFT JOIN attempt a USING (attempt_id)"
      " WHERE c.campaign_id = ? AND n.number >= ? ORDER BY n.number");
  read.Bind(campaign, first);
  while (read.Step()) {
    arrivals.push_back({SummaryAt(read), read.OptionalInt(6)});
  }
  return arrivals;
}

}  // namespace

Result<Snapshot> ReadSnapshot(
    Database& database, CampaignId campaign,
    const std::function<void(const NodeSummary&)>& visit) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Snapshot> {
    TRY(counts, Count(connection, campaign));
    TRY_DONE(Nodes(database).Scan(campaign, visit));
    Snapshot snapshot;
    snapshot.decisions = counts.decisions;
    snapshot.further = counts.further;
    Statement read = connection.Prepare(
        "SELECT decision, parent_number FROM attempt"
        " WHERE campaign_id = ? AND stage < 3 ORDER BY decision");
    read.Bind(campaign);
    while (read.Step()) {
      snapshot.in_flight.push_back({read.Int(0), read.As<NodeId>(1)});
    }
    return snapshot;
  });
}

Result<Growth> ReadGrowth(Database& database, CampaignId campaign,
                          std::int64_t decisions, std::int64_t nodes) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Growth> {
    TRY(counts, Count(connection, campaign));
    Growth growth;
    growth.further = counts.further;
    if (counts.decisions > decisions) {
      Statement read = connection.Prepare(
          "SELECT decision, parent_number FROM attempt"
          " WHERE campaign_id = ? AND decision >= ? ORDER BY decision");
      read.Bind(campaign, decisions);
      while (read.Step()) {
        growth.decided.push_back({read.Int(0), read.As<NodeId>(1)});
      }
    }
    if (counts.nodes > nodes) {
      growth.arrivals = ArrivalsFrom(connection, campaign, nodes);
    }
    return growth;
  });
}

Result<Annals> ReadAnnals(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Annals> {
    Annals annals;
    annals.arrivals = ArrivalsFrom(connection, campaign, 0);
    {
      Statement read = connection.Prepare(
          "SELECT root_runtime_s, further FROM campaign"
          " WHERE campaign_id = ?");
      if (read.Bind(campaign).Step()) {
        annals.root_runtime_s = read.OptionalReal(0);
        annals.further = read.Int(1);
      }
    }
    {
      Statement read = connection.Prepare(
          "SELECT coalesce(same_as, number) FROM node WHERE campaign_id = ?"
          " ORDER BY number");
      read.Bind(campaign);
      while (read.Step()) annals.originals.push_back(read.As<NodeId>(0));
    }
    {
      Statement read = connection.Prepare(
          "SELECT node_number, coalesce(further, 0), verdict, speedup,"
          " speedup_low, speedup_high FROM evaluation"
          " WHERE campaign_id = ? AND node_number IS NOT NULL"
          " ORDER BY node_number, ordinal");
      read.Bind(campaign);
      while (read.Step()) {
        annals.evaluations.push_back(
            {read.As<NodeId>(0),
             read.Int(1),
             {read.As<Verdict>(2), SpeedupAt(read, 3), read.Int(1) > 0}});
      }
    }
    Statement read = connection.Prepare(
        "SELECT decision, parent_number, policy, reason, nodes_seen,"
        " further_seen FROM attempt WHERE campaign_id = ?"
        " ORDER BY decision");
    read.Bind(campaign);
    while (read.Step()) {
      annals.decisions.push_back({read.Int(0), read.As<NodeId>(1), read.Text(2),
                                  read.Text(3), read.Int(4), read.Int(5)});
    }
    return annals;
  });
}

}  // namespace coppice::store
