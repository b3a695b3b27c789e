#include "store/write/worths.h"

#include <bit>
#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/write/evaluations.h"

namespace coppice::store {

NodeId OriginalOf(Connection& connection, CampaignId campaign, NodeId node) {
  Statement read = connection.Prepare(
      "SELECT coalesce(same_as, number) FROM node"
      " WHERE campaign_id = ? AND number = ?");
  return read.Bind(campaign, node).Step() ? read.As<NodeId>(0) : node;
}

std::optional<NodeId> FindKernel(Connection& connection, CampaignId campaign,
                                 std::uint64_t kernel_hash) {
  // Each commit asks: without the index it must fail rather than scan.
  Statement read = connection.Prepare(
      "SELECT number FROM node INDEXED BY node_by_kernel"
      " WHERE campaign_id = ? AND kernel_hash = ? AND same_as IS NULL");
  read.Bind(campaign, std::bit_cast<std::int64_t>(kernel_hash));
  if (!read.Step()) return std::nullopt;
  return read.As<NodeId>(0);
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
  std::vector<Evidence> findings;
  Statement read = connection.Prepare(
      "SELECT verdict, speedup, speedup_low, speedup_high, further, tier"
      " FROM evaluation WHERE campaign_id = ? AND node_number = ?"
      " ORDER BY ordinal");
  read.Bind(campaign, original);
  while (read.Step()) {
    findings.push_back({read.As<Verdict>(0), SpeedupAt(read, 1),
                        !read.IsNull(4), read.As<Tier>(5)});
  }
  return WorthOfNode(original, std::move(findings));
}

void PutWorth(Connection& connection, CampaignId campaign, NodeId original,
              const Worth& worth) {
  const SpeedupColumns speedup(worth.speedup);
  const auto update = [&](const char* sql) {
    connection.Prepare(sql)
        .Bind(campaign, original, worth.verdict, worth.decided_by,
              speedup.ratio, speedup.low, speedup.high, worth.is_refuted,
              worth.is_confirmed)
        .Run();
  };
  update(
      "UPDATE node SET verdict = ?3, decided_by = ?4, speedup = ?5,"
      " speedup_low = ?6, speedup_high = ?7, refuted = ?8, confirmed = ?9"
      " WHERE campaign_id = ?1 AND number = ?2");
  update(
      "UPDATE node SET verdict = ?3, decided_by = ?4, speedup = ?5,"
      " speedup_low = ?6, speedup_high = ?7, refuted = ?8, confirmed = ?9"
      " WHERE campaign_id = ?1 AND same_as = ?2");
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
