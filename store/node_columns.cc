#include "store/node_columns.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "store/connection.h"

namespace coppice::store {
namespace {

constexpr std::size_t kMostPolicies = 255;

NodeMark MarkAt(const Statement& row, int first) {
  NodeMark mark;
  mark.verdict = static_cast<std::uint8_t>(row.Int(first));
  mark.speedup = row.IsNull(first + 1)
                     ? std::numeric_limits<float>::quiet_NaN()
                     : static_cast<float>(row.Real(first + 1));
  if (row.Int(first + 2) != 0) mark.flags |= kRefuted;
  if (row.Int(first + 3) != 0) mark.flags |= kConfirmed;
  if (row.Int(first + 4) != 0) mark.flags |= kSameAs;
  return mark;
}

// The place of a name, which is added if it is new.
class Places {
 public:
  explicit Places(std::vector<std::string>& names) : names_(names) {
    for (std::size_t i = 0; i < names.size(); ++i) places_.emplace(names[i], i);
  }
  std::size_t Of(std::string_view name) {
    const auto [found, is_new] =
        places_.emplace(std::string(name), names_.size());
    if (is_new) names_.emplace_back(name);
    return found->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::size_t> places_;
};

void Append(Connection& connection, CampaignId campaign, NodeColumns& columns) {
  Places policies(columns.policy_names);
  Places techniques(columns.technique_names);
  Statement read = connection.Prepare(
      "SELECT n.parent_number, n.verdict, n.speedup, n.refuted, n.confirmed,"
      " n.same_as IS NOT NULL, n.technique_family, a.policy,"
      " coalesce(p.technique_name, ''),"
      " (SELECT sum(m.cost_usd) FROM model_call m"
      "  WHERE m.attempt_id = n.attempt_id)"
      " FROM node n LEFT JOIN attempt a USING (attempt_id)"
      " LEFT JOIN plan p ON p.plan_id = n.plan_id"
      " WHERE n.campaign_id = ? AND n.number >= ? ORDER BY n.number");
  read.Bind(campaign, static_cast<std::int64_t>(columns.size()));
  while (read.Step()) {
    columns.parents.push_back(
        read.IsNull(0) ? kNoParent : static_cast<std::uint32_t>(read.Int(0)));
    columns.marks.push_back(MarkAt(read, 1));
    columns.families.push_back(static_cast<std::uint8_t>(read.Int(6)));
    columns.policies.push_back(
        read.IsNull(7) ? std::uint8_t{255}
                       : static_cast<std::uint8_t>(std::min(
                             policies.Of(read.View(7)), kMostPolicies - 1)));
    columns.techniques.push_back(
        static_cast<std::uint32_t>(techniques.Of(read.View(8))));
    columns.costs_usd.push_back(
        read.IsNull(9) ? 0.0F : static_cast<float>(read.Real(9)));
  }
}

// Nodes of the same tokens count for what the one counts for that was judged.
void Refresh(Connection& connection, CampaignId campaign,
             NodeColumns& columns) {
  Statement read = connection.Prepare(
      "SELECT n.number, n.verdict, n.speedup, n.refuted, n.confirmed,"
      " n.same_as IS NOT NULL FROM node n WHERE n.campaign_id = ?1"
      " AND n.number < ?3 AND n.number IN ("
      "SELECT e.node_number FROM evaluation e"
      " WHERE e.campaign_id = ?1 AND e.further > ?2 UNION "
      "SELECT s.number FROM evaluation e CROSS JOIN node s"
      " ON s.campaign_id = e.campaign_id AND s.same_as = e.node_number"
      " WHERE e.campaign_id = ?1 AND e.further > ?2)");
  read.Bind(campaign, columns.further,
            static_cast<std::int64_t>(columns.size()));
  while (read.Step()) {
    NodeMark& mark = columns.marks[static_cast<std::size_t>(read.Int(0))];
    const std::uint8_t frozen = mark.flags & kFrozen;
    mark = MarkAt(read, 1);
    mark.flags |= frozen;
  }
}

}  // namespace

Result<void> BringUpToDate(Database& database, CampaignId campaign,
                           NodeColumns& columns) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<void> {
    std::int64_t further = 0;
    {
      Statement read = connection.Prepare(
          "SELECT further, nodes FROM campaign WHERE campaign_id = ?");
      if (!read.Bind(campaign).Step()) {
        return connection.NoSuchCampaign(campaign);
      }
      further = read.Int(0);
      // Another file by that name.
      if (read.Int(1) < static_cast<std::int64_t>(columns.size())) columns = {};
    }
    if (further != columns.further) Refresh(connection, campaign, columns);
    columns.further = further;
    Append(connection, campaign, columns);
    return {};
  });
}

}  // namespace coppice::store
