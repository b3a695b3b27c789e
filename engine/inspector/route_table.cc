#include <array>

#include "engine/inspector/routes.h"

namespace coppice::inspector {

std::span<const Route> Routes() {
  static constexpr std::array kRoutes = {
      Route{"GET", "/api/state", AnswerState},
      Route{"GET", "/api/campaigns", AnswerCampaigns},
      Route{"GET", "/api/campaign", AnswerCampaign},
      Route{"GET", "/api/tree", AnswerTree},
      Route{"GET", "/api/nodes", AnswerNodes},
      Route{"GET", "/api/node", AnswerNode},
      Route{"GET", "/api/source", AnswerSource},
      Route{"GET", "/api/samples", AnswerSamples},
      Route{"GET", "/api/lineage", AnswerLineage},
      Route{"GET", "/api/calls", AnswerCalls},
      Route{"GET", "/api/call", AnswerCall},
      Route{"GET", "/api/decision", AnswerDecision},
      Route{"GET", "/api/leaderboard", AnswerLeaderboard},
      Route{"GET", "/api/failures", AnswerFailures},
      Route{"GET", "/api/spend", AnswerSpend},
      Route{"GET", "/api/compare", AnswerCompare},
      Route{"GET", "/api/schema", AnswerSchema},
      Route{"POST", "/api/sql", AnswerSql},
      Route{"GET", "/api/sql.csv", AnswerSqlCsv},
      Route{"GET", "/api/history", AnswerHistory},
      Route{"GET", "/api/questions", AnswerQuestions},
      Route{"GET", "/api/turns", AnswerTurns},
      Route{"POST", "/api/cites", AnswerCites},
      Route{"POST", "/api/ask", AnswerAsk, false},
      Route{"GET", "/api/directives", AnswerDirectives},
      Route{"POST", "/api/directives", AnswerSteer, false},
      Route{"POST", "/api/directives/withdraw", AnswerWithdraw, false},
      Route{"POST", "/api/submit", AnswerSubmit, false},
  };
  return kRoutes;
}

}  // namespace coppice::inspector
