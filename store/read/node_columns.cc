#include "store/read/node_columns.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>

#include "store/connection.h"
#include "store/read/node_news.h"
#include "store/write/numbering.h"

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

// Reads a part of the nodes from `first` on, and says whether there may be
// more.
bool Append(Connection& connection, CampaignId campaign, std::size_t first,
            NodeColumns& columns) {
  Places policies(columns.policy_names);
  Statement read = connection.Prepare(
      "SELECT n.parent_number, n.verdict, n.speedup, n.refuted, n.confirmed,"
      " n.same_as IS NOT NULL, n.technique_family, a.policy"
      " FROM node n LEFT JOIN attempt a USING (attempt_id)"
      " WHERE n.campaign_id = ? AND n.number >= ? ORDER BY n.number LIMIT ?");
  const std::size_t before = columns.size();
  read.Bind(campaign, first + before, kNodesAtOnce);
  while (read.Step()) {
    columns.parents.push_back(
        read.IsNull(0) ? kNoParent : static_cast<std::uint32_t>(read.Int(0)));
    columns.marks.push_back(MarkAt(read, 1));
    columns.families.push_back(static_cast<std::uint8_t>(read.Int(6)));
    columns.policies.push_back(
        read.IsNull(7) ? std::uint8_t{255}
                       : static_cast<std::uint8_t>(std::min(
                             policies.Of(read.View(7)), kMostPolicies - 1)));
  }
  return std::ssize(columns.parents) - static_cast<std::int64_t>(before) ==
         kNodesAtOnce;
}

bool Append(Connection& connection, CampaignId campaign, std::size_t first,
            NodeDetails& details) {
  Places techniques(details.technique_names);
  Statement read = connection.Prepare(
      "SELECT coalesce(p.technique_name, ''),"
      " (SELECT sum(m.cost_usd) FROM model_call m"
      "  WHERE m.attempt_id = n.attempt_id)"
      " FROM node n LEFT JOIN plan p ON p.plan_id = n.plan_id"
      " WHERE n.campaign_id = ? AND n.number >= ? ORDER BY n.number LIMIT ?");
  const std::size_t before = details.size();
  read.Bind(campaign, first + before, kNodesAtOnce);
  while (read.Step()) {
    details.techniques.push_back(
        static_cast<std::uint32_t>(techniques.Of(read.View(0))));
    details.costs_usd.push_back(
        read.IsNull(1) ? 0.0F : static_cast<float>(read.Real(1)));
  }
  return std::ssize(details.techniques) - static_cast<std::int64_t>(before) ==
         kNodesAtOnce;
}

// A transaction after the other, until there is nothing more.
template <class Columns>
Result<void> AppendAll(Connection& connection, CampaignId campaign,
                       std::size_t first, Columns& columns) {
  bool may_be_more = true;
  while (may_be_more) {
    TRY_DONE(connection.Read([&]() -> Result<void> {
      may_be_more = Append(connection, campaign, first, columns);
      return {};
    }));
  }
  return {};
}

// Nodes of the same tokens count for what the one counts for that was judged.
void ReadMarks(Connection& connection, CampaignId campaign,
               const NodeColumns& known, NodeNews& news) {
  Statement read = connection.Prepare(
      "SELECT n.number, n.verdict, n.speedup, n.refuted, n.confirmed,"
      " n.same_as IS NOT NULL FROM node n WHERE n.campaign_id = ?1"
      " AND n.number < ?3 AND n.number IN (" +
          std::string(kChangedSince) + ")",
      campaign, known.further, known.size());
  while (read.Step()) {
    const auto number = static_cast<std::size_t>(read.Int(0));
    NodeMark mark = MarkAt(read, 1);
    if ((known.marks[number].flags & kFrozen) != 0) mark.flags |= kFrozen;
    news.marks.emplace_back(number, mark);
  }
}

template <class Value>
void Append(const std::vector<Value>& added, std::vector<Value>& to) {
  to.insert(to.end(), added.begin(), added.end());
}

}  // namespace

Result<NodeNews> ReadNews(Database& database, CampaignId campaign,
                          const NodeColumns& known) {
  Connection& connection = database.connection();
  NodeNews news;
  TRY_DONE(connection.Read([&]() -> Result<void> {
    TRY(counts, CountsOf(connection, campaign));
    news.is_all = counts.nodes < static_cast<std::int64_t>(known.size());
    news.added.further = counts.further;
    if (news.is_all) return {};
    news.added.policy_names = known.policy_names;
    if (news.added.further != known.further) {
      ReadMarks(connection, campaign, known, news);
    }
    return {};
  }));
  TRY_DONE(AppendAll(connection, campaign, news.is_all ? 0 : known.size(),
                     news.added));
  news.is_none = !news.is_all && news.added.size() == 0 &&
                 news.added.further == known.further;
  return news;
}

void Add(NodeNews news, NodeColumns& columns) {
  if (news.is_all || columns.size() == 0) {
    columns = std::move(news.added);
    return;
  }
  NodeColumns& added = news.added;
  for (const auto& [number, mark] : news.marks) columns.marks[number] = mark;
  columns.further = added.further;
  Append(added.parents, columns.parents);
  Append(added.marks, columns.marks);
  Append(added.families, columns.families);
  Append(added.policies, columns.policies);
  columns.policy_names = std::move(added.policy_names);
}

Result<DetailNews> ReadNews(Database& database, CampaignId campaign,
                            const NodeDetails& known) {
  Connection& connection = database.connection();
  DetailNews news;
  TRY_DONE(connection.Read([&]() -> Result<void> {
    TRY(counts, CountsOf(connection, campaign));
    news.is_all = counts.nodes < static_cast<std::int64_t>(known.size());
    if (!news.is_all) news.added.technique_names = known.technique_names;
    return {};
  }));
  TRY_DONE(AppendAll(connection, campaign, news.is_all ? 0 : known.size(),
                     news.added));
  news.is_none = !news.is_all && news.added.size() == 0;
  return news;
}

void Add(DetailNews news, NodeDetails& details) {
  if (news.is_all || details.size() == 0) {
    details = std::move(news.added);
    return;
  }
  Append(news.added.techniques, details.techniques);
  Append(news.added.costs_usd, details.costs_usd);
  details.technique_names = std::move(news.added.technique_names);
}

Result<void> BringUpToDate(Database& database, CampaignId campaign,
                           NodeColumns& columns) {
  TRY(news, ReadNews(database, campaign, columns));
  Add(std::move(news), columns);
  return {};
}

}  // namespace coppice::store
