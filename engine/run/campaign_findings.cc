#include "engine/run/campaign_findings.h"

#include "engine/campaign/replay.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/care/maintenance.h"
#include "store/scratch_file.h"
#include "store/write/campaigns.h"

namespace coppice::engine {

using store::Must;

namespace {

bool AreSame(const Remade& a, const Remade& b) {
  return a.again.node == b.again.node && a.again.reason == b.again.reason &&
         a.again.mate == b.again.mate && a.picks_again == b.picks_again &&
         a.directive_again == b.directive_again && a.in_flight == b.in_flight &&
         a.seen.Size() == b.seen.Size() &&
         a.seen.AttemptsLeft() == b.seen.AttemptsLeft() &&
         a.policy.Name() == b.policy.Name();
}

}  // namespace

std::vector<std::string> CampaignFindings(store::Database& database,
                                          const store::CampaignRow& row) {
  std::vector<std::string> findings = Must(store::Diagnose(database));
  store::Summaries nodes;
  store::Add(Must(store::ReadNews(database, row.id, nodes)), nodes);
  const auto find = [&](std::int64_t decision, const char* what) {
    findings.push_back("decision " + std::to_string(decision) + what);
  };
  Must(Replay(Must(store::ReadAnnals(database, row.id)), row.spec.seed,
              search::MakePolicy, [&](const Remade& remade) {
                const std::int64_t decision = remade.recorded.decision;
                if (!remade.Agrees()) find(decision, " is made differently");
                const auto decision_state =
                    Must(store::ReadDecisionState(database, row.id, decision));
                bool is_same = false;
                Must(ReplayOne(*decision_state, nodes.nodes, row.spec.seed,
                               search::MakePolicy, [&](const Remade& alone) {
                                 is_same = AreSame(alone, remade);
                               }));
                if (!is_same) find(decision, " is made differently alone");
                return true;
              }));
  return findings;
}

}  // namespace coppice::engine
