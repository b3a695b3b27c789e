#include "store/read/relatives.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "store/connection.h"
#include "store/write/parents.h"
#include "store/write/plans.h"

namespace coppice::store {
namespace {

// Whether nodes are in a subtree.  What was found out of one is kept for those
// below it.
class Subtree {
 public:
  Subtree(Connection& connection, CampaignId campaign, NodeId top)
      : connection_(connection), campaign_(campaign), top_(top) {}

  bool Holds(NodeId node) {
    std::vector<NodeId> path;  // Up to one that is known.
    bool is_within = false;
    for (NodeId at = node;;) {
      if (at <= top_) {  // A parent's number is the lower one.
        is_within = at == top_;
        break;
      }
      const auto known = is_within_.find(at);
      if (known != is_within_.end()) {
        is_within = known->second;
        break;
      }
      path.push_back(at);
      at = ParentOf(connection_, campaign_, at).value_or(kRootNode);
    }
    for (const NodeId each : path) is_within_.emplace(each, is_within);
    return is_within;
  }

 private:
  Connection& connection_;
  CampaignId campaign_;
  NodeId top_;
  std::unordered_map<NodeId, bool> is_within_;
};

class StoredRelatives final : public FamilyTree {
 public:
  StoredRelatives(Connection& connection, CampaignId campaign)
      : connection_(connection), campaign_(campaign) {}

  std::int64_t CountRelatives(Kinship kinship, NodeId of) const override {
    if (kinship == Kinship::kNephew) return std::ssize(Nephews(of));
    const auto parent = ParentAmong(kinship, of);
    if (!parent) return 0;
    const std::int64_t children = connection_.Number(
        "SELECT count(*) FROM node"
        " WHERE campaign_id = ? AND parent_number = ?",
        campaign_, *parent);
    return kinship == Kinship::kSibling ? children - 1 : children;
  }

  std::vector<NodeId> RelativesAt(
      Kinship kinship, NodeId of,
      const std::vector<std::int64_t>& places) const override {
    std::vector<NodeId> nodes;
    if (kinship == Kinship::kNephew) {
      const std::vector<NodeId> nephews = Nephews(of);
      for (const std::int64_t place : places) {
        nodes.push_back(nephews[static_cast<std::size_t>(place)]);
      }
      return nodes;
    }
    const auto parent = ParentAmong(kinship, of);
    std::int64_t passed = 0;  // Places, the last node's among them.
    NodeId last{-1};
    for (const std::int64_t place : places) {
      if (place >= passed) {
        Statement next = connection_.Prepare(
            "SELECT number FROM node WHERE campaign_id = ?1"
            " AND parent_number = ?2 AND number <> ?3 AND number > ?4"
            " ORDER BY number LIMIT 1 OFFSET ?5",
            campaign_, parent, of, last, place - passed);
        next.Step();
        last = next.As<NodeId>(0);
        passed = place + 1;
      }
      nodes.push_back(last);
    }
    return nodes;
  }

  std::int64_t CountPassing(Kinship kinship, NodeId of,
                            std::int64_t most) const override {
    if (kinship == Kinship::kNephew) {
      return connection_.Number(
          "SELECT count(*) FROM (SELECT 1 FROM node i CROSS JOIN node s"
          " ON s.campaign_id = ?1 AND s.parent_number = i.parent_number"
          " AND s.number <> ?2 CROSS JOIN node n INDEXED BY node_by_parent"
          " ON n.campaign_id = ?1 AND n.parent_number = s.number"
          " AND n.verdict = 0"
          " WHERE i.campaign_id = ?1 AND i.number = ?2 LIMIT ?3)",
          campaign_, of, most);
    }
    const auto parent = ParentAmong(kinship, of);
    if (!parent) return 0;
    return connection_.Number(
        "SELECT count(*) FROM (SELECT 1 FROM node INDEXED BY node_by_parent"
        " WHERE campaign_id = ?1 AND parent_number = ?2 AND number <> ?3"
        " AND verdict = 0 LIMIT ?4)",
        campaign_, *parent, of, most);
  }

