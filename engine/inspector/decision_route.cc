// GET /api/decision: a decision, and the same made again from what its policy
// saw (engine/replay.h).
#include <nlohmann/json.hpp>

#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "engine/replay.h"
#include "store/campaign_pages.h"

namespace coppice::inspector {
namespace {

// Decisions whose attempts had no node yet when it was made.
Json InFlightJson(const store::Annals& annals,
                  const store::DecisionRecord& decision) {
  std::vector<bool> is_landed(annals.decisions.size());
  for (std::int64_t i = 0; i < decision.nodes_seen; ++i) {
    const auto& arrival = annals.arrivals[static_cast<std::size_t>(i)];
    if (arrival.decision) {
      is_landed.at(static_cast<std::size_t>(*arrival.decision)) = true;
    }
  }
  Json in_flight = Json::array();
  for (std::int64_t d = 0; d < decision.decision; ++d) {
    if (!is_landed[static_cast<std::size_t>(d)]) in_flight.push_back(d);
  }
  return in_flight;
}

}  // namespace

Result<http::Answer> AnswerDecision(const Asked& asked) {
  TRY(wanted, asked.Count("d"));
  TRY(chosen, asked.Choose());
  TRY(listing,
      store::ReadDecisionRow(chosen.database(), chosen.campaign.id, wanted));
  if (listing.rows.empty()) {
    return Fail(Errc::kNotFound,
                "d=" + std::to_string(wanted) + ": there is no such decision");
  }
  Json page = RowJson(listing, 0);
  page["seen"] = {{"nodes", page["nodes_seen"]},
                  {"further", page["further_seen"]},
                  {"attempts_left", page["attempts_left"]}};
  for (const char* key : {"nodes_seen", "further_seen", "attempts_left"}) {
    page.erase(key);
  }
  page["in_flight"] = Json::array();
  page["again"] = nullptr;  // Nobody chose it.
  page["scores"] = nullptr;
  page["directives"] = Json::array();  // That hold from it on.
  TRY(annals, store::ReadAnnals(chosen.database(), chosen.campaign.id));
  const auto is_over = asked.inspector().Deadline(Asked::kPatience_s);
  bool is_late = false;
  for (const Directive& each : annals.directives) {
    if (each.outcome == DirectiveOutcome::kApplied &&
        each.effective_decision == wanted) {
      page["directives"].push_back(Index(each.id));
    }
  }
  const auto visit = [&](const engine::Remade& remade) {
    is_late = is_over();
    if (is_late) return false;
    if (remade.recorded.decision != wanted) return true;
    page["in_flight"] = InFlightJson(annals, remade.recorded);
    page["again"] = {{"node", Index(remade.again.node)},
                     {"reason", remade.again.reason},
                     {"same", remade.Agrees()}};
    return false;
  };
  TRY_DONE(engine::Replay(annals, chosen.campaign.spec.seed,
                          search::MakeStoredPolicy, visit));
  if (is_late) {
    return Fail(Errc::kTimeout,
                "the decisions before it take too long to be "
                "made again: use coppice replay --check");
  }
  return JsonAnswer(page);
}

}  // namespace coppice::inspector
