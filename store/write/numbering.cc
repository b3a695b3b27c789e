#include "store/write/numbering.h"

#include "store/connection.h"

namespace coppice::store {

Result<Counts> CountsOf(Connection& connection, CampaignId campaign) {
  Statement read = connection.Prepare(
      "SELECT attempts, nodes, further FROM campaign WHERE campaign_id = ?",
      campaign);
  if (!read.Step()) return connection.NoSuchCampaign(campaign);
  return Counts{read.Int(0), read.Int(1), read.Int(2)};
}

bool HasNode(Connection& connection, CampaignId campaign, NodeId node) {
  return connection
      .Find<NodeId>(
          "SELECT number FROM node WHERE campaign_id = ? AND number = ?",
          campaign, node)
      .has_value();
}

Result<void> CheckNext(const Connection& connection, const std::string& name,
                       std::int64_t number, std::int64_t next) {
  if (number == next) return {};
  if (number < next) {
    return connection.FailHere(
        Errc::kBusy,
        name + " is taken: another process works on this campaign");
  }
  return connection.FailHere(
      Errc::kUsage, name + " is not the next, " + std::to_string(next));
}

}  // namespace coppice::store