  // Where the first node of some tokens is no leader, the next that is one
  // stands for them.
  std::vector<NodeId> Leaders(NodeId outside, int limit) const override {
    std::vector<NodeId> leaders;
    if (outside == kRootNode || limit <= 0) return leaders;
    Subtree subtree(connection_, campaign_, outside);
    const auto is_one = [&](NodeId node) {
      return node != kRootNode && !subtree.Holds(node);
    };
    std::set<NodeId> later;  // As fast as who was visited last.
    const auto add = [&](NodeId node) {
      if (std::ssize(leaders) < limit) leaders.push_back(node);
    };
    double speedup = 0.0;
    VisitFastest([&](NodeId node, double its) {
      while (!later.empty() && (its != speedup || *later.begin() < node)) {
        add(later.extract(later.begin()).value());
      }
      speedup = its;
      if (is_one(node)) {
        add(node);
      } else if (const auto repeat = FirstRepeat(node, is_one)) {
        later.insert(*repeat);
      }
      return std::ssize(leaders) < limit;
    });
    for (const NodeId node : later) add(node);
    return leaders;
  }

  std::vector<NodeId> LeadersAmong(NodeId outside, int size) const override {
    if (outside == kRootNode || size <= 0) return {};
    Subtree subtree(connection_, campaign_, outside);
    std::vector<NodeId> leaders;
    VisitFastest([&](NodeId node, double) {
      if (node != kRootNode && !subtree.Holds(node)) leaders.push_back(node);
      return --size > 0;
    });
    return leaders;
  }

 private:
  // Whose children they are, of which a child's own number is none; none: the
  // root has no siblings.
  std::optional<NodeId> ParentAmong(Kinship kinship, NodeId of) const {
    if (kinship == Kinship::kChild) return of;
    return ParentOf(connection_, campaign_, of);
  }

  std::vector<NodeId> Nephews(NodeId of) const {
    auto nephews = connection_.Rows(
        "SELECT n.number FROM node i CROSS JOIN node s ON s.campaign_id = ?1"
        " AND s.parent_number = i.parent_number AND s.number <> ?2"
        " CROSS JOIN node n ON n.campaign_id = ?1"
        " AND n.parent_number = s.number"
        " WHERE i.campaign_id = ?1 AND i.number = ?2",
        [](const Statement& read) { return read.As<NodeId>(0); }, campaign_,
        of);
    std::ranges::sort(nephews);
    return nephews;
  }

  // The first for which it holds, of the nodes of the same tokens that came
  // after `of`.
  template <class Predicate>
  std::optional<NodeId> FirstRepeat(NodeId of, Predicate&& holds) const {
    Statement read = connection_.Prepare(
        "SELECT number FROM node INDEXED BY node_by_original"
        " WHERE campaign_id = ? AND same_as = ? ORDER BY number",
        campaign_, of);
    while (read.Step()) {
      if (holds(read.As<NodeId>(0))) return read.As<NodeId>(0);
    }
    return std::nullopt;
  }

  // Passing nodes that are the first of their tokens, each with its speedup,
  // from the fastest on, until it returns false.
  template <class Visit>
  void VisitFastest(Visit&& visit) const {
    Statement read = connection_.Prepare(
        "SELECT number, speedup FROM node INDEXED BY node_by_speedup"
        " WHERE campaign_id = ? AND verdict = 0 AND same_as IS NULL"
        " ORDER BY speedup DESC, number",
        campaign_);
    while (read.Step() && visit(read.As<NodeId>(0), read.Real(1))) {
    }
  }

  Connection& connection_;
  CampaignId campaign_;
};

}  // namespace

Result<void> WithRelatives(
    Database& database, CampaignId campaign,
    const std::function<Result<void>(const FamilyTree&)>& visit) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<void> {
    return visit(StoredRelatives(connection, campaign));
  });
}

Result<std::optional<Plan>> ReadLatestPlan(Database& database,
                                           CampaignId campaign, NodeId parent) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::optional<Plan>> {
    const auto id = connection.Find<PlanId>(
        "SELECT plan_id FROM node INDEXED BY node_by_parent"
        " WHERE campaign_id = ? AND parent_number = ?"
        " AND plan_id IS NOT NULL"
        " ORDER BY number DESC LIMIT 1",
        campaign, parent);
    if (!id) return std::optional<Plan>();
    TRY(plan, LoadPlan(connection, *id));
    return std::optional(std::move(plan));
  });
}

}  // namespace coppice::store
