// GET /api/decision: a decision, and the same made again from what its policy
// saw (engine/campaign/replay.h): with the scores of the nodes that its rule
// compared, and how many of some other seeds would have chosen each.
#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "engine/campaign/replay.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "search/policy.h"
#include "store/read/campaign_pages.h"
#include "store/read/decision_state.h"
#include "store/records/candidate.h"
#include "store/records/random.h"

namespace coppice::inspector {
namespace {

constexpr std::size_t kMostShown = 100;
constexpr int kOtherSeeds = 200;
constexpr double kSeedsPatience_s = 0.1;
constexpr int kMostReadings = 10;

struct Candidate {
  NodeId node{};
  std::optional<double> score;  // The last, if it was compared more than once.
  int chosen = 0;               // By so many seeds.
};

// How often policies of other seeds choose each from the same tree.
int CountSeeds(const engine::Remade& remade, std::uint64_t seed,
               const std::function<bool()>& is_over,
               std::map<NodeId, Candidate>& candidates) {
  const auto decision = static_cast<std::uint64_t>(remade.recorded.decision);
  for (int i = 0; i < kOtherSeeds; ++i) {
    if (is_over()) return i;
    RandomStream stream(seed + static_cast<std::uint64_t>(i) + 1,
                        Purpose::kSelect, decision);
    const NodeId node = remade.policy.Select(remade.seen, stream).node;
    Candidate& candidate = candidates[node];
    candidate.node = node;
    ++candidate.chosen;
  }
  return kOtherSeeds;
}

// The scores by which a policy chose.
Json ScoresJson(const engine::Remade& remade, std::uint64_t seed,
                const std::function<bool()>& is_over) {
  search::Weighing weighing;
  RandomStream stream(seed, Purpose::kSelect,
                      static_cast<std::uint64_t>(remade.recorded.decision));
  remade.policy.SelectAloud(remade.seen, stream, weighing);
  std::map<NodeId, Candidate> candidates;
  for (const search::Weighing::One& one : weighing.nodes) {
    candidates[one.node] = {one.node, one.score};
  }
  const int seeds = CountSeeds(remade, seed, is_over, candidates);
  std::vector<Candidate> sorted;
  for (const auto& [node, candidate] : candidates) sorted.push_back(candidate);
  const NodeId chosen = remade.again.node;
  const double sign = weighing.is_lowest_best ? -1.0 : 1.0;
  std::ranges::stable_sort(sorted, [&](const Candidate& a, const Candidate& b) {
    const auto rank = [&](const Candidate& of) {
      return std::tuple(of.node == chosen, of.score.has_value(),
                        sign * of.score.value_or(0.0), of.chosen);
    };
    return rank(a) > rank(b);
  });
  Json rows = Json::array();
  for (const Candidate& each :
       std::span(sorted).first(std::min(sorted.size(), kMostShown))) {
    rows.push_back({{"node", Index(each.node)},
                    {"score", OrNull(each.score)},
                    {"seeds", each.chosen}});
  }
  return {{"measure", weighing.measure},
          {"lowest_is_best", weighing.is_lowest_best},
          {"seeds", seeds},
          {"of", sorted.size()},
          {"nodes", std::move(rows)}};
}

Json PageOf(const store::Listing& listing,
            const store::DecisionState& decision_state) {
  Json page = RowJson(listing, 0);
  page["seen"] = {{"nodes", page["nodes_seen"]},
                  {"further", page["further_seen"]},
                  {"attempts_left", page["attempts_left"]}};
  for (const char* key : {"nodes_seen", "further_seen", "attempts_left"}) {
    page.erase(key);
  }
  page["in_flight"] =
      ArrayOf(decision_state.in_flight, &store::Decided::decision);
  page["again"] = nullptr;             // Nobody chose it.
  page["scores"] = nullptr;            // Nor did a policy.
  page["directives"] = Json::array();  // Those in force from it on.
  for (const Directive& each : decision_state.directives) {
    if (each.outcome == DirectiveOutcome::kApplied &&
        each.effective_decision == decision_state.decision.decision) {
      page["directives"].push_back(Index(each.id));
    }
  }
  return page;
}

}  // namespace

Result<http::Answer> AnswerDecision(const QueryParameters& asked) {
  TRY(wanted, asked.Count("d"));
  TRY(chosen, asked.Choose());
  store::Database& database = chosen.database();
  TRY(listing, store::ReadDecisionRow(database, chosen.campaign.id, wanted));
  TRY(decision_state,
      store::ReadDecisionState(database, chosen.campaign.id, wanted));
  if (listing.rows.empty() || !decision_state) {
    return Fail(Errc::kNotFound,
                "d=" + std::to_string(wanted) + ": there is no such decision");
  }
  Json page = PageOf(listing, *decision_state);
  const std::uint64_t seed = chosen.campaign.spec.seed;
  Inspector& inspector = asked.inspector();
  const auto visit = [&](const engine::Remade& remade) {
    page["again"] = {{"node", Index(remade.again.node)},
                     {"reason", remade.again.reason},
                     {"same", remade.Agrees()}};
    if (remade.directive_again) return;
    page["scores"] =
        ScoresJson(remade, seed, inspector.Deadline(kSeedsPatience_s));
  };
  // What is evaluated again between the two makes the decision state too old.
  for (int attempt = 0; attempt < kMostReadings; ++attempt) {
    bool is_old = false;
    TRY_DONE(inspector.summaries().With(
        database, chosen.campaign,
        [&](const store::Summaries& summaries) -> Result<void> {
          is_old = summaries.newest > decision_state->further;
          if (is_old) return {};
          return engine::ReplayOne(*decision_state, summaries.nodes, seed,
                                   search::MakeStoredPolicy, visit);
        }));
    if (!is_old) return JsonAnswer(page);
    TRY(again, store::ReadDecisionState(database, chosen.campaign.id, wanted));
    if (!again) break;
    decision_state = std::move(again);
  }
  return tl::unexpected<Error>(StillReading());
}

}  // namespace coppice::inspector
