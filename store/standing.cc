#include "store/standing.h"

#include <bit>
#include <string>
#include <utility>

#include "store/connection.h"
#include "store/nodes.h"

namespace coppice::store {
namespace {

struct Counts {
  std::int64_t decisions = 0;
  std::int64_t nodes = 0;
};

Result<Counts> Count(Connection& connection, CampaignId campaign) {
  Statement read = connection.Prepare(
      "SELECT attempts, nodes FROM campaign WHERE campaign_id = ?");
  if (!read.Bind(campaign).Step()) {
    return connection.NoSuchCampaign(campaign);
  }
  return Counts{read.Int(0), read.Int(1)};
}

std::vector<Arrival> ArrivalsFrom(Connection& connection, CampaignId campaign,
                                  std::int64_t first) {
  std::vector<Arrival> arrivals;
  Statement read = connection.Prepare(
      "SELECT n.number, n.parent_number, n.verdict, n.runtime_s, n.source_hash,"
      " a.decision FROM node n LEFT JOIN attempt a USING (attempt_id)"
      " WHERE n.campaign_id = ? AND n.number >= ? ORDER BY n.number");
  read.Bind(campaign, first);
  while (read.Step()) {
    Arrival& arrival = arrivals.emplace_back();
    arrival.node.id = read.As<NodeId>(0);
    if (!read.IsNull(1)) arrival.node.parent = read.As<NodeId>(1);
    arrival.node.verdict = read.As<Verdict>(2);
    arrival.node.runtime_s = read.OptionalReal(3);
    arrival.node.source_hash = std::bit_cast<std::uint64_t>(read.Int(4));
    arrival.decision = read.OptionalInt(5);
  }
  return arrivals;
}

}  // namespace

Result<Standing> ReadStanding(
    Database& database, CampaignId campaign,
    const std::function<void(const NodeSummary&)>& visit) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Standing> {
    TRY(counts, Count(connection, campaign));
    TRY_DONE(Nodes(database).Scan(campaign, visit));
    Standing standing;
    standing.decisions = counts.decisions;
    {
      Statement read = connection.Prepare(
          "SELECT count(*) FROM quarantine WHERE campaign_id = ?");
      if (read.Bind(campaign).Step()) standing.quarantines = read.Int(0);
    }
    Statement read = connection.Prepare(
        "SELECT decision, parent_number FROM attempt"
        " WHERE campaign_id = ? AND stage < 3 ORDER BY decision");
    read.Bind(campaign);
    while (read.Step()) {
      standing.in_flight.push_back({read.Int(0), read.As<NodeId>(1)});
    }
    return standing;
  });
}

Result<Growth> ReadGrowth(Database& database, CampaignId campaign,
                          std::int64_t decisions, std::int64_t nodes) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Growth> {
    TRY(counts, Count(connection, campaign));
    Growth growth;
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
          "SELECT node_number, verdict FROM quarantine WHERE campaign_id = ?"
          " ORDER BY quarantined_at_s, node_number");
      read.Bind(campaign);
      while (read.Step()) {
        annals.quarantines.push_back({read.As<NodeId>(0), read.As<Verdict>(1)});
      }
    }
    Statement read = connection.Prepare(
        "SELECT decision, parent_number, policy, reason, nodes_seen,"
        " quarantines_seen FROM attempt WHERE campaign_id = ?"
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
