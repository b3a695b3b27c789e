#include "store/write/worths.h"

#include <bit>
#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/write/evaluations.h"

namespace coppice::store {

NodeId OriginalOf(Connection& connection, CampaignId campaign, NodeId node) {
  return connection
      .Find<NodeId>(
          "SELECT coalesce(same_as, number) FROM node"
          " WHERE campaign_id = ? AND number = ?",
          campaign, node)
      .value_or(node);
}

std::optional<NodeId> FindKernel(Connection& connection, CampaignId campaign,
                                 std::uint64_t kernel_hash) {
  // Each commit asks: without the index it must fail rather than scan.
  return connection.Find<NodeId>(
      "SELECT number FROM node INDEXED BY node_by_kernel"
      " WHERE campaign_id = ? AND kernel_hash = ? AND same_as IS NULL",
      campaign, std::bit_cast<std::int64_t>(kernel_hash));
}

Worth WorthOfNode(NodeId original, std::vector<Evidence> findings) {
  if (original != kRootNode) return WorthOf(findings);
  // Nothing that is found out later refutes what all is measured by.
  std::erase_if(findings, [](const Evidence& each) { return each.further; });
  Worth worth = WorthOf(findings);
  if (worth.verdict == Verdict::kPassed) worth.speedup = WorthOfRoot().speedup;
  return worth;
}

Worth ComputeWorth(Connection& connection, CampaignId campaign,
                   NodeId original) {
  return WorthOfNode(
      original,
      connection.Rows(
          "SELECT verdict, speedup, speedup_low, speedup_high, further, tier"
          " FROM evaluation WHERE campaign_id = ? AND node_number = ?"
          " ORDER BY ordinal",
          [](const Statement& read) {
            return Evidence{read.As<Verdict>(0), SpeedupAt(read, 1),
                            !read.IsNull(4), read.As<Tier>(5)};
          },
          campaign, original));
}

void PutWorth(Connection& connection, CampaignId campaign, NodeId original,
              const Worth& worth) {
  const SpeedupColumns speedup(worth.speedup);
  for (const char* which : {"number", "same_as"}) {
    connection.Run(
        "UPDATE node SET verdict = ?3, decided_by = ?4, speedup = ?5,"
        " speedup_low = ?6, speedup_high = ?7, refuted = ?8, confirmed = ?9"
        " WHERE campaign_id = ?1 AND " +
            std::string(which) + " = ?2",
        campaign, original, worth.verdict, worth.decided_by, speedup.ratio,
        speedup.low, speedup.high, worth.is_refuted, worth.is_confirmed);
  }
}

namespace {

bool IsSame(const std::optional<Speedup>& a, const std::optional<Speedup>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  if (!a->interval || !b->interval) {
    return a->ratio == b->ratio &&
           a->interval.has_value() == b->interval.has_value();
  }
  return a->ratio == b->ratio && a->interval->low == b->interval->low &&
         a->interval->high == b->interval->high;
}

}  // namespace

std::vector<Misjudged> FindMisjudged(Connection& connection) {
  std::vector<Misjudged> found;
  Statement read = connection.Prepare(
      "SELECT n.campaign_id, n.number, coalesce(n.same_as, n.number),"
      " n.verdict, n.decided_by, n.speedup, n.speedup_low, n.speedup_high,"
      " c.name, n.refuted, n.confirmed FROM node n JOIN campaign c USING "
      "(campaign_id)");
  while (read.Step()) {
    const auto campaign = read.As<CampaignId>(0);
    const auto original = read.As<NodeId>(2);
    const Worth worth = ComputeWorth(connection, campaign, original);
    if (static_cast<std::int64_t>(worth.verdict) == read.Int(3) &&
        static_cast<std::int64_t>(worth.decided_by) == read.Int(4) &&
        IsSame(worth.speedup, SpeedupAt(read, 5)) &&
        worth.is_refuted == (read.Int(9) != 0) &&
        worth.is_confirmed == (read.Int(10) != 0)) {
      continue;
    }
    found.push_back({campaign, original,
                     "node " + std::to_string(read.Int(1)) + " of campaign " +
                         read.Text(8) +
                         " does not count for what its evaluations say"});
  }
  return found;
}

}  // namespace coppice::store
