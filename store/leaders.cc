#include "store/leaders.h"

#include <algorithm>

#include "store/connection.h"

namespace coppice::store {

std::vector<Leader> LoadLeaders(Connection& connection, CampaignId campaign) {
  std::vector<Leader> leaders;
  Statement read = connection.Prepare(
      "SELECT n.number, n.runtime_s, n.source_blob FROM leader l"
      " JOIN node n ON n.campaign_id = l.campaign_id"
      " AND n.number = l.node_number WHERE l.campaign_id = ? ORDER BY l.rank");
  read.Bind(campaign);
  while (read.Step()) {
    leaders.push_back({read.As<NodeId>(0), read.Real(1), read.As<BlobId>(2)});
  }
  return leaders;
}

std::vector<NodeId> ComputeLeaders(Connection& connection,
                                   CampaignId campaign) {
  std::vector<NodeId> leaders;
  Statement read = connection.Prepare(
      "SELECT number FROM ("
      "  SELECT number, runtime_s, row_number() OVER ("
      "    PARTITION BY source_blob ORDER BY runtime_s, number) AS place"
      "  FROM node n WHERE campaign_id = ?1 AND verdict = 0"
      "  AND NOT EXISTS (SELECT 1 FROM quarantine q"
      "    WHERE q.campaign_id = n.campaign_id AND q.node_number = n.number))"
      " WHERE place = 1 ORDER BY runtime_s, number LIMIT ?2");
  read.Bind(campaign, kLeaders);
  while (read.Step()) leaders.push_back(read.As<NodeId>(0));
  return leaders;
}

std::vector<Leader> WithLeader(std::vector<Leader> leaders,
                               const Leader& candidate) {
  const auto equal = std::find_if(leaders.begin(), leaders.end(),
                                  [&candidate](const Leader& leader) {
                                    return leader.source == candidate.source;
                                  });
  if (equal != leaders.end()) {
    if (equal->runtime_s <= candidate.runtime_s) return leaders;
    leaders.erase(equal);
  }
  // After equal runtimes: the candidate has the highest number.
  const auto place =
      std::upper_bound(leaders.begin(), leaders.end(), candidate.runtime_s,
                       [](double runtime_s, const Leader& leader) {
                         return runtime_s < leader.runtime_s;
                       });
  leaders.insert(place, candidate);
  if (leaders.size() > kLeaders) leaders.pop_back();
  return leaders;
}

void RebuildLeaders(Connection& connection, CampaignId campaign) {
  const std::vector<NodeId> leaders = ComputeLeaders(connection, campaign);
  connection.Prepare("DELETE FROM leader WHERE campaign_id = ?")
      .Bind(campaign)
      .Run();
  for (std::size_t i = 0; i < leaders.size(); ++i) {
    connection.Prepare("INSERT INTO leader VALUES (?, ?, ?)")
        .Bind(campaign, i + 1, leaders[i])
        .Run();
  }
}

void UpdateLeaders(Connection& connection, CampaignId campaign,
                   const Leader& candidate) {
  const std::vector<Leader> before = LoadLeaders(connection, campaign);
  const std::vector<Leader> after = WithLeader(before, candidate);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i < before.size() && before[i].node == after[i].node) continue;
    connection.Prepare("INSERT OR REPLACE INTO leader VALUES (?, ?, ?)")
        .Bind(campaign, i + 1, after[i].node)
        .Run();
  }
}

}  // namespace coppice::store
